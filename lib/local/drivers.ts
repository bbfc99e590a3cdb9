/**
 * The drivers of one process life: a pool for the way forward and one for recovery, so that neither starves the other.
 * Each run is one invocation of the function that would make it on AWS, with that function's time limit.
 */
import type { ChildReport, DriverKind, Result } from '../core/events.ts';
import { type JobId, laneOf } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import { drive } from '../operations/drive.ts';
import type { Engine } from '../operations/engine.ts';
import { type QueueName, queueOf, type Received } from '../ports.ts';
import type { CallSlots } from './call-slots.ts';
import { driverPool, type RunEnd } from './driver-pool.ts';
import type { Functions } from './functions.ts';
import { report } from './report.ts';
import { reportsFor } from './reports.ts';

export interface Drivers {
  /** A hint that nobody keeps: the watchdog makes up for it. */
  offer(job: Pick<Job, 'jobId' | 'callerId'>, kind: DriverKind): void;
  /** Waits for its turn already. */
  isWaiting(jobId: JobId): boolean;
  /** What a parent is to hear. */
  report(parent: JobId, report: ChildReport): void;
  /** What a message asks for. */
  handle(queue: QueueName, received: Received): Promise<RunEnd>;
}

const KINDS: Readonly<Record<QueueName, DriverKind>> = { dispatch: 'forward', compensate: 'recovery' };
/**
 * A driver that waits for its participant costs little; this many keep one core's worth of JavaScript busy even where
 * participants take half a second. One caller alone gets three quarters of them.
 */
const DRIVERS_MAX = 512;

/** What a run is given to fold in first. */
interface Brought {
  readonly results?: readonly Result[];
  readonly reports?: readonly ChildReport[];
}

export function drivers(engine: Engine, functions: Functions, slots: CallSlots): Drivers {
  const { clock } = engine.ports;

  const invoke = async (
    name: QueueName,
    jobId: JobId,
    hops: number,
    brought: Brought,
    crash: () => void,
  ): Promise<RunEnd> => {
    const invocation = functions.invoke(name, crash);
    const until = clock.now() + LIMITS.dispatchTimeoutMs;
    const remainingMs = (): number => Math.max(0, until - clock.now());
    try {
      await drive(invocation.engine, { jobId, kind: KINDS[name], remainingMs, hops, ...brought });
      return 'done';
    } catch (error) {
      report(engine, `${name}_failed`, error, jobId);
      return 'failed';
    } finally {
      invocation.end();
    }
  };
  const poolOf = (name: QueueName) =>
    driverPool(DRIVERS_MAX, (jobId, hops, crash) => invoke(name, jobId, hops, {}, crash));
  const pools = { dispatch: poolOf('dispatch'), compensate: poolOf('compensate') };

  /** Answers are folded in at once, beside a driver that may be at work: it may be they that it waits for. */
  const fold = (name: QueueName, jobId: JobId, brought: Brought): Promise<RunEnd> =>
    new Promise((resolve) => {
      void invoke(name, jobId, 0, brought, () => resolve('crashed')).then(resolve);
    });

  const offer = ({ jobId, callerId }: Pick<Job, 'jobId' | 'callerId'>, kind: DriverKind): void =>
    pools[queueOf(kind)].offer({ jobId, hops: 0, lane: laneOf(callerId) });
  slots.onTurn(offer);
  return {
    offer,
    isWaiting: (jobId) =>
      slots.isWaiting(jobId) || pools.dispatch.isWaiting(jobId) || pools.compensate.isWaiting(jobId),
    report: reportsFor(clock, (parent, reports) => fold('dispatch', parent, { reports })),
    handle: async (queue, { message }) => {
      if (message.kind === 'result') return fold(queue, message.jobId, { results: [message.result] });
      if (message.kind === 'reports') return fold(queue, message.jobId, { reports: message.reports });
      // Nobody keeps a hint: it waits in its caller's lane, not in the way of messages behind it.
      const { jobId, hops, lane = jobId } = message;
      pools[queue].offer({ jobId, hops, lane });
      return 'done';
    },
  };
}
