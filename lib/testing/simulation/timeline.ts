/**
 * The one time of a simulated world, and what is still to come in it. Between two events everything runs that waits for
 * no time; that costs a tick, not a turn of the event loop, and is what lets a run take a millisecond.
 */
import { type VirtualClock, virtualClock } from '../../adapters/memory/clock.ts';
import type { EpochMs } from '../../core/ids.ts';

export interface Timeline extends VirtualClock {
  /** As `after`, and the world is not quiet before it has happened. */
  soon(ms: number, action: () => void): void;
  /** Something is going on until the answer is called. */
  begin(): () => void;
  /** How much is going on or planned. */
  busy(): number;
}

/** Ticks run when no promise has anything left to do, and only then. */
const drained = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** @param settle where more than promises has to come to rest between two events */
export function timeline(start: EpochMs, settle: () => Promise<void> = drained): Timeline {
  const clock = virtualClock(start, settle);
  let busy = 0;
  return {
    ...clock,
    soon: (ms, action) => {
      busy += 1;
      clock.after(ms, () => {
        busy -= 1;
        action();
      });
    },
    begin: () => {
      busy += 1;
      let over = false;
      return () => {
        if (!over) busy -= 1;
        over = true;
      };
    },
    busy: () => busy,
  };
}
