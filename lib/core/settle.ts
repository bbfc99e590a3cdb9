/**
 * What becomes of a step that failed or fell silent. One question decides: may the effect stand? While it may, the
 * step is `unknown`, never simply failed, until a success, a fence, an undo or a person says otherwise.
 */
import type { Failure } from './answers.ts';
import { hasChildrenOut } from './child-set.ts';
import { stopChildren } from './children.ts';
import { type Draft, draw, goesForward, logError, moveStep, setStep, stepPlan } from './draft.ts';
import { policyFor } from './errors.ts';
import type { Settlement, StepState } from './job.ts';
import { LIMITS } from './limits.ts';
import { hasUndo, type StepPlan } from './plan.ts';
import { planRetry } from './retry.ts';

/** A forward call failed, or its lease ended without an answer. */
export function failForward(draft: Draft, step: StepState, failed: Failure): void {
  const plan = stepPlan(draft, step);
  const applied = failed.mayHaveApplied && plan.kind !== 'readOnly';
  const mayHaveApplied = !failed.fenced && (step.mayHaveApplied || applied);
  const known = {
    lease: null,
    deadlineAt: null,
    errorCode: failed.code,
    errorMessage: failed.message,
    mayHaveApplied,
    fenced: failed.fenced,
  };
  noteCause(draft, failed);
  if (!goesForward(draft) || failed.fenced) {
    log(draft, step, failed, null);
    const after = moveStep(draft, step, mayHaveApplied ? lostBy(step) : 'refused', known);
    if (mayHaveApplied) settleWhileTurningBack(draft, after);
    return;
  }
  const retryAt = nextRetry(draft, step, plan, failed);
  if (applied || (mayHaveApplied && retryAt === null)) {
    const unknown = moveStep(draft, step, lostBy(step), known);
    settleForward(draft, unknown, failed, retryAt);
  } else if (retryAt !== null) {
    moveStep(draft, step, 'not_applied', { ...known, nextAttemptAt: retryAt });
    countRetry(draft, step, failed, retryAt);
  } else {
    log(draft, step, failed, null);
    moveStep(draft, step, 'refused', known);
  }
}

function lostBy(step: StepState): 'timed_out' | 'lost' {
  return step.status === 'waiting' ? 'timed_out' : 'lost';
}

/** Settles an unknown step as its definition declares; what cannot be settled here turns the job back or asks a person. */
export function settleForward(draft: Draft, step: StepState, failed: Failure, retryAt: number | null): void {
  const plan = stepPlan(draft, step);
  const { now } = draft.context;
  switch (plan.onUnknown) {
    case 'retry':
      if (retryAt !== null) {
        setStep(draft, step, { settleBy: 'retry', nextAttemptAt: retryAt });
        countRetry(draft, step, failed, retryAt);
        return;
      }
      log(draft, step, failed, null);
      if (canQuery(plan, step)) setStep(draft, step, { settleBy: 'query', nextAttemptAt: now });
      else giveUp(draft, step, plan);
      return;
    case 'query':
      log(draft, step, failed, null);
      if (canQuery(plan, step)) setStep(draft, step, { settleBy: 'query', nextAttemptAt: now });
      else giveUp(draft, step, plan);
      return;
    case 'compensate':
      log(draft, step, failed, null);
      giveUp(draft, step, plan);
      return;
    case 'review':
      log(draft, step, failed, null);
      setStep(draft, step, { settleBy: 'review', nextAttemptAt: null });
      return;
  }
}

/** An effect that can be undone is undone; one that cannot needs a person. */
export function giveUp(draft: Draft, step: StepState, plan: StepPlan): void {
  if (hasUndo(plan)) moveStep(draft, step, 'budget_spent', { settleBy: null, nextAttemptAt: null });
  else setStep(draft, step, { settleBy: 'review', nextAttemptAt: null });
}

/** On the way back nothing is tried again: ask with a fence where the step can be asked, else undo. */
export function settleWhileTurningBack(draft: Draft, step: StepState): void {
  const plan = stepPlan(draft, step);
  const settleBy: Settlement =
    canQuery(plan, step) && plan.onUnknown === 'query' ? 'query' : hasUndo(plan) ? 'undo' : 'review';
  setStep(draft, step, { settleBy, parkedOn: null, nextAttemptAt: settleBy === 'query' ? draft.context.now : null });
}

/** Nobody waits for a promised result on the way back: what reads is left out, of anything else the end is unknown. */
export function stopWaiting(draft: Draft, step: StepState): void {
  if (hasChildrenOut(step)) {
    stopChildren(draft, step);
    return;
  }
  if (stepPlan(draft, step).kind === 'readOnly') {
    moveStep(draft, step, 'left_out', { deadlineAt: null });
    return;
  }
  settleWhileTurningBack(draft, moveStep(draft, step, 'timed_out', { deadlineAt: null, mayHaveApplied: true }));
}

export function canQuery(plan: StepPlan, step: StepState): boolean {
  return plan.query !== null && step.queries < LIMITS.queriesPerOperation;
}

/** When the step may be called again under its policy and the job's budget; null when not. */
export function nextRetry(draft: Draft, step: StepState, plan: StepPlan, failed: Failure): number | null {
  if (!step.probing && draft.job.retryCount >= draft.job.maxRetries) return null;
  const policy = policyFor(failed.code, [draft.context.rules.policies, draft.plan.retry, plan.retry]);
  const retry = planRetry(policy, step.attempts - step.attemptsBefore - 1, draw(draft), failed.retryAfterMs);
  if (!retry.again) return null;
  return (
    draft.context.now +
    Math.max(retry.delayMs, plan.topic === null ? 0 : draft.context.rules.retryPenaltyMs(plan.topic))
  );
}

export function countRetry(draft: Draft, step: StepState, failed: Failure, nextAttemptAt: number): void {
  if (!step.probing) draft.job.retryCount += 1;
  log(draft, step, failed, nextAttemptAt);
}

function log(draft: Draft, step: StepState, failed: Failure, nextAttemptAt: number | null): void {
  logError(draft, {
    step: step.name,
    attempt: step.attempts,
    errorCode: failed.code,
    message: failed.message,
    nextAttemptAt,
  });
}

/** The last error on the way forward is the cause, should the job stop; what fails while turning back is not. */
function noteCause(draft: Draft, failed: Failure): void {
  if (!goesForward(draft)) return;
  draft.job.lastErrorCode = failed.code;
  draft.job.lastErrorMessage = failed.message;
}
