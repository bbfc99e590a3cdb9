/**
 * The words for where a job and a step can stand, and which of them are ends.
 * They cross every boundary unchanged: store, HTTP, events.
 */
export const JOB_STATES = [
  'PENDING',
  'VALIDATING',
  'PROCESSING',
  'RETRY_SCHEDULED',
  'COMPENSATING',
  'NEEDS_REVIEW',
  'COMPLETED',
  'CANCELLED',
  'FAILED',
  'DEAD_LETTERED',
] as const;
export type JobState = (typeof JOB_STATES)[number];

export const STEP_STATUSES = [
  'pending',
  'skipped',
  'dispatched',
  'retry_scheduled',
  'waiting',
  'unknown',
  'reconciling',
  'succeeded',
  'failed',
  'compensating',
  'compensated',
  'compensation_failed',
] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export const OUTCOMES = ['succeeded', 'rolled_back', 'partially_rolled_back'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** `FAILED` is an end for everybody: when a job is quarantined, both entries are one write and nobody reads between. */
const TERMINAL: ReadonlySet<JobState> = new Set(['COMPLETED', 'CANCELLED', 'FAILED', 'DEAD_LETTERED']);

export function isTerminal(state: JobState): boolean {
  return TERMINAL.has(state);
}
