/** Real time. Lambdas are short, so waits are single timeouts. */
import type { Clock } from '../../ports.ts';

export function realClock(): Clock {
  return {
    now: () => Date.now(),
    after: (ms, action) => {
      const timeout = setTimeout(action, Math.max(0, ms));
      return () => clearTimeout(timeout);
    },
  };
}
