/**
 * Keeps jobs moving in one process life: first runs, queues, timers and the watchdog, all through the same drivers.
 * Whatever is forgotten on the way, the watchdog finds: each second it looks for jobs that are overdue.
 */
import type { ChildReport } from '../core/events.ts';
import type { EpochMs, JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import { driverKindOf } from '../core/schedule.ts';
import type { Engine } from '../operations/engine.ts';
import type { DueJob, DuePosition, Page, QueueName } from '../ports.ts';
import { alarm } from './alarm.ts';
import type { CallSlots } from './call-slots.ts';
import { consumer, type WatchedQueue } from './consumer.ts';
import { type Drivers, drivers } from './drivers.ts';
import type { Functions } from './functions.ts';
import { report } from './report.ts';
import { QUEUES, redrive, watchdog } from './watchdog.ts';

export interface WatchedTimers {
  takeDue(now: EpochMs, max: number): Promise<number>;
  nextDueAt(): EpochMs | null;
}

export interface ConductorParts {
  readonly engine: Engine;
  readonly functions: Functions;
  readonly slots: CallSlots;
  readonly reader: WatchedQueue;
  readonly timers: WatchedTimers;
}

export interface Conductor {
  /** The first run of a job that was just stored. */
  start(job: Pick<Job, 'jobId' | 'callerId'>): void;
  /** A child of this parent has ended. */
  report(parent: JobId, report: ChildReport): void;
  /** A message can be received from then on. */
  onMessage(queue: QueueName, visibleAt: EpochMs): void;
  onTimer(at: EpochMs): void;
  /** Looks everywhere for what is due; resolves when all of it has been started. */
  lookAround(): Promise<void>;
  /** After a start: whoever held a lease is gone, so its job can go on at once. */
  recover(): Promise<void>;
}

/** As AWS advises: six times what one run may take. */
const VISIBILITY_MS = 6 * LIMITS.dispatchTimeoutMs;
const TIMERS_AT_ONCE = 256;
/** A lease of an earlier life ends within this time, so the job that it holds is filed no later. */
const LEASE_MS_MAX = LIMITS.stepTimeoutMsMax + LIMITS.leaseMarginMs;

export function conductor({ engine, functions, slots, reader, timers }: ConductorParts): Conductor {
  const { clock } = engine.ports;
  const crew = drivers(engine, functions, slots);
  const failed = (event: string) => (error: unknown) => report(engine, event, error);
  const consumerOf = (queue: QueueName) =>
    consumer({
      queue,
      reader,
      clock,
      visibilityMs: VISIBILITY_MS,
      handle: (received) => crew.handle(queue, received),
      failed: failed('queue_failed'),
    });
  const consumers = { dispatch: consumerOf('dispatch'), compensate: consumerOf('compensate') };
  const watch = watchdog(functions, crew, failed('watchdog_failed'));

  const fireTimers = async (): Promise<void> => {
    while ((await timers.takeDue(clock.now(), TIMERS_AT_ONCE)) > 0);
    const next = timers.nextDueAt();
    if (next !== null) timerBell.setAt(next);
  };
  const timerBell = alarm(clock, () => void fireTimers().catch(failed('timers_failed')));

  return {
    start: (job) => crew.offer(job, 'forward'),
    report: crew.report,
    onMessage: (queue, visibleAt) => consumers[queue].wakeAt(visibleAt),
    onTimer: (at) => timerBell.setAt(at),
    lookAround: async () => {
      for (const queue of QUEUES) consumers[queue].wakeAt(clock.now());
      await fireTimers().catch(failed('timers_failed'));
      await redrive(engine, reader).catch(failed('redrive_failed'));
      await watch();
    },
    recover: () => recover(engine, crew),
  };
}

async function recover({ ports }: Engine, crew: Drivers): Promise<void> {
  const horizon = ports.clock.now() + LEASE_MS_MAX;
  for (let shard = 0; shard < LIMITS.activeShards; shard += 1) {
    let after: DuePosition | null = null;
    do {
      const page: Page<DueJob, DuePosition> = await ports.jobs.due({
        shard,
        now: horizon,
        limit: LIMITS.sweepPage,
        after,
      });
      for (const { jobId } of page.items) {
        const job = await ports.jobs.read(jobId);
        if (job !== null) crew.offer(job, driverKindOf(job));
      }
      after = page.next;
    } while (after !== null);
  }
}
