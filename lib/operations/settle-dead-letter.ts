/**
 * What replaying and discarding a dead letter share: who may, when not, and what is told of it. Both are done by a named
 * person with a reason, never by themselves; the record's own condition decides between two of them.
 */
import type { ErrorCode } from '../core/errors.ts';
import { type JobId, jobIdOf } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import type { FieldError } from '../core/plan.ts';
import type { DeadLetter, Settlement } from '../ports.ts';
import { type Attempt, auditDone, auditRefusal } from './audit.ts';
import type { Engine } from './engine.ts';
import type { Viewer } from './inspect.ts';
import { jobIdIn } from './quarantine.ts';

export interface SettleRequest {
  readonly deadLetterId: string;
  readonly viewer: Viewer;
  readonly reason: string;
}

export interface Refused {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: readonly FieldError[];
}

/** Replays belong to nobody who could submit, so no caller can take their ids. */
const REPLAY_CALLER = 'dacapo:replay';

/** Derived from the dead letter, so a second replay finds the first one's job. */
export function replayIdOf(record: DeadLetter): JobId {
  return jobIdOf(REPLAY_CALLER, record.workflowType, record.deadLetterId);
}

export function refused(code: ErrorCode, detail: string, errors: readonly FieldError[] = []): Refused {
  return { kind: 'refused', code, detail, errors };
}

/** Every refusal is audited, whichever of the checks made it. */
export async function audited<T extends { readonly kind: string }>(
  engine: Engine,
  action: string,
  { viewer, deadLetterId, reason }: SettleRequest,
  result: T | Refused,
): Promise<T | Refused> {
  if (isRefused(result)) {
    await auditRefusal(engine, attemptOf(action, viewer.callerId, deadLetterId, reason), result.code, result.detail);
  }
  return result;
}

function isRefused(result: { readonly kind: string }): result is Refused {
  return result.kind === 'refused';
}

/** Answers the record as it is then, settled by whoever came first. */
export async function settle(engine: Engine, record: DeadLetter, settlement: Settlement): Promise<DeadLetter | null> {
  const { deadLetters } = engine.ports;
  const settled = await deadLetters.settle(record.deadLetterId, settlement);
  if (settled !== null) return settled;
  // Its job has not published it yet: then this is the record that will be.
  await deadLetters.put(record);
  return deadLetters.settle(record.deadLetterId, settlement);
}

/** Under an id of its own, so whoever finds a record settled tells it once more: the first may have died before. */
export async function tellSettled(engine: Engine, { deadLetterId, settlement }: DeadLetter): Promise<void> {
  if (settlement === null) return;
  const action = settlement.status === 'replayed' ? 'replay' : 'discard';
  const attempt = attemptOf(action, settlement.by, deadLetterId, settlement.reason);
  await auditDone(engine, attempt, `${deadLetterId}.${action}`, settlement.at);
}

function attemptOf(action: string, by: string, deadLetterId: string, reason: string): Attempt {
  return { actor: `operator:${by}`, action, subject: deadLetterId, jobId: jobIdIn(deadLetterId), reason };
}

export const notOperator = refused('ORCH_FORBIDDEN', 'this needs the role operator');
export const unknownRecord = refused('ORCH_UNKNOWN_DEAD_LETTER', 'no such dead letter: check the id');
export const wasReplayed = refused(
  'ORCH_INVALID_STATE_TRANSITION',
  'the dead letter was replayed: look at the job it became',
);
export const wasDiscarded = refused(
  'ORCH_INVALID_STATE_TRANSITION',
  'the dead letter was discarded: submit a new job instead',
);
export const underReview = (job: Job): Refused =>
  refused('ORCH_INVALID_STATE_TRANSITION', `the job is ${job.state}: settle and close it first`);
