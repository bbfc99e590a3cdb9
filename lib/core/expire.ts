/**
 * Leases that ended without an answer, and waits that ran out. Nobody knows what became of such a call, so it is
 * handled exactly like an answer that says «may have applied».
 */
import { failure } from './answers.ts';
import { type Draft, goesForward, leaseHolds, stepPlan } from './draft.ts';
import { isAlive } from './effects.ts';
import { stillUnknown } from './fold-query.ts';
import { failUndo } from './fold-undo.ts';
import type { StepState } from './job.ts';
import { failForward, stopWaiting } from './settle.ts';
import { endWaitByTime } from './waits.ts';

const lost = failure('EXT_TIMEOUT', 'no answer was recorded before the lease of the call ended', true);
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
  if (step.deadlineAt === null || draft.context.now < step.deadlineAt) return;
  if (stepPlan(draft, step).work.type !== 'call') endWaitByTime(draft, step);
  else if (goesForward(draft)) failForward(draft, step, waitedTooLong);
  else stopWaiting(draft, step);
}

function expireUndo(draft: Draft, step: StepState): void {
  const lease = step.undo?.lease ?? null;
  if (lease !== null && !isAlive(lease, draft.context.now, draft.context.rules.livingOwners))
    failUndo(draft, step, lost);
}
