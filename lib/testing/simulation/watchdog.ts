/** Looks each minute, but for the minutes in which it would find nothing to do: so a day of waiting costs nothing. */
import type { EpochMs } from '../../core/ids.ts';
import type { Timeline } from './timeline.ts';

const MINUTE = 60_000;

export interface Watchdog {
  /** There will be something to do then. */
  expect(at: EpochMs): void;
}

/** @param nextAt when there will be something to do, as far as is known now */
export function watchdog(time: Timeline, nextAt: () => EpochMs, watch: (done: () => void) => void): Watchdog {
  let next = Number.POSITIVE_INFINITY;
  let running = false;
  const expect = (at: EpochMs): void => {
    const minute = Math.ceil(Math.max(at, time.now() + 1) / MINUTE) * MINUTE;
    if (running || minute >= next) return;
    next = minute;
    time.after(minute - time.now(), () => {
      if (next !== minute || running) return;
      next = Number.POSITIVE_INFINITY;
      running = true;
      watch(() => {
        running = false;
        expect(nextAt());
      });
    });
  };
  return { expect };
}
