/**
 * Runs the drivers of one kind, a bounded number at a time and one a job; those of different callers take turns, in lanes.
 * Hints for a job whose run has not begun fall together, and one that comes during a run makes it run once more, since that run may have looked already.
 * Only hints wait here. They may be lost with the process: every job carries the time at which it is looked at anyway.
 */
import type { JobId } from '../core/ids.ts';
import { LEAVES_A_QUARTER, lanes } from './lanes.ts';

/** `crashed`: an armed fault killed the run. After that, as after a failure, its message must come again. */
export type RunEnd = 'done' | 'failed' | 'crashed';

/** Makes one run; `crash` is to be called if a fault kills it, since it then never settles. */
export type Drive = (jobId: JobId, hops: number, crash: () => void) => Promise<RunEnd>;

/** What a hint says. */
export interface Wanted {
  readonly jobId: JobId;
  readonly hops: number;
  readonly lane: string;
}

export interface DriverPool {
  /** Resolves when a run that began after this call has ended. */
  run(wanted: Wanted): Promise<RunEnd>;
  /** The same for a hint nobody keeps: dropped when too many of its lane wait already. */
  offer(wanted: Wanted): void;
  /** A run of this job waits for its place: another hint would change nothing. */
  isWaiting(jobId: JobId): boolean;
}

interface Run {
  begun: boolean;
  readonly end: Promise<RunEnd>;
  again: Promise<RunEnd> | null;
}

/** Of one lane; beyond this many, memory is better spent on the jobs that run; the watchdog finds the others. */
const WAITING_MAX = 10_000;

export function driverPool(size: number, drive: Drive): DriverPool {
  const places = lanes(size, { share: LEAVES_A_QUARTER });
  const runs = new Map<JobId, Run>();

  const begin = ({ jobId, hops, lane }: Wanted): Promise<RunEnd> => {
    const { promise, resolve } = Promise.withResolvers<RunEnd>();
    const run: Run = { begun: false, end: promise, again: null };
    runs.set(jobId, run);
    const finish = (end: RunEnd): void => {
      if (runs.get(jobId) !== run) return;
      runs.delete(jobId);
      places.give(lane);
      resolve(end);
    };
    const start = async (): Promise<void> => {
      run.begun = true;
      finish(await drive(jobId, hops, () => finish('crashed')));
    };
    // Not within the call that offered it: what comes at once for the same job falls together with it.
    places.take(lane, () => queueMicrotask(() => void start()));
    return promise;
  };

  const run = (wanted: Wanted): Promise<RunEnd> => {
    const current = runs.get(wanted.jobId);
    if (current === undefined) return begin(wanted);
    if (!current.begun) return current.end;
    current.again ??= current.end.then(() => run(wanted));
    return current.again;
  };

  return {
    run,
    offer: (wanted) => {
      if (places.waiting(wanted.lane) < WAITING_MAX) void run(wanted);
    },
    isWaiting: (jobId) => runs.get(jobId)?.begun === false,
  };
}
