/** Workflows that start by the clock. */
import * as z from 'zod';
import { OVERLAPS, TICK_STATUSES } from '../../core/schedule-record.ts';
import { NO_PARAMETERS } from '../requests.ts';
import { PAUSE, REMOVE, RESUME, SCHEDULE, SCHEDULE_LIST } from '../schedule-requests.ts';
import { anyJson } from '../schema.ts';
import type { WireSchedule, WireTick } from '../wire-schedule.ts';
import { page, time } from './answers.ts';
import { type ApiOperation, answerOf } from './operation.ts';

const tick: z.ZodType<WireTick> = z.object({
  at: time,
  status: z.enum(TICK_STATUSES),
  job_id: z.string().nullable(),
  reason: z.string().nullable(),
});
const schedule: z.ZodType<WireSchedule> = z.object({
  name: z.string(),
  workflow_type: z.string(),
  workflow_version: z.int().nullable(),
  input: anyJson,
  expression: z.string(),
  timezone: z.string(),
  overlap: z.enum(OVERLAPS),
  backfill: z.object({ max_ticks: z.int(), within_seconds: z.int() }),
  paused: z.boolean(),
  caller_id: z.string(),
  correlation_id: z.string(),
  created_at: time,
  updated_at: time,
  updated_by: z.string(),
  reason: z.string(),
  next_tick_at: time.nullable(),
  last_tick_at: time.nullable(),
  ticks: z.array(tick),
  revision: z.int(),
});

const common = { tag: 'schedules', allowed: 'operator', query: NO_PARAMETERS } as const;
const acted = {
  ...common,
  answers: { 200: answerOf('The schedule, as it is now.', schedule) },
  problems: [
    'ORCH_MALFORMED_REQUEST',
    'ORCH_UNKNOWN_SCHEDULE',
    'ORCH_INVALID_STATE_TRANSITION',
    'ORCH_PAYLOAD_TOO_LARGE',
  ],
} as const satisfies Partial<ApiOperation>;

export const SCHEDULE_OPERATIONS: readonly ApiOperation[] = [
  {
    ...common,
    method: 'GET',
    path: '/schedules',
    id: 'listSchedules',
    summary: 'List schedules by name',
    query: SCHEDULE_LIST,
    answers: { 200: answerOf('A page.', page(schedule)) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
  {
    ...common,
    method: 'GET',
    path: '/schedules/{name}',
    id: 'readSchedule',
    summary: 'Read a schedule and what became of its last ticks',
    answers: { 200: answerOf('The schedule.', schedule) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_UNKNOWN_SCHEDULE'],
  },
  {
    ...acted,
    method: 'PUT',
    path: '/schedules/{name}',
    id: 'setSchedule',
    summary: 'Make a schedule, or replace what it was',
    description: 'The same expression goes on from the last tick; another one counts from now.',
    body: SCHEDULE,
    problems: [
      'ORCH_MALFORMED_REQUEST',
      'ORCH_UNKNOWN_WORKFLOW',
      'ORCH_INVALID_STATE_TRANSITION',
      'ORCH_PAYLOAD_TOO_LARGE',
      'CONTRACT_INPUT_INVALID',
    ],
  },
  {
    ...acted,
    method: 'DELETE',
    path: '/schedules/{name}',
    id: 'removeSchedule',
    summary: 'No ticks any more; the jobs stay',
    query: REMOVE,
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_UNKNOWN_SCHEDULE', 'ORCH_INVALID_STATE_TRANSITION'],
  },
  {
    ...acted,
    method: 'POST',
    path: '/schedules/{name}/pause',
    id: 'pauseSchedule',
    summary: 'No ticks until it is resumed; nothing makes up for them',
    description: '`paused: false` resumes it.',
    body: PAUSE,
  },
  {
    ...acted,
    method: 'POST',
    path: '/schedules/{name}/resume',
    id: 'resumeSchedule',
    summary: 'Go on with the next tick',
    body: RESUME,
  },
];
