/**
 * Waits with a caller for a job's end: until it is over, until a person is needed, or until the time is up.
 */
import { passOf } from '../core/dependency.ts';
import { dependencyOf } from '../core/gates.ts';
import type { JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import { isTerminal } from '../core/states.ts';
import type { Engine } from './engine.ts';
import { loadValues } from './values.ts';

/** Where nothing tells of changes the job is looked at again: soon at first, then less often. */
const POLL_MS = [100, 200, 300, 500] as const;

export function isOver(job: Job): boolean {
  return isTerminal(job.state) || job.state === 'NEEDS_REVIEW';
}

/**
 * In how many seconds to ask again about a job that waits for a dependency which nothing stands in for; null when it
 * waits for nothing of the kind. A pause is no answer: whoever paused it decides when it goes on.
 */
export function unavailableFor({ gates, ports }: Engine, { state, parkedOn, jobId }: Job): number | null {
  const id = state === 'RETRY_SCHEDULED' && parkedOn !== null ? dependencyOf(parkedOn) : null;
  const record = id === null ? undefined : gates?.find(id);
  const now = ports.clock.now();
  if (record === undefined || passOf(record, jobId, now).pass !== 'held') return null;
  const { probeAt, holderUntil } = record.breaker;
  const until =
    probeAt ??
    (holderUntil === null ? now + LIMITS.breakerCooldownMs : Math.min(holderUntil, now + LIMITS.breakerCooldownMs));
  return Math.max(1, Math.ceil((until - now) / 1_000));
}

/** @returns the job as it is then, values loaded */
export async function awaitEnd(engine: Engine, jobId: JobId, waitMs: number): Promise<Job> {
  const { jobs, clock, changes } = engine.ports;
  const until = clock.now() + waitMs;
  for (let polls = 0; ; polls += 1) {
    const job = await jobs.read(jobId);
    if (job === null) throw new Error(`job ${jobId} was there and is gone`);
    const leftMs = until - clock.now();
    if (job.parkedOn !== null) await engine.gates?.refresh();
    if (isOver(job) || leftMs <= 0 || unavailableFor(engine, job) !== null) return loadValues(engine.ports, job);
    await changes.next(jobId, Math.min(leftMs, POLL_MS[polls] ?? 500));
  }
}
