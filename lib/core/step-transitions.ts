/**
 * The life of a step as data. Event names are fine enough that (from, event) has one target, so moving a step is a
 * look-up and nothing else. Rows speak of three calls: the step's own, its query, its undo.
 */
import type { StepStatus } from './states.ts';

export type StepTrigger =
  | 'called'
  | 'wait_started'
  | 'not_callable'
  | 'left_out'
  | 'succeeded'
  | 'refused'
  | 'not_applied'
  | 'lost'
  | 'accepted'
  | 'budget_spent'
  | 'timed_out'
  | 'heartbeat_lost'
  | 'queried'
  | 'late_success'
  | 'fenced'
  | 'still_unknown'
  | 'undo_called'
  | 'undo_confirmed'
  | 'undo_refused'
  | 'undo_retried'
  | 'operator_retry_undo'
  | 'operator_resolved'
  | 'operator_resume'
  | 'new_round';

export interface StepTransition {
  readonly from: StepStatus;
  readonly on: StepTrigger;
  readonly to: StepStatus;
  readonly note?: string;
}

const row = (from: StepStatus, on: StepTrigger, to: StepStatus, note?: string): StepTransition =>
  note === undefined ? { from, on, to } : { from, on, to, note };

export const STEP_TRANSITIONS: readonly StepTransition[] = [
  row('pending', 'called', 'dispatched'),
  row('pending', 'wait_started', 'waiting', 'timer, signal, fan-out'),
  row('pending', 'not_callable', 'failed', 'mapper threw, or no route'),
  row('pending', 'left_out', 'skipped', '`when` was false, or the job turned back'),

  row('dispatched', 'succeeded', 'succeeded'),
  row('dispatched', 'refused', 'failed', 'definitive'),
  row('dispatched', 'not_applied', 'retry_scheduled', 'retryable'),
  row('dispatched', 'lost', 'unknown', 'may have applied, or the lease expired'),
  row('dispatched', 'accepted', 'waiting'),

  row('retry_scheduled', 'called', 'dispatched', 'due'),
  row('retry_scheduled', 'late_success', 'succeeded', 'an earlier attempt had worked'),
  row('retry_scheduled', 'budget_spent', 'failed', 'attempts, job budget or deadline'),
  row('retry_scheduled', 'undo_called', 'compensating', 'may have applied'),
  row('retry_scheduled', 'left_out', 'skipped', 'not applied'),

  row('waiting', 'succeeded', 'succeeded'),
  row('waiting', 'refused', 'failed'),
  row('waiting', 'not_applied', 'retry_scheduled', 'the promised result is a retryable failure'),
  row('waiting', 'timed_out', 'unknown'),
  row('waiting', 'heartbeat_lost', 'dispatched', 'called again under the same id'),
  row('waiting', 'left_out', 'skipped', 'timer or signal of a job turned back'),

  row('unknown', 'called', 'dispatched', 'retry under the same operation id'),
  row('unknown', 'queried', 'reconciling'),
  row('unknown', 'late_success', 'succeeded', 'or resolved as applied'),
  row('unknown', 'budget_spent', 'failed', 'may have applied, or resolved as not applied'),
  row('unknown', 'fenced', 'failed', 'a tombstone stands'),
  row('unknown', 'undo_called', 'compensating'),

  row('reconciling', 'succeeded', 'succeeded'),
  row('reconciling', 'late_success', 'succeeded'),
  row('reconciling', 'fenced', 'failed', 'not applied, and never will be'),
  row('reconciling', 'called', 'dispatched', 'not applied: retry under the same id'),
  row('reconciling', 'still_unknown', 'unknown'),
  row('reconciling', 'undo_called', 'compensating'),

  row('succeeded', 'undo_called', 'compensating'),
  row('failed', 'undo_called', 'compensating', 'may have applied'),
  row('skipped', 'undo_called', 'compensating', 'it had applied after all'),

  row('compensating', 'undo_confirmed', 'compensated'),
  row('compensating', 'undo_refused', 'compensation_failed', 'definitive, or attempts spent'),
  row('compensating', 'undo_retried', 'compensating'),
  row('compensation_failed', 'undo_confirmed', 'compensated', 'the undo had worked after all'),
  row('compensation_failed', 'operator_retry_undo', 'compensating'),
  row('compensation_failed', 'operator_resolved', 'compensated', 'with evidence'),
  row('compensated', 'late_success', 'compensating', 'at a participant that does not fence'),

  row('failed', 'operator_resume', 'pending'),
  row('skipped', 'operator_resume', 'pending', 'left out when the job turned back, before any undo'),
  row('succeeded', 'new_round', 'pending'),
  row('failed', 'new_round', 'pending'),
  row('skipped', 'new_round', 'pending'),
  row('compensated', 'new_round', 'pending'),
];

/** The target of an edge. Throws when the table forbids it: a breach is a bug, never a late message. */
export function stepTarget(from: StepStatus, on: StepTrigger): StepStatus {
  const found = STEP_TRANSITIONS.find((t) => t.from === from && t.on === on);
  if (found === undefined) throw new Error(`no step transition from ${from} on ${on}`);
  return found.to;
}
