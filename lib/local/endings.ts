/**
 * Whoever waits for a job waits for its end, so only that wakes them: a wake-up at every write would make each waiter
 * read the job four times as often as there is news for it. A job also ends for waiters when it needs a person.
 */
import { jobChanges } from '../adapters/job-changes.ts';
import { isOver } from '../operations/await-end.ts';
import type { Clock, Ports } from '../ports.ts';

export function tellingEndings({ jobs }: Pick<Ports, 'jobs'>, clock: Clock): Pick<Ports, 'jobs' | 'changes'> {
  const endings = jobChanges(clock);
  return {
    changes: endings,
    jobs: {
      ...jobs,
      update: async (job, expectedRevision) => {
        const updated = await jobs.update(job, expectedRevision);
        if (updated.stored && isOver(job)) endings.notify(job.jobId);
        return updated;
      },
    },
  };
}
