/**
 * Real time plus an offset that people may move forward, timeouts included. An advance is a jump, as if the process
 * had slept: everything that fell due runs at the new time, in order of when it was due, and what one started gets
 * going before the next, so that an answer due before its timeout is heard before it.
 * When its process life ends, nothing it was asked to do happens any more.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { EpochMs } from '../core/ids.ts';
import type { Clock } from '../ports.ts';

export interface LocalClock extends Clock {
  /** Moves forward by `ms` and resolves when everything due on the way has been started. */
  advance(ms: number): Promise<void>;
  /** The end of this life: forgets every timer and takes no new one. */
  stop(): void;
}

interface Armed {
  readonly dueAt: EpochMs;
  readonly action: () => void;
  timeout: NodeJS.Timeout;
}

/** What setTimeout can hold; a longer wait is taken in several turns. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;
/** Time for a call in the process to be answered and stored: milliseconds, since both only cross one file. */
const SETTLE_MS = 3;
/** With thousands of timers due it stops being polite after this long and runs the rest at once. */
const SETTLING_MS_MAX = 2_000;

export function localClock(offsetMs: number, saveOffset: (offsetMs: number) => Promise<void>): LocalClock {
  let offset = offsetMs;
  let stopped = false;
  const armed = new Set<Armed>();
  const now = (): EpochMs => Date.now() + offset;

  const fire = (entry: Armed): void => {
    clearTimeout(entry.timeout);
    if (armed.delete(entry)) entry.action();
  };
  const arm = (entry: Armed): NodeJS.Timeout =>
    setTimeout(
      () => {
        if (now() >= entry.dueAt) fire(entry);
        else entry.timeout = arm(entry);
      },
      Math.min(TIMEOUT_MS_MAX, Math.max(0, entry.dueAt - now())),
    );

  const earliest = (end: EpochMs): Armed | null => {
    let first: Armed | null = null;
    for (const entry of armed) {
      if (entry.dueAt <= end && (first === null || entry.dueAt < first.dueAt)) first = entry;
    }
    return first;
  };

  const jump = async (ms: number): Promise<void> => {
    await saveOffset(offset + ms);
    offset += ms;
    const end = now();
    const politeUntil = Date.now() + SETTLING_MS_MAX;
    for (let entry = earliest(end); entry !== null && !stopped; entry = earliest(end)) {
      fire(entry);
      if (Date.now() < politeUntil) await pause(SETTLE_MS);
    }
    // Their own timeouts were set for the time before the jump.
    for (const entry of armed) {
      clearTimeout(entry.timeout);
      entry.timeout = arm(entry);
    }
  };

  /** One at a time: two advances add up. */
  let moved = Promise.resolve();

  return {
    now,
    after: (ms, action) => {
      if (stopped) return () => {};
      const entry = { dueAt: now() + Math.max(0, ms), action } as Armed;
      entry.timeout = arm(entry);
      armed.add(entry);
      return () => {
        clearTimeout(entry.timeout);
        armed.delete(entry);
      };
    },
    advance: (ms) => {
      moved = moved.then(() => jump(ms));
      return moved;
    },
    stop: () => {
      stopped = true;
      for (const entry of armed) clearTimeout(entry.timeout);
      armed.clear();
    },
  };
}
