/**
 * Chance from a seed. Each purpose draws from a stream of its own, and what belongs to one operation is drawn from its
 * name: so leaving one fault out of a run changes as little as possible of the rest, and a failing run can be shrunk.
 */
import { seededRandom } from '../../adapters/memory/ids.ts';

export interface Chance {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** True in `share` of all draws. */
  often(share: number): boolean;
  pick<T>(among: readonly T[]): T;
}

export function chanceFrom(seed: number): Chance {
  const next = seededRandom(seed);
  // A generator's first number is close to that of its neighbours' seeds.
  next();
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    often: (share) => next() < share,
    pick: (among) => {
      const picked = among[between(0, among.length - 1)];
      if (picked === undefined) throw new RangeError('there is nothing to pick from');
      return picked;
    },
  };
}

/** One seed from several numbers; differs for each order of them. */
export function mixed(...parts: readonly number[]): number {
  let mix = 0x9e3779b9;
  for (const part of parts) {
    mix = Math.imul(mix ^ (part >>> 0), 0x85ebca6b);
    mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
    mix ^= mix >>> 16;
  }
  return mix >>> 0;
}

/** FNV-1a: a number for a name. */
export function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
