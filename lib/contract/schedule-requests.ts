/**
 * The bodies of what operators do to schedules. What a schedule submits is checked here as far as it can be without the
 * workflow: its name, when it comes round, and what becomes of ticks that overlap or were missed.
 */
import * as z from 'zod';
import { isTimezone } from '../core/calendar.ts';
import { readExpression } from '../core/expressions.ts';
import type { Json } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { type Backfill, OVERLAPS, type Overlap } from '../core/schedule-record.ts';
import { expected_revision, reason } from './action-requests.ts';
import { malformed } from './problem.ts';
import { pointer, refusalOf } from './refusal-of.ts';
import { cursor, limit, readParameters } from './requests.ts';
import { anyJson } from './schema.ts';

/** It becomes part of idempotency keys, and names what wakes it. */
const NAME = /^[a-z][a-z0-9-]{0,63}$/;
const SECOND_MS = 1_000;

const expression = z.string('expression: write when it comes round').superRefine((text, context) => {
  const read = readExpression(text);
  if (!read.ok) context.addIssue({ code: 'custom', message: `expression: ${read.why}` });
});
const whole = (name: string, max: number) => {
  const how = `${name}: write a whole number from 0 to ${max}`;
  return z.int(how).min(0, how).max(max, how);
};
const token = (name: string, max: number) =>
  z
    .string()
    .regex(/^[\x21-\x7e]+$/, `${name}: write visible ASCII characters without spaces`)
    .max(max);

const BACKFILL = z.strictObject({
  max_ticks: whole('max_ticks', LIMITS.backfillTicksMax).default(LIMITS.backfillTicksDefault),
  within_seconds: whole('within_seconds', LIMITS.backfillMsMax / SECOND_MS).default(
    LIMITS.backfillMsDefault / SECOND_MS,
  ),
});

export const SCHEDULE = z.strictObject({
  workflow_type: z
    .string('workflow_type: name the workflow to start')
    .regex(/^[a-z][a-z0-9-]{0,99}$/, 'workflow_type: name the workflow to start'),
  workflow_version: z.int().min(1, 'workflow_version: write a whole number from 1').optional(),
  input: anyJson,
  expression,
  timezone: z
    .string()
    .refine(isTimezone, 'timezone: write a name of the time zone database, such as Europe/Berlin')
    .default('UTC'),
  overlap: z.enum(OVERLAPS, `overlap: write one of ${OVERLAPS.join(', ')}`).default('skip'),
  backfill: BACKFILL.default({
    max_ticks: LIMITS.backfillTicksDefault,
    within_seconds: LIMITS.backfillMsDefault / SECOND_MS,
  }),
  paused: z.boolean('paused: write true or false').optional(),
  caller_id: token('caller_id', LIMITS.idempotencyKeyCharactersMax).optional(),
  correlation_id: token('correlation_id', LIMITS.correlationIdCharactersMax).optional(),
  reason: reason.default('set'),
  expected_revision,
});
export const PAUSE = z.strictObject({
  reason,
  paused: z.boolean('paused: write true or false').default(true),
  expected_revision,
});
export const RESUME = z.strictObject({ reason, expected_revision });
/** As parameters: many a client sends no body with DELETE. */
export const REMOVE = z.strictObject({
  reason: reason.default('removed'),
  expected_revision: z
    .string()
    .regex(/^\d{1,9}$/, 'expected_revision: write the revision you saw, a whole number, or leave it out')
    .transform(Number)
    .meta({ type: 'integer', minimum: 0 })
    .optional(),
});
export const SCHEDULE_LIST = z.strictObject({ limit, cursor: cursor.optional() });

/** Beside the input: names, an expression, a reason, with room for escapes. */
export const SCHEDULE_BYTES_MAX = LIMITS.scheduleInputBytesMax + 64 * 1_024;

export interface SaidOfSchedule {
  readonly reason: string;
  readonly expectedRevision: number | null;
}

export interface ScheduleBody extends SaidOfSchedule {
  readonly wish: {
    readonly workflowType: string;
    readonly workflowVersion: number | null;
    readonly input: Json;
    readonly expression: string;
    readonly timezone: string;
    readonly overlap: Overlap;
    readonly backfill: Backfill;
    readonly paused: boolean | null;
    readonly callerId: string | null;
    readonly correlationId: string | null;
  };
}

export function readSchedule(body: Json): ScheduleBody {
  const said = read(SCHEDULE, body);
  const { max_ticks: maxTicks, within_seconds } = said.backfill;
  return {
    ...saidOf(said),
    wish: {
      workflowType: said.workflow_type,
      workflowVersion: said.workflow_version ?? null,
      input: said.input,
      expression: said.expression,
      timezone: said.timezone,
      overlap: said.overlap,
      backfill: { maxTicks, withinMs: within_seconds * SECOND_MS },
      paused: said.paused ?? null,
      callerId: said.caller_id ?? null,
      correlationId: said.correlation_id ?? null,
    },
  };
}

export function readPause(body: Json): SaidOfSchedule & { readonly paused: boolean } {
  const said = read(PAUSE, body);
  return { ...saidOf(said), paused: said.paused };
}

export function readResume(body: Json): SaidOfSchedule {
  return saidOf(read(RESUME, body));
}

export function readRemove(parameters: URLSearchParams): SaidOfSchedule {
  return saidOf(readParameters(REMOVE, parameters));
}

export function readScheduleList(parameters: URLSearchParams) {
  return readParameters(SCHEDULE_LIST, parameters);
}

/** A name that cannot be one names nothing; where one is to be made, it is refused. */
export function isScheduleName(text: string): boolean {
  return NAME.test(text);
}

export function refuseName(text: string): void {
  if (isScheduleName(text)) return;
  const message = 'write 1 to 64 lower-case letters, digits and hyphens, a letter first';
  throw malformed(`name: ${message}`, [{ path: 'path:name', message }]);
}

function saidOf(said: { readonly reason: string; readonly expected_revision?: number | undefined }): SaidOfSchedule {
  return { reason: said.reason, expectedRevision: said.expected_revision ?? null };
}

function read<T extends z.ZodType>(schema: T, body: Json): z.output<T> {
  const checked = schema.safeParse(body);
  if (checked.success) return checked.data;
  throw refusalOf('body', checked.error, pointer);
}
