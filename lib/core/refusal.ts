/** What a person asked for and the job does not allow now: nothing changes, and the answer says what to do instead. */
import type { Decision } from './events.ts';
import type { Job } from './job.ts';

export type Refusal = Extract<Decision, { status: 'refused' }>;

export function refused(detail: string): Refusal {
  return { status: 'refused', code: 'ORCH_INVALID_STATE_TRANSITION', detail };
}

/** A person decides on what they saw: when the job has moved since, they look again first. */
export function refuseStale(job: Job, expectedRevision: number | null): Refusal | null {
  if (expectedRevision === null || expectedRevision === job.revision) return null;
  return refused(`the job is at revision ${job.revision}, not ${expectedRevision}: read it again, then decide`);
}
