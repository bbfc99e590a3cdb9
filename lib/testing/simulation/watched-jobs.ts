/** The job store of a world, which tells of every write that took place, and of no other. */
import type { Job } from '../../core/job.ts';
import { isUnpublished } from '../../core/schedule.ts';
import { isTerminal } from '../../core/states.ts';
import type { JobStore } from '../../ports.ts';

export interface WatchedJobs {
  readonly store: JobStore;
  readonly jobs: ReadonlyMap<string, Job>;
  /** How many jobs would still do something by themselves, or have something to tell. */
  restless(): number;
}

type OnChange = (before: Job | null, after: Job) => void;

/** What is known of all jobs from their writes, told one by one in the order in which they took place. */
export interface JobWatch {
  readonly jobs: ReadonlyMap<string, Job>;
  restless(): number;
  took(before: Job | null, after: Job): void;
}

export function jobWatch(onChange: OnChange): JobWatch {
  const jobs = new Map<string, Job>();
  const restless = new Set<string>();
  return {
    jobs,
    restless: () => restless.size,
    took: (before, after) => {
      jobs.set(after.jobId, after);
      const stopped = isTerminal(after.state) || after.state === 'NEEDS_REVIEW';
      if (stopped && !isUnpublished(after)) restless.delete(after.jobId);
      else restless.add(after.jobId);
      onChange(before, after);
    },
  };
}

export function watchedJobs(store: JobStore, onChange: OnChange): WatchedJobs {
  const { jobs, restless, took } = jobWatch(onChange);
  return {
    jobs,
    restless,
    store: {
      ...store,
      create: async (job) => {
        const isNew = !jobs.has(job.jobId);
        const answer = await store.create(job);
        if (isNew) took(null, job);
        return answer;
      },
      update: async (job, expectedRevision) => {
        const before = jobs.get(job.jobId);
        const answer = await store.update(job, expectedRevision);
        if (before?.revision === expectedRevision) took(before, job);
        return answer;
      },
    },
  };
}
