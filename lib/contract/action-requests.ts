/**
 * The bodies of what people do to jobs and dead letters. Each names a reason: it stays in the history, and whoever reads
 * it later was not there.
 */
import * as z from 'zod';
import type { Resolution } from '../core/events.ts';
import { byteLength, type Json } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { PAUSE_SCOPES, type PauseScope } from '../core/pause.ts';
import { pointer, refusalOf } from './refusal-of.ts';
import { anyJson } from './schema.ts';

/** A reason, evidence and a revision, with room for escapes. */
export const ACTION_BYTES_MAX = 64 * 1_024;

/** Callers' ids are the longest of what can be paused: an issuer and a subject. */
const PAUSED_CHARACTERS_MAX = 1_000;

const SAY_WHY = 'reason: say in a sentence why; it stays in the history';
const WHICH_REVISION = 'expected_revision: write the revision you saw, a whole number, or leave it out';
const RESOLUTIONS = ['applied', 'not_applied', 'compensated'] as const satisfies readonly Resolution[];

export const reason = z
  .string(SAY_WHY)
  .max(LIMITS.reasonCharactersMax, `reason: write at most ${LIMITS.reasonCharactersMax} characters`)
  .refine((text) => text.trim() !== '', SAY_WHY)
  .transform((text) => text.trim());
export const expected_revision = z.int(WHICH_REVISION).nonnegative(WHICH_REVISION).optional();

export const ACTION = z.strictObject({ reason, expected_revision });
export const RESOLVE = z.strictObject({
  reason,
  expected_revision,
  step: z.string('step: name the step that you know about').min(1, 'step: name the step that you know about'),
  resolution: z.enum(RESOLUTIONS, `resolution: write one of ${RESOLUTIONS.join(', ')}`),
  output: anyJson.optional(),
  evidence: z
    .string('evidence: write how you know, as text')
    .refine(
      (text) => byteLength(text) <= LIMITS.evidenceBytesMax,
      `evidence: write at most ${LIMITS.evidenceBytesMax} bytes, or where it can be found`,
    )
    .optional(),
});
export const APPROVE = z.strictObject({
  reason,
  expected_revision,
  step: z.string('step: name the step that asks').min(1, 'step: name the step that asks'),
  decision: z.enum(['approved', 'declined'], 'decision: write approved or declined'),
});
export const FORCE_CLOSE = z.strictObject({
  reason,
  expected_revision,
  confirm: z.string('confirm: repeat the job id, to say that you know what is left behind'),
});
const version = z.int('write the number of a version').min(1, 'write the number of a version');
export const MIGRATE = z
  .strictObject({
    from: version,
    to: version,
    dry_run: z.boolean('dry_run: write true or false').default(false),
    reason,
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'to: write another version than from' });
export const DISCARD = z.strictObject({ reason });
export const REPLAY = z.strictObject({ reason, input: anyJson.optional() });
export const BREAKER = z.strictObject({ state: z.enum(['OPEN', 'CLOSED'], 'state: write OPEN or CLOSED'), reason });

const WHAT = 'value: name the topic, dependency, workflow or caller';
export const PAUSE = z.strictObject({
  scope: z.enum(PAUSE_SCOPES, `scope: write one of ${PAUSE_SCOPES.join(', ')}`),
  value: z
    .string(WHAT)
    .min(1, WHAT)
    .max(PAUSED_CHARACTERS_MAX, `value: write at most ${PAUSED_CHARACTERS_MAX} characters`),
  reason,
});
const HOW_FAST = `rate_per_second: write how many jobs a second may go on, a whole number from 1 to ${LIMITS.releasePerSecondMax}`;
export const RELEASE_PAUSE = z.strictObject({
  rate_per_second: z.int(HOW_FAST).min(1, HOW_FAST).max(LIMITS.releasePerSecondMax, HOW_FAST),
  dry_run: z.boolean('dry_run: write true or false').optional(),
  reason,
});

export interface Action {
  readonly reason: string;
  readonly expectedRevision: number | null;
}

export interface ResolveAction extends Action {
  readonly step: string;
  readonly resolution: Resolution;
  readonly output: Json | undefined;
  readonly evidence: string | null;
}

export function readAction(body: Json): Action {
  return actionOf(read(ACTION, body));
}

export function readResolve(body: Json): ResolveAction {
  const { step, resolution, output, evidence, ...action } = read(RESOLVE, body);
  return { ...actionOf(action), step, resolution, output, evidence: evidence ?? null };
}

export interface ApproveAction extends Action {
  readonly step: string;
  readonly decision: 'approved' | 'declined';
}

/** The reason is what the step's output carries as the comment. */
export function readApprove(body: Json): ApproveAction {
  const { step, decision, ...action } = read(APPROVE, body);
  return { ...actionOf(action), step, decision };
}

/** The job id again, so that a slip of the hand does not leave effects behind. */
export function readForceClose(body: Json, jobId: string): Action {
  const confirmed = FORCE_CLOSE.refine(({ confirm }) => confirm === jobId, {
    path: ['confirm'],
    message: 'confirm: repeat the job id, to say that you know what is left behind',
  });
  return actionOf(read(confirmed, body));
}

export function readMigrate(body: Json): {
  readonly from: number;
  readonly to: number;
  readonly dryRun: boolean;
  readonly reason: string;
} {
  const { from, to, dry_run: dryRun, reason: why } = read(MIGRATE, body);
  return { from, to, dryRun, reason: why };
}

export function readForceBreaker(body: Json): { readonly state: 'OPEN' | 'CLOSED'; readonly reason: string } {
  return read(BREAKER, body);
}

export function readDiscard(body: Json): string {
  return read(DISCARD, body).reason;
}

export function readReplay(body: Json): { readonly reason: string; readonly input: Json | undefined } {
  const { reason: why, input } = read(REPLAY, body);
  return { reason: why, input };
}

export function readPause(body: Json): { readonly scope: PauseScope; readonly value: string; readonly reason: string } {
  return read(PAUSE, body);
}

export function readReleasePause(body: Json) {
  const { rate_per_second: ratePerSecond, dry_run: dryRun = false, reason: why } = read(RELEASE_PAUSE, body);
  return { ratePerSecond, dryRun, reason: why };
}

function actionOf(said: { readonly reason: string; readonly expected_revision?: number | undefined }): Action {
  return { reason: said.reason, expectedRevision: said.expected_revision ?? null };
}

function read<T extends z.ZodType>(schema: T, body: Json): z.output<T> {
  const checked = schema.safeParse(body);
  if (checked.success) return checked.data;
  throw refusalOf('body', checked.error, pointer);
}
