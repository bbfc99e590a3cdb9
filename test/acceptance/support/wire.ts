/**
 * What the HTTP API shows, as a caller reads it. Written from the contract, not imported from the product: a renamed field
 * must fail here.
 */
export type JobState =
  | 'PENDING'
  | 'VALIDATING'
  | 'PROCESSING'
  | 'RETRY_SCHEDULED'
  | 'COMPENSATING'
  | 'NEEDS_REVIEW'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLED'
  | 'DEAD_LETTERED';

export interface Undo {
  topic: string;
  status: string;
  operation_id: string;
  attempts: number;
  started_at: string | null;
  compensated_at: string | null;
  error_code: string | null;
}

export interface Step {
  step: string;
  stage: number;
  kind: string;
  topic: string;
  status: string;
  operation_id: string;
  attempts: number;
  may_have_applied: boolean;
  started_at: string | null;
  completed_at: string | null;
  next_attempt_at: string | null;
  error_code: string | null;
  output: unknown;
  compensation: Undo | null;
}

export interface OpenEffect {
  step: string;
  operation_id: string;
  state: 'applied' | 'unknown' | 'undo_failed';
  since: string;
}

export interface LoggedError {
  at: string;
  step: string;
  attempt: number;
  error_code: string;
  message: string;
  next_attempt_at?: string | null;
}

export interface HistoryEntry {
  event_id: string;
  seq: number;
  job_id: string;
  correlation_id: string;
  workflow_type: string;
  from_state: JobState | null;
  to_state: JobState;
  transition_reason: string;
  actor: string;
  occurred_at: string;
}

export interface Job {
  job_id: string;
  correlation_id: string;
  idempotency_key: string;
  caller_id: string;
  source: string;
  workflow_type: string;
  workflow_version: number;
  current_state: JobState;
  outcome: 'succeeded' | 'rolled_back' | 'partially_rolled_back' | null;
  created_at: string;
  updated_at: string;
  deadline_at: string;
  next_action_at: string | null;
  retry_count: number;
  last_error_code: string | null;
  stopped_reason: string | null;
  trace_context: { traceparent: string; tracestate?: string };
  replay_of: string | null;
  replayed_by: string[];
  input: unknown;
  output: Record<string, unknown> | null;
  steps: Step[];
  open_effects: OpenEffect[];
  error_log: LoggedError[];
  state_history: HistoryEntry[];
  revision: number;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  job_id?: string;
  errors?: { path: unknown; message: string }[];
  open_effects?: OpenEffect[];
}

export interface DeadLetter {
  dead_letter_id: string;
  job_id: string;
  correlation_id: string;
  workflow_type: string;
  final_state: JobState;
  reason: string;
  failure_error_code: string;
  retry_history: { attempt: number; at: string; error_code: string; next_attempt_at?: string | null }[];
  error_log: LoggedError[];
  state_history: HistoryEntry[];
  payload: unknown;
  quarantined_at: string;
  replay_eligible: boolean;
  status: 'open' | 'replayed' | 'discarded';
  replayed_by: string | null;
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export interface BusEvent {
  source: string;
  detail_type: string;
  detail: {
    event_id: string;
    job_id: string;
    correlation_id: string;
    workflow_type: string;
    outcome: string;
    current_state: JobState;
    output?: Record<string, unknown>;
    reason?: { error_code: string; message: string; step: string | null };
    open_effects?: OpenEffect[];
    supersedes?: string;
    traceparent: string;
  };
  time: string;
}

export interface Call {
  topic: string;
  operation_id: string;
  attempt: number;
  at: string;
  result: unknown;
}

export interface Ledger {
  records: { operation_id: string; [field: string]: unknown }[];
  calls: Call[];
}

/** The job has ended, or waits for a person: nothing more happens to it by itself. */
export const isSettled = (job: Job): boolean =>
  ['COMPLETED', 'FAILED', 'CANCELLED', 'DEAD_LETTERED', 'NEEDS_REVIEW'].includes(job.current_state);

export function stepOf(job: Job, name: string): Step {
  const found = job.steps.find((step) => step.step === name);
  if (!found) throw new Error(`job ${job.job_id} shows no step ${name}`);
  return found;
}

export function undoOf(job: Job, name: string): Undo {
  const undo = stepOf(job, name).compensation;
  if (!undo) throw new Error(`step ${name} of ${job.job_id} shows no compensation`);
  return undo;
}
