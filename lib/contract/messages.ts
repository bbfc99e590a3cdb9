/**
 * What lies in the command queues, read back: our own hints and results, and the results that participants send which
 * were called by a queue. Anybody may have put anything there, so what is none of these is null, never a guess.
 */
import * as z from 'zod';
import type { ChildReport } from '../core/events.ts';
import { isJobId, type JobId } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import { readCommandResult } from './commands.ts';
import type { Answer } from './envelope.ts';
import { parseJson } from './json.ts';

export interface ReadResult {
  readonly step: string;
  readonly direction: 'do' | 'undo' | 'query';
  readonly operationId: string;
  readonly attempt: number;
  readonly at: number;
  readonly answer: Answer;
}

export type ReadMessage =
  | {
      readonly kind: 'hint';
      readonly jobId: JobId;
      readonly revision: number;
      readonly hops: number;
      readonly lane?: string | undefined;
    }
  | { readonly kind: 'result'; readonly jobId: JobId; readonly result: ReadResult }
  | { readonly kind: 'reports'; readonly jobId: JobId; readonly reports: readonly ChildReport[] };

const jobId = z.string().refine(isJobId);
const count = z.int().min(0);

const HINT = z.object({
  kind: z.literal('hint'),
  jobId,
  revision: count,
  hops: count,
  lane: z
    .string()
    .regex(/^[a-z2-7]{1,32}$/)
    .optional(),
});

const FAILURE = z.object({
  kind: z.literal('failure'),
  code: z.string(),
  message: z.string(),
  mayHaveApplied: z.boolean(),
  fenced: z.boolean(),
  retryAfterMs: z.number(),
  notFound: z.boolean(),
});
const ANSWER = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('success'),
    output: z.custom<Json>((value) => value !== undefined),
    storedAs: z.string().exactOptional(),
  }),
  z.object({ kind: z.literal('accepted') }),
  FAILURE,
]);
const RESULT = z.object({
  kind: z.literal('result'),
  jobId,
  result: z.object({
    step: z.string(),
    direction: z.enum(['do', 'undo', 'query']),
    operationId: z.string(),
    attempt: count,
    at: z.number(),
    answer: ANSWER,
  }),
});

/** What wakes a schedule. EventBridge Scheduler writes the time in. */
const WAKEUP = z.strictObject({ schedule: z.string().min(1), scheduled_time: z.string() });

/** `scheduled_time` is for whoever reads the message: which ticks are due the record says. */
export function wakeupBody(name: string): string {
  return JSON.stringify({ schedule: name, scheduled_time: '<aws.scheduler.scheduled-time>' });
}

/** The name of the schedule that a message wakes; null when it is something else. */
export function readWakeup(text: string): string | null {
  const parsed = parseJson(text);
  const read = WAKEUP.safeParse(parsed.ok ? parsed.value : null);
  return read.success ? read.data.schedule : null;
}

const END = { step: z.string(), round: count, ok: z.boolean(), errorCode: z.string().nullable() };
const REPORTS = z.object({
  kind: z.literal('reports'),
  jobId,
  reports: z.array(
    z.discriminatedUnion('what', [
      z.object({ what: z.literal('child'), index: count, ...END }),
      z.object({ what: z.literal('undo'), attempt: count, ...END }),
    ]),
  ),
});

export function readMessage(text: string, now: number): ReadMessage | null {
  const parsed = parseJson(text);
  return parsed.ok ? readMessageDocument(parsed.value, now) : null;
}

export function readMessageDocument(document: unknown, now: number): ReadMessage | null {
  const hint = HINT.safeParse(document);
  if (hint.success) return hint.data;
  const result = RESULT.safeParse(document);
  if (result.success) return result.data;
  const reports = REPORTS.safeParse(document);
  if (reports.success) return reports.data;
  const told = readCommandResult(document);
  if (told === null) return null;
  const { jobId, ...answered } = told;
  return { kind: 'result', jobId, result: { ...answered, at: now } };
}
