/**
 * Keeps jobs moving in one process life: first runs, queues, timers and the watchdog, all through the same two pools of
 * drivers. Forward load and recovery have a pool each, so that neither starves the other.
 * Whatever this forgets, the watchdog finds: each second it looks for jobs that are overdue.
 */
import type { DriverKind, Result } from '../core/events.ts';
import type { EpochMs, JobId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { driverKindOf } from '../core/schedule.ts';
import { failureFields } from '../http/failure-fields.ts';
import { drive } from '../operations/drive.ts';
import type { Engine } from '../operations/engine.ts';
import { sweep } from '../operations/sweep.ts';
import type { QueueName, Received } from '../ports.ts';
import { alarm } from './alarm.ts';
import { type Consumer, consumer, type WatchedQueue } from './consumer.ts';
import { driverPool, type RunEnd } from './driver-pool.ts';
import type { Functions } from './functions.ts';

export interface ConductorParts {
  readonly engine: Engine;
  readonly functions: Functions;
  readonly reader: WatchedQueue;
  readonly timers: { takeDue(now: EpochMs, max: number): Promise<number>; nextDueAt(): EpochMs | null };
  readonly purge: (now: EpochMs) => Promise<number>;
}

export interface Conductor {
  start(jobId: JobId): void;
  /** A message can be received from then on. */
  onMessage(queue: QueueName, visibleAt: EpochMs): void;
  onTimer(at: EpochMs): void;
  /** One run of the watchdog; resolves when what is overdue has been started. */
  watch(): Promise<void>;
  /** After a start: whoever held a lease is gone, so its job can go on at once. */
  recover(): Promise<void>;
  /** Once in a while: forgets what has been kept long enough. */
  tidy(): Promise<void>;
}

const QUEUES = ['dispatch', 'compensate'] as const;
const KINDS: Readonly<Record<QueueName, DriverKind>> = { dispatch: 'forward', compensate: 'recovery' };
/** More would not run faster on one core's worth of JavaScript; a driver that waits for its participant costs little. */
const DRIVERS_MAX = 256;
/** As AWS advises: six times what one run may take. */
const VISIBILITY_MS = 6 * LIMITS.dispatchTimeoutMs;
const TIMERS_AT_ONCE = 256;
const DEAD_LETTERS_AT_ONCE = 32;
/** A message that was received too often waits this long before it is tried again. */
const REDRIVE_DELAY_MS = 30_000;
/** A lease of an earlier life ends within this time, so the job it holds is filed no later. */
const LEASE_MS_MAX = LIMITS.stepTimeoutMsMax + LIMITS.leaseMarginMs;
const RECOVERED_PER_SHARD = 1_000;

export function conductor(parts: ConductorParts): Conductor {
  const { engine, functions, reader, timers } = parts;
  const { clock, jobs, queue: commands } = engine.ports;

  /** One invocation of a function; a failure is logged here and told to whoever holds the message. */
  const invoke = async (
    name: QueueName,
    jobId: JobId,
    hops: number,
    results: readonly Result[],
    crash: () => void,
  ): Promise<RunEnd> => {
    const invocation = functions.invoke(name, crash);
    const until = clock.now() + LIMITS.dispatchTimeoutMs;
    const remainingMs = (): number => Math.max(0, until - clock.now());
    try {
      await drive(invocation.engine, { jobId, kind: KINDS[name], remainingMs, hops, results });
      return 'done';
    } catch (error) {
      report(engine, `${name}_failed`, error, jobId);
      return 'failed';
    } finally {
      invocation.end();
    }
  };

  const poolOf = (name: QueueName) =>
    driverPool(DRIVERS_MAX, (jobId, hops, crash) => invoke(name, jobId, hops, [], crash));
  const pools = { dispatch: poolOf('dispatch'), compensate: poolOf('compensate') };
  const offer = (jobId: JobId, kind: DriverKind): void =>
    pools[kind === 'forward' ? 'dispatch' : 'compensate'].offer(jobId);

  /** Answers are folded in at once, beside a driver that may be at work: it is they that it waits for. */
  const fold = (name: QueueName, jobId: JobId, result: Result): Promise<RunEnd> =>
    new Promise((resolve) => {
      void invoke(name, jobId, 0, [result], () => resolve('crashed')).then(resolve);
    });
  const handle =
    (name: QueueName) =>
    ({ message }: Received): Promise<RunEnd> =>
      message.kind === 'hint'
        ? pools[name].run(message.jobId, message.hops)
        : fold(name, message.jobId, message.result);

  const consumerOf = (name: QueueName): Consumer =>
    consumer({
      queue: name,
      reader,
      clock,
      visibilityMs: VISIBILITY_MS,
      handle: handle(name),
      failed: (error) => report(engine, 'queue_failed', error, null),
    });
  const consumers = { dispatch: consumerOf('dispatch'), compensate: consumerOf('compensate') };

  const fireTimers = async (): Promise<void> => {
    while ((await timers.takeDue(clock.now(), TIMERS_AT_ONCE)) > 0);
    const next = timers.nextDueAt();
    if (next !== null) timerBell.setAt(next);
  };
  const timerBell = alarm(
    clock,
    () => void fireTimers().catch((error) => report(engine, 'timers_failed', error, null)),
  );

  /** A hint that died is a hint all the same; an answer is tried until it is folded in. */
  const redrive = async (): Promise<void> => {
    for (const name of QUEUES) {
      for (const message of await reader.takeDeadLetters(name, DEAD_LETTERS_AT_ONCE)) {
        engine.ports.log.write('warn', 'message_redriven', { queue: name, kind: message.kind, job_id: message.jobId });
        await commands.send(name, message, REDRIVE_DELAY_MS);
      }
    }
  };

  const lookAround = async (): Promise<void> => {
    const now = clock.now();
    for (const name of QUEUES) consumers[name].wakeAt(now);
    await fireTimers();
    await redrive();
  };

  return {
    start: (jobId) => pools.dispatch.offer(jobId),
    onMessage: (queue, visibleAt) => consumers[queue].wakeAt(visibleAt),
    onTimer: (at) => timerBell.setAt(at),
    watch: onePerTime(
      async (done) => {
        await lookAround();
        const watchdog = functions.invoke('watchdog', done);
        await sweep(watchdog.engine, async (jobId, kind) => offer(jobId, kind));
        watchdog.end();
      },
      (error) => report(engine, 'watchdog_failed', error, null),
    ),
    recover: async () => {
      const horizon = clock.now() + LEASE_MS_MAX;
      for (let shard = 0; shard < LIMITS.activeShards; shard += 1) {
        for (const { jobId } of await jobs.due(shard, horizon, RECOVERED_PER_SHARD)) {
          const job = await jobs.read(jobId);
          if (job !== null) offer(jobId, driverKindOf(job));
        }
      }
    },
    tidy: async () => {
      while ((await parts.purge(clock.now())) > 0);
    },
  };
}

/** Runs `work` unless it runs already; `done` ends a run that will never settle. */
function onePerTime(work: (done: () => void) => Promise<void>, failed: (error: unknown) => void): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= new Promise<void>((done) => void work(done).catch(failed).then(done)).finally(() => {
      running = null;
    });
    return running;
  };
}

export function report(engine: Engine, event: string, error: unknown, jobId: JobId | null): void {
  engine.ports.log.write('error', event, { ...(jobId === null ? {} : { job_id: jobId }), ...failureFields(error) });
}
