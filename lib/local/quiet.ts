/**
 * Before the clock jumps, what is at work gets to where it waits for time or for an answer. A jump into the middle of
 * a write would look like a machine that slept there: possible, survived, and not what people mean who move the clock.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Life } from './mortal.ts';

/** Between two calls of one run nothing is under way; a few turns without any call mean that none follows. */
const QUIET_TURNS = 5;
/** Under steady load it is never quiet, and the clock has to move all the same. */
const PATIENCE_MS = 500;

export async function quiet(life: Life): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (let turns = 0; turns < QUIET_TURNS && Date.now() < until; turns = life.busy === 0 ? turns + 1 : 0) {
    await nextTurn();
  }
}
