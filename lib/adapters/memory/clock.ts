/**
 * Time that moves only when told to. Due actions run in order of time, equal times in order of arming, and see their
 * own time as now; what they arm in turn runs in the same advance when it falls into it.
 * `advanceAsync` lets promise chains settle between two actions, as real time would.
 */
import type { EpochMs } from '../../core/ids.ts';
import type { Clock } from '../../ports.ts';

export interface VirtualClock extends Clock {
  /** When the next action is due; null: none is armed. */
  nextAt(): EpochMs | null;
  advance(ms: number): void;
  advanceAsync(ms: number): Promise<void>;
  /** Jumps from action to action until `done` says so (true), or `withinMs` have passed (false). */
  advanceUntil(done: () => boolean, withinMs: number): Promise<boolean>;
  /** Lets everything run that waits for no time. */
  settle(): Promise<void>;
}

interface Armed {
  readonly at: EpochMs;
  readonly order: number;
  readonly action: () => void;
}

/** One turn of the loop: every microtask, and those that they start, run before it ends. */
const oneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** @param settle ports that need more than microtasks to answer bring their own way to wait for them */
export function virtualClock(start: EpochMs, settle: () => Promise<void> = oneTurn): VirtualClock {
  let now = start;
  let armedBefore = 0;
  /** Sorted by time, then by order of arming. */
  const agenda: Armed[] = [];

  /** Runs the first action due by `end`; false: there is none. */
  const runNext = (end: EpochMs): boolean => {
    const [first] = agenda;
    if (first === undefined || first.at > end) return false;
    agenda.shift();
    now = Math.max(now, first.at);
    first.action();
    return true;
  };

  const endAfter = (ms: number): EpochMs => {
    if (!(ms >= 0)) throw new RangeError(`time cannot move by ${ms} ms: it only goes forward`);
    return now + ms;
  };

  const advanceUntil = async (done: () => boolean, withinMs: number): Promise<boolean> => {
    const end = endAfter(withinMs);
    await settle();
    while (!done()) {
      if (!runNext(end)) {
        now = end;
        return false;
      }
      await settle();
    }
    return true;
  };

  return {
    now: () => now,
    after: (ms, action) => {
      armedBefore += 1;
      const entry: Armed = { at: now + Math.max(0, ms), order: armedBefore, action };
      agenda.splice(placeAfter(agenda, entry), 0, entry);
      return () => {
        const index = placeAfter(agenda, entry) - 1;
        if (agenda[index] === entry) agenda.splice(index, 1);
      };
    },
    nextAt: () => agenda[0]?.at ?? null,
    advance: (ms) => {
      const end = endAfter(ms);
      while (runNext(end));
      now = end;
    },
    advanceAsync: async (ms) => {
      await advanceUntil(() => false, ms);
    },
    advanceUntil,
    settle,
  };
}

/** Where what comes after this entry begins. */
function placeAfter(agenda: readonly Armed[], { at, order }: Armed): number {
  let low = 0;
  let high = agenda.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = agenda[middle];
    if (entry !== undefined && (entry.at < at || (entry.at === at && entry.order <= order))) low = middle + 1;
    else high = middle;
  }
  return low;
}
