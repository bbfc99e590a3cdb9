/**
 * Everything that is shared about one dependency: its breaker, its health, when the next parked job may go, who acted on
 * it, and what has to be told yet. One record, changed under its revision; told from it under ids that stay the same.
 */
import { type Breaker, type BreakerEvent, CLOSED, changeBreaker, probeIsDue } from './breaker.ts';
import { dependencyGate, FREE, type Pass } from './gates.ts';
import { type Check, checked, type Health, healthAt, UNCHECKED } from './health.ts';
import type { EpochMs, JobId } from './ids.ts';

/** What a person did, or what the breaker did by itself. */
export interface DependencyEntry {
  readonly seq: number;
  readonly what: 'opened' | 'closed';
  readonly at: EpochMs;
  readonly actor: string;
  readonly reason: string;
  /** A named person did it. */
  readonly byPerson: boolean;
}

export interface Dependency {
  readonly id: string;
  readonly revision: number;
  readonly breaker: Breaker;
  readonly health: Health;
  /** Before this time every slot of the release rate is taken. */
  readonly releasedUntil: EpochMs;
  /** The newest, oldest first. */
  readonly log: readonly DependencyEntry[];
  /** Everything up to here has been told; -1 before the first time. */
  readonly publishedSeq: number;
  /** Of the write that made it: tells one whose answer was lost from somebody else's. */
  readonly writeId: string;
}

const LOG_MAX = 20;

export function newDependency(id: string): Dependency {
  return {
    id,
    revision: 0,
    breaker: CLOSED,
    health: UNCHECKED,
    releasedUntil: 0,
    log: [],
    publishedSeq: -1,
    writeId: '',
  };
}

export interface By {
  readonly actor: string;
  readonly reason: string;
  readonly byPerson: boolean;
}

/** The next record, or null when the event changes nothing. */
export function withBreaker(dependency: Dependency, event: BreakerEvent, by: By, now: EpochMs): Dependency | null {
  const change = changeBreaker(dependency.breaker, event, now);
  if (change === null) return null;
  const before = dependency.breaker.state;
  const { breaker } = change;
  const turned = (before === 'CLOSED') !== (breaker.state === 'CLOSED');
  const next = { ...dependency, revision: dependency.revision + 1, breaker };
  if (!turned && !by.byPerson) return next;
  const what = breaker.state === 'CLOSED' ? 'closed' : 'opened';
  const entry = { seq: (dependency.log.at(-1)?.seq ?? -1) + 1, what, at: now, ...by } as const;
  return { ...next, log: [...dependency.log, entry].slice(-LOG_MAX) };
}

export function withCheck(dependency: Dependency, check: Check, now: EpochMs): Dependency {
  return { ...dependency, revision: dependency.revision + 1, health: checked(dependency.health, check, now) };
}

/** Takes `count` slots of the release rate; the first is at `from`. */
export function withSlots(
  dependency: Dependency,
  count: number,
  ratePerSecond: number,
  now: EpochMs,
): { readonly dependency: Dependency; readonly from: EpochMs } {
  const from = Math.max(now, dependency.releasedUntil);
  const releasedUntil = from + Math.ceil((count * 1_000) / ratePerSecond);
  return { from, dependency: { ...dependency, revision: dependency.revision + 1, releasedUntil } };
}

/** What is still to be told, oldest first. */
export function untold({ log, publishedSeq }: Dependency): readonly DependencyEntry[] {
  return log.filter(({ seq }) => seq > publishedSeq);
}

export function told(dependency: Dependency, upTo: number): Dependency {
  return { ...dependency, revision: dependency.revision + 1, publishedSeq: Math.max(dependency.publishedSeq, upTo) };
}

/** Whether this job may call it now; one that is not known has nothing against it. */
export function passOf(dependency: Dependency | undefined, jobId: JobId, now: EpochMs): Pass {
  if (dependency === undefined) return FREE;
  const { id, breaker, health } = dependency;
  const held: Pass = { pass: 'held', by: dependencyGate(id) };
  switch (breaker.state) {
    case 'OPEN':
      return held;
    case 'HALF_OPEN':
      return breaker.holder === jobId && now < (breaker.holderUntil ?? 0) ? { pass: 'probe' } : held;
    case 'CLOSED':
      break;
  }
  if (health.lastCheckedAt === null) return FREE;
  const status = healthAt(health, now);
  if (status === 'offline') return held;
  return status === 'healthy' ? FREE : { pass: 'degraded' };
}

/** A record that may change at any moment is read again before each decision. */
export function isInMotion({ breaker }: Dependency, now: EpochMs): boolean {
  return breaker.state === 'HALF_OPEN' || probeIsDue(breaker, now);
}
