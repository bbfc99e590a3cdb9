/**
 * Rings once at the earliest of the times it was given. One timer a subject, however many things wait behind it.
 */
import type { EpochMs } from '../core/ids.ts';
import type { Clock } from '../ports.ts';

export interface Alarm {
  /** Rings then, unless it rings earlier. Whoever is rung looks what comes next and says so. */
  setAt(time: EpochMs): void;
}

export function alarm(clock: Clock, ring: () => void): Alarm {
  let setFor = Number.POSITIVE_INFINITY;
  let takeBack = (): void => {};
  return {
    setAt: (time) => {
      if (time >= setFor) return;
      takeBack();
      setFor = time;
      takeBack = clock.after(time - clock.now(), () => {
        setFor = Number.POSITIVE_INFINITY;
        ring();
      });
    },
  };
}
