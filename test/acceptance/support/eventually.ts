/** Waiting for something to become true, with a deadline: the only way a case waits. */
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 25;
export const PATIENCE_MS = 20_000;

/** Asks until there is an answer other than undefined. An error counts as "not yet", and is told if it stays. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  patienceMs: number = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    let trouble: unknown;
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      trouble = error;
    }
    if (Date.now() > end) {
      const last = trouble instanceof Error ? `; last: ${trouble.message}` : '';
      throw new Error(`not within ${patienceMs} ms: ${what}${last}`, { cause: trouble });
    }
    await pause(POLL_MS);
  }
}
