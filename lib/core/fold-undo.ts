/**
 * Folds the answer to an undo. It has a retry policy and a deadline of its own; one that fails for good is a status of
 * its own, never a log line, and keeps the job from ending clean.
 */
import type { Failure } from './answers.ts';
import { type Draft, draw, logError, moveStep, setStep, stepPlan } from './draft.ts';
import { routeOf } from './effects.ts';
import { policyFor, UNDO_POLICY } from './errors.ts';
import type { Ignored, Result } from './events.ts';
import { newValue, type StepState, type UndoState, undoOperationId } from './job.ts';
import { type Json, jsonBytes } from './json.ts';
import { LIMITS } from './limits.ts';
import { hasUndo } from './plan.ts';
import { planRetry } from './retry.ts';

export function foldUndo(draft: Draft, step: StepState, result: Result): Ignored | null {
  const { undo } = step;
  if (undo === null || undo.attempts === 0) return 'unknown_operation';
  if (result.operationId !== undoOperationId(draft.job, step)) return 'unknown_operation';
  const { answer } = result;
  if (answer.kind === 'success' || (answer.kind === 'failure' && answer.notFound)) {
    if (step.status === 'compensated') return 'duplicate';
    if (step.status !== 'compensating' && step.status !== 'compensation_failed') return 'late';
    // What an undo answers is kept for people to read: one that is too large for that is done all the same.
    const said = answer.kind === 'success' && jsonBytes(answer.output) <= LIMITS.outputBytesMax ? answer.output : null;
    confirmUndo(draft, step, undo, said, result.at);
    return null;
  }
  const isOut = undo.lease !== null || undo.promisedUntil !== null;
  if (step.status !== 'compensating' || result.attempt !== undo.attempts || !isOut) return 'stale_attempt';
  if (answer.kind === 'failure') failUndo(draft, step, answer);
  else if (undo.lease !== null) waitForUndo(draft, step, undo);
  else return 'duplicate';
  return null;
}

/**
 * «Accepted» promises an answer by message. It is asked for again when none comes, so often that the undo's attempts
 * last as long as its deadline: a queue may be hours behind, and a message may be lost.
 */
function waitForUndo(draft: Draft, step: StepState, undo: UndoState): void {
  const plan = stepPlan(draft, step);
  const own = hasUndo(plan) ? plan.undo.retry.maxAttempts : undefined;
  const waitMs = Math.floor(draft.plan.undoDeadlineMs / (own ?? UNDO_POLICY.maxAttempts));
  setStep(draft, step, { undo: { ...undo, lease: null, promisedUntil: draft.context.now + waitMs } });
}

export function confirmUndo(draft: Draft, step: StepState, undo: UndoState, result: Json, at: number): void {
  const route = routeOf(stepPlan(draft, step), draft.context.rules);
  // Without fencing, the undo of an effect nobody ever saw may have come before it: the doubt stays.
  const mayHaveApplied = step.completedAt === null && route?.fencing !== true;
  moveStep(draft, step, 'undo_confirmed', {
    mayHaveApplied,
    undo: {
      ...undo,
      lease: null,
      nextAttemptAt: null,
      promisedUntil: null,
      compensatedAt: at,
      result: newValue(result),
      errorCode: null,
    },
  });
}

export function failUndo(draft: Draft, step: StepState, failed: Failure): void {
  const { undo } = step;
  const plan = stepPlan(draft, step);
  if (undo === null || !hasUndo(plan)) throw new Error(`step ${step.name} has no undo to fail`);
  // How often and how fast is the undo's own: what a workflow says about its forward calls only tells what is retryable.
  const { retryable } = policyFor(failed.code, [draft.context.rules.policies, draft.plan.retry]);
  // A doubtful answer is always asked again: only a definitive refusal ends an undo at once.
  const retry = planRetry(
    { ...UNDO_POLICY, ...plan.undo.retry, retryable: retryable || failed.mayHaveApplied },
    undo.attempts - undo.attemptsBefore - 1,
    draw(draft),
    failed.retryAfterMs,
  );
  const nextAttemptAt = retry.again ? draft.context.now + retry.delayMs : null;
  // Time in which nobody tried is not counted: an outage of a day is no reason to call a person after one attempt.
  const triedUntil = undo.startedAt + undo.idleMs + draft.plan.undoDeadlineMs;
  if (nextAttemptAt === null || nextAttemptAt > triedUntil) {
    const isRefusal = !retryable && !failed.mayHaveApplied;
    giveUpUndo(draft, step, failed.code, failed.message, isRefusal);
    return;
  }
  log(draft, step, undo.attempts, failed.code, failed.message, nextAttemptAt);
  setStep(draft, step, { undo: { ...undo, lease: null, nextAttemptAt, promisedUntil: null, errorCode: failed.code } });
}

export function giveUpUndo(draft: Draft, step: StepState, code: string, message: string, refused = false): void {
  const { undo } = step;
  if (undo === null) throw new Error(`step ${step.name} has no undo to give up`);
  log(draft, step, undo.attempts, code, message, null);
  const ended = { ...undo, lease: null, nextAttemptAt: null, promisedUntil: null, errorCode: code, refused };
  moveStep(draft, step, 'undo_refused', { undo: ended });
}

function log(
  draft: Draft,
  step: StepState,
  attempt: number,
  errorCode: string,
  text: string,
  nextAttemptAt: number | null,
) {
  logError(draft, { step: step.name, attempt, errorCode, message: `undo: ${text}`, nextAttemptAt });
}
