/**
 * Places for calls in this process: each dependency has so many at once, and begins so many a second. Jobs that find
 * none wait in the lane of their caller, hold no driver meanwhile, and are sent one when it is their turn. Nothing of it is
 * stored: every waiting job is due anyway, so after a restart all of them simply ask again.
 */
import type { Call, DriverKind } from '../core/events.ts';
import type { Full } from '../core/gates.ts';
import { type JobId, laneOf } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import type { CallLimits } from '../operations/call-limits.ts';
import type { Clock } from '../ports.ts';
import { type Lanes, lanes } from './lanes.ts';

export interface Bounds {
  readonly maxConcurrent?: number | undefined;
  readonly maxPerSecond?: number | undefined;
}

export interface CallSlots extends CallLimits {
  /** Waits for a place already: a hint would change nothing. */
  isWaiting(jobId: JobId): boolean;
  /** Who sends drivers; before it is said, nobody is waited for. */
  onTurn(send: (job: Job, kind: DriverKind) => void): void;
}

/** A place that was called out and not taken: its job has ended otherwise, or its driver has been dropped. */
const CALLED_MS = 5_000;
/** Clocks and loops are not exact: a tenth of a second that was not used may be made up for. */
const BURST_MS = 100;
const SOMEBODY_COMES: Full = { until: null };

/** A place that somebody has, until it is given back or its time is over. */
interface Kept {
  giveBack(): void;
  /** Another has it from now on. */
  handOn(): void;
}

export function callSlots(clock: Clock, boundsOf: (target: string) => Bounds): CallSlots {
  const byTarget = new Map<string, Lanes>();
  /** Of calls that are out, by operation and attempt. */
  const held = new Map<string, Kept>();
  /** For jobs that a driver is on its way to. */
  const called = new Map<string, Kept>();
  const waiting = new Set<JobId>();
  let send: (job: Job, kind: DriverKind) => void = () => {};

  const placesOf = (target: string): Lanes => {
    const known = byTarget.get(target);
    if (known !== undefined) return known;
    const { maxConcurrent = LIMITS.callsAtOnceEmbedded, maxPerSecond } = boundsOf(target);
    const pass = maxPerSecond === undefined ? {} : { pass: paced(clock, maxPerSecond, () => places.admit()) };
    const places: Lanes = lanes(maxConcurrent, pass);
    byTarget.set(target, places);
    return places;
  };
  const keep = (among: Map<string, Kept>, key: string, ms: number, giveBack: () => void): void => {
    const handOn = (): void => {
      stop();
      among.delete(key);
    };
    const kept = {
      handOn,
      giveBack: () => {
        handOn();
        giveBack();
      },
    };
    const stop = clock.after(ms, kept.giveBack);
    among.set(key, kept);
  };

  return {
    take: ({ jobId, callerId }, call) => {
      const lane = laneOf(callerId);
      const places = placesOf(call.target);
      const kept = called.get(`${jobId} ${call.target}`);
      if (kept === undefined && !places.takeNow(lane)) return SOMEBODY_COMES;
      kept?.handOn();
      keep(held, keyOf(call), call.timeoutMs + LIMITS.leaseMarginMs, () => places.give(lane));
      return null;
    },
    give: (call) => held.get(keyOf(call))?.giveBack(),
    comeBack: (job, target, kind) => {
      const { jobId, callerId } = job;
      if (waiting.has(jobId)) return;
      waiting.add(jobId);
      const lane = laneOf(callerId);
      const places = placesOf(target);
      places.take(lane, () => {
        waiting.delete(jobId);
        keep(called, `${jobId} ${target}`, CALLED_MS, () => places.give(lane));
        send(job, kind);
      });
    },
    isWaiting: (jobId) => waiting.has(jobId),
    onTurn: (given) => {
      send = given;
    },
  };
}

function keyOf({ operationId, direction, attempt }: Call): string {
  return `${operationId} ${direction} ${attempt}`;
}

/** Lets so many through a second, a tenth of a second's worth at once; tells when the next may pass. */
function paced(clock: Clock, perSecond: number, again: () => void): () => boolean {
  const spacingMs = 1_000 / perSecond;
  const burstMs = BURST_MS;
  let next = 0;
  let isWaiting = false;
  return () => {
    const now = clock.now();
    next = Math.max(next, now - burstMs);
    if (next <= now) {
      next += spacingMs;
      return true;
    }
    if (!isWaiting) {
      isWaiting = true;
      clock.after(Math.ceil(next - now), () => {
        isWaiting = false;
        again();
      });
    }
    return false;
  };
}
