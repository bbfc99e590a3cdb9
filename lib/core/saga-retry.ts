/**
 * Trying the whole again. Only a clean rollback may be followed by another round, and each round has operations of its
 * own, so that nothing an earlier one did can be taken for the work of this one.
 */
import { type Draft, draw, moveJob, moveStep, stepPlan } from './draft.ts';
import { openEffects } from './effects.ts';
import { policyFor } from './errors.ts';
import { newStep, type PastOperation, type StepState } from './job.ts';
import { hasUndo } from './plan.ts';
import { planRetry } from './retry.ts';

/** Starts the next round if the definition has one left and the cause may pass; false: the job ends here. */
export function startNewRound(draft: Draft): boolean {
  const { job, plan, context } = draft;
  if (plan.sagaRetry === null || job.turnBack?.cause !== 'failure' || !wentCleanly(draft)) return false;
  const cause = policyFor(job.lastErrorCode ?? '', [context.rules.policies, plan.retry]);
  const retry = planRetry({ ...plan.sagaRetry, retryable: cause.retryable }, job.sagaRound, draw(draft));
  if (!retry.again) return false;
  const startsAt = context.now + retry.delayMs;
  job.sagaRound += 1;
  const reason = `saga retry ${job.sagaRound} of ${plan.sagaRetry.maxAttempts - 1}`;
  moveJob(draft, 'all_undone', 'saga_retry_left', { reason, errorCode: job.lastErrorCode });
  for (const step of job.steps) {
    keepPast(draft, step);
    beginAnew(draft, step, startsAt);
  }
  job.turnBack = null;
  job.stoppedReason = null;
  job.outcome = null;
  job.maxRetries = job.retryCount + plan.maxRetries;
  return true;
}

/** Nothing is left, of any round, and no person had to help: what was once partial is never tried again by itself. */
function wentCleanly({ job, plan }: Draft): boolean {
  const turned = job.history.findLastIndex(({ from, to }) => to === 'COMPENSATING' && from !== 'NEEDS_REVIEW');
  const since = job.history.slice(turned);
  return turned >= 0 && !since.some(({ to }) => to === 'NEEDS_REVIEW') && openEffects(job, plan).length === 0;
}

/** Before a step goes on as another operation, what the present one may yet tell is given a place. */
export function keepPast(draft: Draft, step: StepState): void {
  if (mayYetApply(draft, step)) draft.job.past = [...draft.job.past, pastOf(step)];
}

/** Of what has succeeded, and was undone, there is no more to hear; what has nothing to undo leaves nothing. */
function mayYetApply(draft: Draft, step: StepState): boolean {
  return step.attempts > 0 && step.completedAt === null && hasUndo(stepPlan(draft, step));
}

function pastOf(step: StepState): PastOperation {
  return {
    step: step.name,
    round: step.round,
    generation: step.undo?.compensatedAt === null ? null : (step.undo?.generation ?? null),
    appliedAt: null,
    output: null,
    target: step.target,
  };
}

function beginAnew(draft: Draft, step: StepState, startsAt: number): void {
  // What a caller has told the job stays told: nobody would say it again.
  const received = step.received && { ...step.received, value: step.received.value ?? step.output };
  const fresh = { ...newStep(step.name), round: step.round + 1, nextAttemptAt: startsAt, received };
  moveStep(draft, step, 'new_round', fresh);
}
