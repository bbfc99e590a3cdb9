/**
 * A set of small numbers as text: bit n of the bytes behind the base64. Ten thousand of them take 1.7 KB in a job, and
 * adding one twice adds it once, which is what makes repeated and reordered reports harmless.
 */
export type Bits = string;

export const NO_BITS: Bits = '';

export function bitsWith(bits: Bits, numbers: Iterable<number>): Bits {
  return changed(bits, numbers, (byte, mask) => byte | mask);
}

export function bitsWithout(bits: Bits, numbers: Iterable<number>): Bits {
  return changed(bits, numbers, (byte, mask) => byte & ~mask);
}

function changed(bits: Bits, numbers: Iterable<number>, change: (byte: number, mask: number) => number): Bits {
  const all = [...numbers];
  const held = Buffer.from(bits, 'base64');
  const needed = all.reduce((most, number) => Math.max(most, (number >> 3) + 1), held.length);
  const bytes = Buffer.alloc(needed);
  held.copy(bytes);
  for (const number of all) bytes[number >> 3] = change(bytes[number >> 3] ?? 0, 1 << (number & 7));
  return bytes.toString('base64');
}

/** For many questions about one set: decoded once. */
export function membership(bits: Bits): (number: number) => boolean {
  const bytes = Buffer.from(bits, 'base64');
  return (number) => ((bytes[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
}

export function countBits(bits: Bits): number {
  let count = 0;
  for (const byte of Buffer.from(bits, 'base64')) count += ONES[byte] ?? 0;
  return count;
}

/** How many bits are set in each byte. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** The members below `below`, in order. */
export function bitsIn(bits: Bits, below: number): number[] {
  const has = membership(bits);
  return Array.from({ length: below }, (_, number) => number).filter(has);
}
