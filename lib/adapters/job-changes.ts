/**
 * Who waits for a job learns of its next write at once. Stores that write in the same process as the waiters tell it;
 * a write elsewhere is not seen, so every wait also ends by time.
 */
import type { JobId } from '../core/ids.ts';
import type { Changes, Clock } from '../ports.ts';

export interface JobChanges extends Changes {
  /** To be called after each successful write. */
  notify(jobId: JobId): void;
}

export function jobChanges(clock: Clock): JobChanges {
  const waiting = new Map<JobId, Set<() => void>>();
  return {
    notify: (jobId) => {
      const waiters = waiting.get(jobId);
      if (waiters === undefined) return;
      waiting.delete(jobId);
      for (const wake of waiters) wake();
    },
    next: (jobId, withinMs) =>
      new Promise((resolve) => {
        const waiters = waiting.get(jobId) ?? new Set();
        waiting.set(jobId, waiters);
        const takeBack = clock.after(withinMs, () => {
          waiters.delete(wake);
          if (waiters.size === 0) waiting.delete(jobId);
          resolve();
        });
        const wake = () => {
          takeBack();
          resolve();
        };
        waiters.add(wake);
      }),
  };
}
