/**
 * Waits with a caller for a job's end: until it is over, until a person is needed, or until the time is up.
 */
import type { JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { isTerminal } from '../core/states.ts';
import type { Engine } from './engine.ts';
import { loadValues } from './values.ts';

/** Where nothing tells of changes the job is looked at again: soon at first, then less often. */
const POLL_MS = [100, 200, 300, 500] as const;

export function isOver(job: Job): boolean {
  return isTerminal(job.state) || job.state === 'NEEDS_REVIEW';
}

/** @returns the job as it is then, values loaded */
export async function awaitEnd(engine: Engine, jobId: JobId, waitMs: number): Promise<Job> {
  const { jobs, clock, changes } = engine.ports;
  const until = clock.now() + waitMs;
  for (let polls = 0; ; polls += 1) {
    const job = await jobs.read(jobId);
    if (job === null) throw new Error(`job ${jobId} was there and is gone`);
    const leftMs = until - clock.now();
    if (isOver(job) || leftMs <= 0) return loadValues(engine.ports, job);
    await changes.next(jobId, Math.min(leftMs, POLL_MS[polls] ?? 500));
  }
}
