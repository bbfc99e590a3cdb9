/**
 * The life of a job as data: from, event, guard, to. `decide` chooses the event and the guard; this table alone
 * says whether that edge exists and where it leads. No row leaves a terminal state, except that a failed job may be
 * quarantined in the same write.
 */
import type { JobState } from './states.ts';

export type JobTrigger =
  | 'submitted'
  | 'dispatched'
  | 'accepted'
  | 'rejected'
  | 'all_steps_settled'
  | 'retry_later'
  | 'due'
  | 'step_failed'
  | 'deadline_exceeded'
  | 'cancel_requested'
  | 'undecidable'
  | 'all_undone'
  | 'undo_failed'
  | 'effect_unknown'
  | 'review_reminder'
  | 'late_success'
  | 'signal_received'
  | 'approval_requested'
  | 'approval_reminder'
  | 'approval_decided'
  | 'quarantined'
  | 'operator_resume'
  | 'operator_retry_compensation'
  | 'operator_resolve'
  | 'operator_close'
  | 'operator_force_close'
  | 'operator_migrate';

export type JobGuard =
  | 'effects_to_undo'
  | 'no_effects'
  | 'after_failure'
  | 'after_cancel'
  | 'saga_retry_left'
  | 'undo_started'
  | 'no_undo_started'
  | 'nothing_unknown'
  | 'nothing_open'
  | 'policy_says_so';

export interface JobTransition {
  readonly from: JobState | null;
  readonly on: JobTrigger;
  readonly guard: JobGuard | null;
  readonly to: JobState;
}

const row = (from: JobState | null, on: JobTrigger, guard: JobGuard | null, to: JobState): JobTransition => ({
  from,
  on,
  guard,
  to,
});

/** What stops a job on its way forward: same three causes in `PROCESSING` and in `RETRY_SCHEDULED`. */
const turningBack = (from: JobState): JobTransition[] => [
  row(from, 'step_failed', 'effects_to_undo', 'COMPENSATING'),
  row(from, 'step_failed', 'no_effects', 'FAILED'),
  row(from, 'deadline_exceeded', 'effects_to_undo', 'COMPENSATING'),
  row(from, 'deadline_exceeded', 'no_effects', 'FAILED'),
  row(from, 'cancel_requested', 'effects_to_undo', 'COMPENSATING'),
  row(from, 'cancel_requested', 'no_effects', 'CANCELLED'),
  row(from, 'undecidable', null, 'NEEDS_REVIEW'),
];

/** Another version of the definition takes over; where the job stands does not change. */
const migrating = (state: JobState): JobTransition => row(state, 'operator_migrate', null, state);

const forceClosing = (from: JobState): JobTransition => row(from, 'operator_force_close', null, 'NEEDS_REVIEW');

/** News about a wait: told and listed, nothing moves. */
const staying = (on: JobTrigger, ...states: readonly JobState[]): JobTransition[] =>
  states.map((state) => row(state, on, null, state));

export const JOB_TRANSITIONS: readonly JobTransition[] = [
  row(null, 'submitted', null, 'PENDING'),
  row('PENDING', 'dispatched', null, 'VALIDATING'),
  row('PENDING', 'cancel_requested', null, 'CANCELLED'),
  row('VALIDATING', 'accepted', null, 'PROCESSING'),
  row('VALIDATING', 'rejected', null, 'FAILED'),
  row('VALIDATING', 'cancel_requested', null, 'CANCELLED'),
  row('PROCESSING', 'all_steps_settled', null, 'COMPLETED'),
  row('PROCESSING', 'retry_later', null, 'RETRY_SCHEDULED'),
  ...turningBack('PROCESSING'),
  row('RETRY_SCHEDULED', 'due', null, 'PROCESSING'),
  ...turningBack('RETRY_SCHEDULED'),
  row('COMPENSATING', 'all_undone', 'after_failure', 'FAILED'),
  row('COMPENSATING', 'all_undone', 'after_cancel', 'CANCELLED'),
  row('COMPENSATING', 'all_undone', 'saga_retry_left', 'RETRY_SCHEDULED'),
  row('COMPENSATING', 'undo_failed', null, 'NEEDS_REVIEW'),
  row('COMPENSATING', 'effect_unknown', null, 'NEEDS_REVIEW'),
  row('NEEDS_REVIEW', 'review_reminder', null, 'NEEDS_REVIEW'),
  row('NEEDS_REVIEW', 'operator_resume', 'nothing_unknown', 'PROCESSING'),
  row('NEEDS_REVIEW', 'operator_retry_compensation', null, 'COMPENSATING'),
  row('NEEDS_REVIEW', 'operator_resolve', 'undo_started', 'COMPENSATING'),
  row('NEEDS_REVIEW', 'operator_resolve', 'no_undo_started', 'NEEDS_REVIEW'),
  row('NEEDS_REVIEW', 'operator_close', 'after_failure', 'FAILED'),
  row('NEEDS_REVIEW', 'operator_close', 'after_cancel', 'CANCELLED'),
  row('NEEDS_REVIEW', 'operator_force_close', null, 'DEAD_LETTERED'),
  forceClosing('PENDING'),
  forceClosing('VALIDATING'),
  forceClosing('PROCESSING'),
  forceClosing('RETRY_SCHEDULED'),
  forceClosing('COMPENSATING'),
  migrating('PENDING'),
  migrating('VALIDATING'),
  migrating('PROCESSING'),
  migrating('RETRY_SCHEDULED'),
  migrating('COMPENSATING'),
  migrating('NEEDS_REVIEW'),
  row('FAILED', 'quarantined', 'policy_says_so', 'DEAD_LETTERED'),
  ...staying('signal_received', 'PENDING', 'VALIDATING', 'PROCESSING', 'RETRY_SCHEDULED', 'NEEDS_REVIEW'),
  ...staying('approval_requested', 'PROCESSING'),
  ...staying('approval_reminder', 'PROCESSING'),
  ...staying('approval_decided', 'PROCESSING', 'RETRY_SCHEDULED', 'NEEDS_REVIEW'),
  // News about an effect after the job stopped: told and listed, nothing moves.
  row('NEEDS_REVIEW', 'late_success', null, 'NEEDS_REVIEW'),
  row('COMPLETED', 'late_success', null, 'COMPLETED'),
  row('FAILED', 'late_success', null, 'FAILED'),
  row('CANCELLED', 'late_success', null, 'CANCELLED'),
  row('DEAD_LETTERED', 'late_success', null, 'DEAD_LETTERED'),
];

/** The target of an edge. Throws when the table forbids it: a breach is a bug, never a late message. */
export function jobTarget(from: JobState | null, on: JobTrigger, guard: JobGuard | null): JobState {
  const found = JOB_TRANSITIONS.find((t) => t.from === from && t.on === on && t.guard === guard);
  if (found === undefined) {
    throw new Error(`no job transition from ${from ?? 'nothing'} on ${on}${guard === null ? '' : ` [${guard}]`}`);
  }
  return found.to;
}
