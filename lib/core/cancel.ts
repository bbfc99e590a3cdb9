/**
 * A request to stop. It is granted while everything done so far can be taken back, and refused with the reason
 * otherwise; granted, it leads through the same compensation as a failure.
 */
import { type Draft, moveJob } from './draft.ts';
import { pivot } from './effects.ts';
import { ended, leaveOut, turnBack } from './ends.ts';
import type { JobEvent } from './events.ts';
import { takesBack } from './recovery.ts';
import { type Refusal, refused, refuseStale } from './refusal.ts';
import { isTerminal } from './states.ts';

type CancelEvent = Extract<JobEvent, { type: 'cancel' }>;

/** Turns the job back, or says why not; null when granted. */
export function cancelJob(draft: Draft, event: CancelEvent): Refusal | null {
  const { job } = draft;
  const stale = refuseStale(job, event.expectedRevision);
  if (stale !== null) return stale;
  if (isTerminal(job.state)) return refused(`the job has ended as ${job.state}: there is nothing left to cancel`);
  if (takesBack(job)) return refused('the job takes back an effect of another one: its rollback cannot be cancelled');
  const reason = `cancel_requested: ${event.reason}`;
  const code = 'ORCH_CANCELLED';
  switch (job.state) {
    case 'PENDING':
    case 'VALIDATING':
      stopUnbegun(draft, { reason, actor: event.actor });
      return null;
    case 'COMPENSATING':
      return refused('the job is already being taken back: its rollback cannot be cancelled');
    case 'NEEDS_REVIEW':
      return refused('the job waits for an operator: resolve its open effects or close it instead');
    default:
      if (pivot(job, draft.plan) !== 'before') {
        return refused('an irreversible step has been started: the job can only go on from here');
      }
      turnBack(draft, { cause: 'cancel', code, stoppedReason: code, step: null, reason, actor: event.actor });
      return null;
  }
}

/** Nothing was called yet, so there is nothing to take back. */
export function stopUnbegun(draft: Draft, by: { readonly reason: string; readonly actor: string }): void {
  const { job } = draft;
  const code = 'ORCH_CANCELLED';
  job.stoppedReason = code;
  job.lastErrorCode = code;
  job.turnBack = { cause: 'cancel', at: draft.context.now };
  leaveOut(draft);
  moveJob(draft, 'cancel_requested', null, { ...by, errorCode: code });
  ended(draft);
}
