/** A job's entries from the first: the newest are in the job itself, earlier ones in chunks stored apart. */
import type { HistoryEntry, Job } from '../core/job.ts';
import type { Engine } from './engine.ts';

/** The chunks are read only when some entries were moved out. */
export async function wholeHistory(engine: Engine, job: Job): Promise<readonly HistoryEntry[]> {
  const first = job.history[0]?.seq ?? 0;
  if (first === 0) return job.history;
  const earlier = await engine.ports.jobs.readHistoryChunks(job.jobId);
  return [...earlier.filter((entry) => entry.seq < first), ...job.history];
}
