/**
 * The job's state machine as the contract prints it, written down a second time on purpose: a change of the product's own
 * table must show up as a difference from this one.
 */
import type { JobState } from './wire.ts';

const NEXT: Record<JobState, readonly JobState[]> = {
  PENDING: ['VALIDATING', 'CANCELLED'],
  VALIDATING: ['PROCESSING', 'FAILED', 'CANCELLED'],
  PROCESSING: ['COMPLETED', 'RETRY_SCHEDULED', 'COMPENSATING', 'FAILED', 'CANCELLED', 'NEEDS_REVIEW'],
  RETRY_SCHEDULED: ['PROCESSING', 'COMPENSATING', 'FAILED', 'CANCELLED', 'NEEDS_REVIEW'],
  COMPENSATING: ['FAILED', 'CANCELLED', 'RETRY_SCHEDULED', 'NEEDS_REVIEW'],
  NEEDS_REVIEW: ['PROCESSING', 'COMPENSATING', 'FAILED', 'CANCELLED', 'DEAD_LETTERED'],
  FAILED: ['DEAD_LETTERED'],
  COMPLETED: [],
  CANCELLED: [],
  DEAD_LETTERED: [],
};

interface Edge {
  from_state: JobState | null;
  to_state: JobState;
  actor: string;
  transition_reason: string;
}

/** News about a wait, which moves nothing. */
const NEWS = /^(approval_requested|approval_reminder|approval_decided|signal )/;

export function isAllowed({ from_state, to_state, actor, transition_reason }: Edge): boolean {
  if (from_state === null) return to_state === 'PENDING';
  if (NEXT[from_state].includes(to_state)) return true;
  if (from_state === to_state && NEWS.test(transition_reason)) return true;
  // What an operator did without moving the job, and a force-close, which goes through NEEDS_REVIEW from any live state.
  const byOperator = actor.startsWith('operator:');
  return byOperator && (from_state === to_state || (to_state === 'NEEDS_REVIEW' && NEXT[from_state].length > 1));
}
