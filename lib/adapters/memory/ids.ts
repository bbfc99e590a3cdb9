/**
 * Chance from a seed: the same seed draws the same numbers and the same identities, so that a failing run can be
 * replayed. Never for production, where write ids must not repeat between two processes.
 */
import type { Ids } from '../../ports.ts';

/** mulberry32: 32 bits of state, a full period, and good enough to spread schedules. Answers numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Ids are drawn for every decision, so their digits are looked up. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** @param ownerPrefix tells the owners of one process from those of another */
export function seededIds(random: () => number, ownerPrefix = 'owner-'): Ids {
  const hex = (words: number): string => {
    let text = '';
    for (let i = 0; i < words; i += 1) {
      const word = random() * 2 ** 32;
      for (let shift = 24; shift >= 0; shift -= 8) text += HEX[(word >>> shift) & 0xff];
    }
    return text;
  };
  let nonces = 0;
  return {
    // Counted, not drawn: what was drawn before tokens existed stays the same for a seed.
    nonce: () => {
      nonces += 1;
      return `${ownerPrefix}nonce-${nonces}`;
    },
    writeId: () => hex(2),
    owner: () => `${ownerPrefix}${hex(2)}`,
    traceparent: () => `00-${hex(4)}-${hex(2)}-01`,
    random,
  };
}
