/**
 * The dead letter of a job by its id. The record follows from the job's history, so it is there as soon as the job says
 * so: whoever looks before it was published finds the same one that will be.
 */
import { deadLetterOf } from '../contract/wire-quarantine.ts';
import { deadLetterIdOf, isJobId, type JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { consequencesOf } from '../core/outbox.ts';
import type { DeadLetter } from '../ports.ts';
import { type Engine, planFor } from './engine.ts';
import { loadValues } from './values.ts';
import { wholeHistory } from './whole-history.ts';

export async function findDeadLetter(engine: Engine, deadLetterId: string): Promise<DeadLetter | null> {
  const stored = await engine.ports.deadLetters.get(deadLetterId);
  if (stored !== null) return stored;
  const job = await quarantinedJob(engine, deadLetterId);
  return job === null ? null : deadLetterOfJob(engine, job);
}

/** The job that the id is made from, whether it is quarantined or not; null when there is none. */
export async function quarantinedJob(engine: Engine, deadLetterId: string): Promise<Job | null> {
  const jobId = jobIdIn(deadLetterId);
  return jobId === null ? null : engine.ports.jobs.read(jobId);
}

/** The record as the job is now; null when the job was never quarantined. */
export async function deadLetterOfJob(engine: Engine, job: Job): Promise<DeadLetter | null> {
  const history = await wholeHistory(engine, job);
  const due = consequencesOf(job, history, -1).findLast((one) => one.record);
  if (due === undefined) return null;
  // A payload that is gone keeps nobody from reading the record.
  const loaded = await loadValues(engine.ports, job).catch(() => job);
  return deadLetterOf(loaded, planFor(engine.plans, job), history, due.entry);
}

export function jobIdIn(deadLetterId: string): JobId | null {
  const jobId = deadLetterId.slice(1);
  return isJobId(jobId) && deadLetterIdOf(jobId) === deadLetterId ? jobId : null;
}
