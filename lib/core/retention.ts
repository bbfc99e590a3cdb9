/**
 * How long a job is kept. It may be forgotten only when it has ended and everything that follows from its end is
 * published: until then it is in the watchdog's index. Its values, history and dead letter live as long as it does.
 */
import type { EpochMs } from './ids.ts';
import type { Job } from './job.ts';
import { LIMITS } from './limits.ts';
import { isTerminal } from './states.ts';

/** When the job may go; null while something can still happen to it. */
export function expiresAtOf(job: Job): EpochMs | null {
  if (!isTerminal(job.state) || job.bucket !== null) return null;
  // A child's results are read for as long as the job at its root may run.
  return Math.max(job.updatedAt, job.lineage.child?.keepUntil ?? 0) + LIMITS.jobRetentionMs;
}

/** Who did what is asked about for longer than what became of a job: a year after its retention. */
export const AUDIT_KEPT_MS = LIMITS.jobRetentionMs + 365 * 86_400_000;
