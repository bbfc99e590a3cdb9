/**
 * Opens what parked jobs wait for. Each release takes a slot of the dependency's rate, by a conditional write that all
 * releasers share, so that however many of them there are the jobs come back spread over time. A release is one write of
 * the job itself, with the time of its turn in it: who dies here loses nothing, and the next look goes on.
 */
import { withSlots } from '../core/dependency.ts';
import type { DriverKind } from '../core/events.ts';
import { dependencyGate } from '../core/gates.ts';
import type { EpochMs, GateId, JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { driverKindOf } from '../core/schedule.ts';
import type { ParkedPosition } from '../ports.ts';
import { apply } from './apply.ts';
import { changeDependency } from './change-dependency.ts';
import type { Engine } from './engine.ts';

/** Sends a driver to a job at a time; whoever loses it, the watchdog finds the job by its own next action. */
export type HintAt = (job: Job, kind: DriverKind, delayMs: number) => Promise<void>;

export interface ReleaseOptions {
  readonly ratePerSecond: number;
  /** Slots are given out up to this far ahead, not beyond: the next look goes on from there. */
  readonly horizonMs: number;
  readonly hint: HintAt;
}

const PAGE = 100;
/** Releases side by side: each is a read and a write of another job. */
const AT_ONCE = 16;

/** Releases parked jobs of this dependency as long as slots are free; answers how many. */
export async function releaseFrom(engine: Engine, id: string, options: ReleaseOptions): Promise<number> {
  const turns = (wanted: number) => takeSlots(engine, id, wanted, options);
  return (await releaseGate(engine, dependencyGate(id), turns, options)).released;
}

export interface Released {
  readonly released: number;
  /** Nothing was found that waits there. */
  readonly isEmpty: boolean;
}

/** @param take as many turns as there are, up to what is wanted; null when there is none */
export async function releaseGate(
  engine: Engine,
  gate: GateId,
  take: (wanted: number) => Promise<Slots | null>,
  options: Pick<ReleaseOptions, 'ratePerSecond' | 'hint'>,
): Promise<Released> {
  let released = 0;
  let after: ParkedPosition | null = null;
  for (;;) {
    const page: Awaited<ReturnType<typeof parkedPage>> = await parkedPage(engine, gate, after);
    if (page.items.length === 0) return { released, isEmpty: after === null };
    const slots = await take(page.items.length);
    if (slots === null) return { released, isEmpty: false };
    const ids = page.items.slice(0, slots.count).map(({ jobId }) => jobId);
    released += await releaseAll(engine, gate, ids, slots.at, options);
    if (page.next === null || slots.count < page.items.length) return { released, isEmpty: false };
    after = page.next;
  }
}

function parkedPage(engine: Engine, gate: GateId, after: ParkedPosition | null) {
  return engine.ports.jobs.parked({ gate, limit: PAGE, after });
}

export interface Slots {
  readonly at: EpochMs;
  readonly count: number;
}

/** As many slots as are free before the horizon; null when none is. */
async function takeSlots(
  engine: Engine,
  id: string,
  wanted: number,
  { ratePerSecond, horizonMs }: ReleaseOptions,
): Promise<Slots | null> {
  let slots: Slots | null = null;
  await changeDependency(engine, id, (held, now) => {
    slots = null;
    const first = Math.max(now, held.releasedUntil);
    const room = Math.floor(((now + horizonMs - first) * ratePerSecond) / 1_000);
    const count = Math.min(wanted, room);
    if (count <= 0) return null;
    const taken = withSlots(held, count, ratePerSecond, now);
    slots = { at: taken.from, count };
    return taken.dependency;
  });
  return slots;
}

async function releaseAll(
  engine: Engine,
  gate: GateId,
  ids: readonly JobId[],
  from: EpochMs,
  { ratePerSecond, hint }: Pick<ReleaseOptions, 'ratePerSecond' | 'hint'>,
): Promise<number> {
  let released = 0;
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE).map(async (jobId, at) => {
      const startAt = from + Math.floor(((start + at) * 1_000) / ratePerSecond);
      if (await releaseJob(engine, jobId, gate, startAt, hint)) released += 1;
    });
    await Promise.all(some);
  }
  return released;
}

/** One job, from `startAt` on; false when this gate holds nothing of it any more, or still has to. */
export async function releaseJob(
  engine: Engine,
  jobId: JobId,
  gate: GateId,
  startAt: EpochMs,
  hint: HintAt,
): Promise<boolean> {
  try {
    const applied = await apply(engine, jobId, () => ({ type: 'released', gate, startAt }));
    if (applied.status !== 'changed') return false;
    await hint(applied.job, driverKindOf(applied.job), Math.max(0, startAt - engine.ports.clock.now()));
    return true;
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    engine.ports.log.write('warn', 'release_failed', { job_id: jobId, gate, error: name });
    return false;
  }
}
