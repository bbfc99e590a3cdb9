/**
 * Reading, as a viewer may: submitters see their own jobs, operators all. What is not theirs is not there.
 */
import type { JobId } from '../core/ids.ts';
import type { HistoryEntry, Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import type { DeadLetter, DeadLetterQuery, JobQuery, ListPosition, Page } from '../ports.ts';
import type { Engine } from './engine.ts';
import { findDeadLetter } from './quarantine.ts';
import { loadValues, loadWithin } from './values.ts';
import { wholeHistory } from './whole-history.ts';

export interface Viewer {
  readonly callerId: string;
  readonly role: 'operator' | 'submitter';
}

function sees(viewer: Viewer, owner: string): boolean {
  return viewer.role === 'operator' || viewer.callerId === owner;
}

/** null: the viewer sees every caller's. */
function scopeOf(viewer: Viewer): string | null {
  return viewer.role === 'operator' ? null : viewer.callerId;
}

/** The job with its values; null when there is none for this viewer. */
export async function readJob(engine: Engine, viewer: Viewer, jobId: JobId): Promise<Job | null> {
  const job = await engine.ports.jobs.read(jobId);
  return job !== null && sees(viewer, job.callerId) ? loadValues(engine.ports, job) : null;
}

/** Every entry, oldest first. The item is read before the chunks, so an entry on its way between them is not missed. */
export async function readHistory(
  engine: Engine,
  viewer: Viewer,
  jobId: JobId,
): Promise<{ readonly job: Job; readonly entries: readonly HistoryEntry[] } | null> {
  const job = await engine.ports.jobs.read(jobId);
  if (job === null || !sees(viewer, job.callerId)) return null;
  return { job, entries: await wholeHistory(engine, job) };
}

/** Documents that would not fit the page are left out of it: by its id a job is shown whole. */
export async function listJobs(
  engine: Engine,
  viewer: Viewer,
  query: Omit<JobQuery, 'callerId'>,
): Promise<Page<Job, ListPosition>> {
  const page = await engine.ports.jobs.list({ ...query, callerId: scopeOf(viewer) });
  return { ...page, items: await loadWithin(engine.ports, page.items, LIMITS.listValueBytesMax) };
}

export async function readDeadLetter(engine: Engine, viewer: Viewer, id: string): Promise<DeadLetter | null> {
  const record = await findDeadLetter(engine, id);
  return record !== null && sees(viewer, record.callerId) ? record : null;
}

export function listDeadLetters(
  engine: Engine,
  viewer: Viewer,
  query: Omit<DeadLetterQuery, 'callerId'>,
): Promise<Page<DeadLetter, ListPosition>> {
  return engine.ports.deadLetters.list({ ...query, callerId: scopeOf(viewer) });
}
