import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../lib/contract/cursor.ts';
import { Refusal } from '../../lib/contract/problem.ts';

const POSITION = { createdAt: 1_893_456_000_123, jobId: `j${'a'.repeat(26)}` };
const SCOPE = ['jobs', 'ada', 'submitter', []];

it('leads back to where it was made', () => {
  expect(decodeCursor(encodeCursor(POSITION, SCOPE), SCOPE)).toEqual(POSITION);
});

it('is refused for another caller, another role, another list, other filters', () => {
  const cursor = encodeCursor(POSITION, SCOPE);
  for (const other of [
    ['jobs', 'bob', 'submitter', []],
    ['jobs', 'ada', 'operator', []],
    ['dead-letters', 'ada', 'submitter', []],
    ['jobs', 'ada', 'submitter', [['state', 'FAILED']]],
  ]) {
    expect(() => decodeCursor(cursor, other)).toThrow(Refusal);
  }
});

it('is refused after any change of one character', () => {
  const cursor = encodeCursor(POSITION, SCOPE);
  const change = fc.record({ at: fc.nat({ max: cursor.length - 1 }), to: fc.constantFrom(...'abcXYZ019-_=+/ .') });
  fc.assert(
    fc.property(change, ({ at, to }) => {
      const changed = cursor.slice(0, at) + to + cursor.slice(at + 1);
      fc.pre(changed !== cursor);
      expect(() => decodeCursor(changed, SCOPE)).toThrow(Refusal);
    }),
  );
});

it('is refused when it never was one', () => {
  const refuses = (text: string): void => {
    expect(() => decodeCursor(text, SCOPE)).toThrow(Refusal);
  };
  fc.assert(fc.property(fc.string(), refuses));
});
