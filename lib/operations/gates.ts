/**
 * What one container knows of dependencies and of what people hold back: read together, kept for a second, and read again before each decision while
 * a record may change at any moment. Decisions ask it without waiting; a store that fails leaves it as it was.
 */
import { type Dependency, isInMotion, passOf } from '../core/dependency.ts';
import type { Rules } from '../core/events.ts';
import { LIMITS } from '../core/limits.ts';
import { type Pause, pausedBy } from '../core/pause.ts';
import type { Ports } from '../ports.ts';

export interface Gates {
  readonly gate: Rules['gate'];
  /** Makes sure that what is known is new enough to decide by. */
  refresh(): Promise<void>;
  /** Reads again, whatever is known. */
  reread(): Promise<void>;
  find(id: string): Dependency | undefined;
  list(): readonly Dependency[];
  /** What is held back, or let go at this time. */
  pauses(): readonly Pause[];
  /** A record as this container has just written it. */
  learn(dependency: Dependency): void;
}

export function gatesOn({ dependencies, pauses, clock }: Pick<Ports, 'dependencies' | 'pauses' | 'clock'>): Gates {
  let known: ReadonlyMap<string, Dependency> = new Map();
  let inForce: readonly Pause[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    const startedAt = clock.now();
    try {
      const [records, held] = await Promise.all([dependencies.list(), pauses.list()]);
      inForce = held.filter(({ status }) => status !== 'released');
      known = new Map(records.map((one) => [one.id, newer(known.get(one.id), one)]));
      readAt = startedAt;
    } catch {
      // Whoever decides by what was known decides as others did a moment ago.
    }
  };
  const reread = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
  const isFresh = (): boolean => {
    const now = clock.now();
    if (now < readAt || now - readAt >= LIMITS.gatesFreshMs) return false;
    for (const one of known.values()) if (isInMotion(one, now)) return false;
    return true;
  };

  return {
    gate: (passage) => {
      const by = pausedBy(inForce, passage);
      if (by !== null) return { pass: 'held', by };
      return passOf(known.get(passage.target), passage.job.jobId, clock.now());
    },
    refresh: async () => {
      if (!isFresh()) await reread();
    },
    reread,
    find: (id) => known.get(id),
    list: () => [...known.values()],
    pauses: () => inForce,
    learn: (dependency) => {
      known = new Map([...known, [dependency.id, newer(known.get(dependency.id), dependency)]]);
    },
  };
}

/** A read that was under way while this container wrote answers what was before. */
function newer(known: Dependency | undefined, read: Dependency): Dependency {
  return known !== undefined && known.revision > read.revision ? known : read;
}
