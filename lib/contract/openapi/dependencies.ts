/** What the orchestrator calls, and what operators do about it. */
import * as z from 'zod';
import { BREAKER_STATES } from '../../core/breaker.ts';
import { BREAKER } from '../action-requests.ts';
import { NO_PARAMETERS } from '../requests.ts';
import type { WireDependency } from '../wire-dependency.ts';
import { time } from './answers.ts';
import { type ApiOperation, answerOf } from './operation.ts';

const moment = time.nullable();

const dependency: z.ZodType<WireDependency> = z.object({
  dependency_id: z.string(),
  status: z.enum(['healthy', 'degraded', 'offline']),
  last_checked_at: moment,
  consecutive_failures: z.int(),
  notes: z.string().nullable(),
  breaker: z.enum(BREAKER_STATES),
  opened_at: moment,
  probe_at: moment,
  failures_in_window: z.int(),
  topics: z.array(z.string()),
  parked_jobs: z.int(),
  log: z.array(z.object({ at: time, action: z.enum(['opened', 'closed']), actor: z.string(), reason: z.string() })),
});

const ofOne = { tag: 'dependencies', allowed: 'operator', query: NO_PARAMETERS } as const;

export const DEPENDENCY_OPERATIONS: readonly ApiOperation[] = [
  {
    ...ofOne,
    method: 'GET',
    path: '/dependencies',
    id: 'listDependencies',
    summary: 'List what is called, its health and its breaker',
    answers: { 200: answerOf('All of them.', z.object({ items: z.array(dependency) })) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
  {
    ...ofOne,
    method: 'GET',
    path: '/dependencies/{id}',
    id: 'readDependency',
    summary: 'Read one dependency',
    answers: { 200: answerOf('The record.', dependency) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_NOT_FOUND'],
  },
  {
    ...ofOne,
    method: 'POST',
    path: '/dependencies/{id}/breaker',
    id: 'setBreaker',
    summary: 'Open or close its breaker',
    description: 'One that a person opened stays open until a person closes it.',
    body: BREAKER,
    answers: { 200: answerOf('The record as it is then.', dependency) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_NOT_FOUND', 'ORCH_PAYLOAD_TOO_LARGE'],
  },
  {
    ...ofOne,
    method: 'POST',
    path: '/dependencies/{id}/probe',
    id: 'probeDependency',
    summary: 'Find out now whether it is back',
    answers: { 200: answerOf('The record as it is then.', dependency) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_NOT_FOUND'],
  },
];
