/**
 * Runs the drivers of one kind, a bounded number at a time and one a job: hints for a job whose run has not begun fall
 * together, and one that comes during a run makes it run once more, since that run may have looked already.
 * Only hints wait here. They may be lost with the process: every job carries the time at which it is looked at anyway.
 */
import type { JobId } from '../core/ids.ts';
import { slots } from './slots.ts';

/** `crashed`: an armed fault killed the run. After that, as after a failure, its message must come again. */
export type RunEnd = 'done' | 'failed' | 'crashed';

/** Makes one run; `crash` is to be called if a fault kills it, since it then never settles. */
export type Drive = (jobId: JobId, hops: number, crash: () => void) => Promise<RunEnd>;

export interface DriverPool {
  /** Resolves when a run that began after this call has ended. */
  run(jobId: JobId, hops: number): Promise<RunEnd>;
  /** The same for a hint nobody keeps: dropped when too many wait already. */
  offer(jobId: JobId): void;
}

interface Run {
  begun: boolean;
  readonly end: Promise<RunEnd>;
  again: Promise<RunEnd> | null;
}

/** Beyond this many, memory is better spent on the jobs that run; the watchdog finds the others. */
const WAITING_MAX = 10_000;

export function driverPool(size: number, drive: Drive): DriverPool {
  const places = slots(size);
  const runs = new Map<JobId, Run>();

  const begin = (jobId: JobId, hops: number): Promise<RunEnd> => {
    const { promise, resolve } = Promise.withResolvers<RunEnd>();
    const run: Run = { begun: false, end: promise, again: null };
    runs.set(jobId, run);
    const finish = (end: RunEnd): void => {
      if (runs.get(jobId) !== run) return;
      runs.delete(jobId);
      places.give();
      resolve(end);
    };
    void places.take().then(async () => {
      run.begun = true;
      finish(await drive(jobId, hops, () => finish('crashed')));
    });
    return promise;
  };

  const run = (jobId: JobId, hops: number): Promise<RunEnd> => {
    const current = runs.get(jobId);
    if (current === undefined) return begin(jobId, hops);
    if (!current.begun) return current.end;
    current.again ??= current.end.then(() => run(jobId, hops));
    return current.again;
  };

  return {
    run,
    offer: (jobId) => {
      if (places.waiting < WAITING_MAX) void run(jobId, 0);
    },
  };
}
