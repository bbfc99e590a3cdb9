/**
 * What embedded mode takes and shows beyond the product's own interface: faults to inject, the clock to move, and what
 * its example participants hold. Never deployed; still, a misspelt fault that never fires would make a test lie, so
 * everything is checked.
 */
import * as z from 'zod';
import type { Json, JsonObject } from './json.ts';
import { malformed } from './problem.ts';
import { checkDocument, type Schema } from './schema.ts';
import { isoTime } from './wire-time.ts';

export const TOPIC_MODES = ['fail', 'fail_after_effect', 'drop_response', 'hang', 'delay', 'duplicate'] as const;
export const FUNCTION_TARGETS = ['submit', 'dispatch', 'compensate', 'watchdog'] as const;

export type TopicMode = (typeof TOPIC_MODES)[number];
export type FunctionTarget = (typeof FUNCTION_TARGETS)[number];

interface FaultTimes {
  readonly target: string;
  /** How often it is to fire. */
  readonly times: number;
}

export interface TopicFault extends FaultTimes {
  readonly mode: TopicMode;
  readonly delayMs: number;
  /** null: what the mode says by itself. */
  readonly errorCode: string | null;
}

export interface CrashFault extends FaultTimes {
  readonly target: FunctionTarget;
  readonly mode: 'crash';
  /** The outside call before which the function dies, counted from 1 in each run. */
  readonly atCall: number;
}

export type FaultRequest = TopicFault | CrashFault;
export type Fault = FaultRequest & { readonly fired: number };

const TOPIC = /^[a-z][a-z0-9-]*:[a-z][a-z0-9:-]*$/;
/** More than any run needs; a larger number is a slip of the hand. */
const TIMES_MAX = 1_000_000;
const DAY_MS = 86_400_000;
/** Ten years: beyond the longest deadline a job can have. */
const ADVANCE_MS_MAX = 3_650 * DAY_MS;

const common = { times: z.int().min(1).max(TIMES_MAX).default(1) };

const topicFault = z.strictObject({
  ...common,
  target: z.string().regex(TOPIC, 'write a topic such as tenant:create'),
  mode: z.enum(
    TOPIC_MODES,
    `write one of ${TOPIC_MODES.join(', ')}, or crash for one of ${FUNCTION_TARGETS.join(', ')}`,
  ),
  delay_ms: z.int().min(0).max(DAY_MS).optional(),
  error_code: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'write a code such as EXT_UNAVAILABLE')
    .optional(),
});

const crashFault = z.strictObject({
  ...common,
  target: z.enum(FUNCTION_TARGETS, `crash takes one of ${FUNCTION_TARGETS.join(', ')}`),
  mode: z.literal('crash'),
  at_call: z.int().min(1).default(1),
});

const clock = z.strictObject({ advance_ms: z.int().min(0).max(ADVANCE_MS_MAX) });

export function readFault(body: Json): FaultRequest {
  const named = typeof body === 'object' && body !== null && 'mode' in body ? body.mode : undefined;
  if (named === 'crash') {
    const { at_call: atCall, ...fault } = read(crashFault, body);
    return { ...fault, atCall };
  }
  const { delay_ms: delayMs, error_code: errorCode, ...fault } = read(topicFault, body);
  if (fault.mode === 'delay' && delayMs === undefined) throw malformed('delay: say how long with delay_ms');
  return { ...fault, delayMs: delayMs ?? 0, errorCode: errorCode ?? null };
}

/** How far the clock is to move forward. */
export function readAdvance(body: Json): number {
  return read(clock, body).advance_ms;
}

export function shownFault(fault: Fault): JsonObject {
  const { target, mode, times, fired } = fault;
  if (fault.mode === 'crash') return { target, mode, times, at_call: fault.atCall, fired };
  return {
    target,
    mode,
    times,
    ...(mode === 'delay' ? { delay_ms: fault.delayMs } : {}),
    ...(fault.errorCode === null ? {} : { error_code: fault.errorCode }),
    fired,
  };
}

interface ServiceState {
  readonly operations: readonly {
    readonly operationId: string;
    readonly operation: { readonly record: JsonObject | null };
  }[];
  readonly calls: readonly {
    readonly topic: string;
    readonly operationId: string;
    readonly attempt: number;
    readonly at: number;
    readonly result: string;
  }[];
}

export function shownParticipant({ operations, calls }: ServiceState): JsonObject {
  return {
    records: operations.flatMap(({ operationId, operation }) =>
      operation.record === null ? [] : [{ ...operation.record, operation_id: operationId }],
    ),
    calls: calls.map(({ topic, operationId, attempt, at, result }) => {
      return { topic, operation_id: operationId, attempt, at: isoTime(at), result };
    }),
  };
}

function read<T>(schema: Schema<T>, body: Json): T {
  const checked = checkDocument(schema, body);
  if (checked.ok) return checked.value;
  const told = checked.errors.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw malformed(`body: ${told}`, checked.errors);
}
