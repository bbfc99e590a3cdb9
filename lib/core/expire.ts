/**
 * Leases that ended without an answer, and waits that ran out. Nobody knows what became of such a call, so it is
 * handled exactly like an answer that says «may have applied».
 */
import { failure } from './answers.ts';
import { callForward, fits, idleSince } from './calls.ts';
import { type Draft, goesForward, leaseHolds, setStep, stepPlan } from './draft.ts';
import { isAlive } from './effects.ts';
import { stillUnknown } from './fold-query.ts';
import { failUndo } from './fold-undo.ts';
import type { StepState } from './job.ts';
import { topicOf } from './plan.ts';
import { wayOf } from './routing.ts';
import { countRetry, failForward, nextRetry, stopWaiting } from './settle.ts';
import { settleWait } from './waits.ts';

const lost = failure('EXT_TIMEOUT', 'no answer was recorded before the lease of the call ended', true);
const silent = failure('EXT_TIMEOUT', 'the participant did not show that it is still at work', true);
const waitedTooLong = failure('EXT_TIMEOUT', 'the promised result did not come in time', true);

export function expire(draft: Draft): void {
  for (const step of draft.job.steps) {
    if (step.status === 'dispatched' && !leaseHolds(draft, step)) failForward(draft, step, lost);
    else if (step.status === 'reconciling' && !leaseHolds(draft, step)) stillUnknown(draft, step);
    else if (step.status === 'waiting') expireWait(draft, step);
    else if (step.status === 'compensating') expireUndo(draft, step);
  }
}

function expireWait(draft: Draft, step: StepState): void {
  if (stepPlan(draft, step).work.type !== 'call') {
    settleWait(draft, step);
    return;
  }
  if (step.deadlineAt === null || draft.context.now < step.deadlineAt) return;
  if (callsAgain(draft, step)) return;
  if (goesForward(draft)) failForward(draft, step, waitedTooLong);
  else stopWaiting(draft, step);
}

/**
 * Who was to show that it is at work and fell silent is called again, under the same id, while there is time and the
 * step may be repeated; true: it is, or will be by the driver that comes for it.
 */
function callsAgain(draft: Draft, step: StepState): boolean {
  const plan = stepPlan(draft, step);
  const { callback } = step;
  const repeats = plan.work.type === 'call' && plan.work.later?.heartbeatMs != null && plan.onUnknown === 'retry';
  if (!repeats || callback === null || draft.context.now >= callback.expiresAt || !goesForward(draft)) return false;
  if (
    draft.context.now >= draft.job.deadlineAt ||
    draft.job.retryCount >= draft.job.maxRetries ||
    nextRetry(draft, step, plan, silent) === null
  )
    return false;
  if (!fits(draft, 'forward', plan.timeoutMs)) return true;
  const doubtful = { ...step, mayHaveApplied: step.mayHaveApplied || plan.kind !== 'readOnly' };
  const way = wayOf(draft, doubtful, topicOf(plan), 'do');
  // Held, it is in doubt like any call without an answer, and waits for its gate with its retry.
  if (way.held) return false;
  countRetry(draft, step, silent, draft.context.now);
  callForward(draft, setStep(draft, step, doubtful), way, 'heartbeat_lost');
  return true;
}

function expireUndo(draft: Draft, step: StepState): void {
  const { undo } = step;
  const { now, rules } = draft.context;
  const until = undo?.lease?.until ?? undo?.promisedUntil ?? null;
  if (undo === null || until === null || isAlive(undo.lease, now, rules.livingOwners)) return;
  if (undo.lease === null && now < until) return;
  const idleMs = undo.idleMs + idleSince(until, now);
  failUndo(draft, setStep(draft, step, { undo: { ...undo, idleMs } }), undo.lease === null ? waitedTooLong : lost);
}
