import { expect, it } from 'vitest';
import { randomIds, randomToken } from '../../lib/adapters/random-ids.ts';

it('never draws the same twice, also beyond one pool', () => {
  const tokens = Array.from({ length: 2_000 }, randomToken);
  expect(new Set(tokens).size).toBe(tokens.length);
  // The mark of a write is its beginning: those must differ as well.
  expect(new Set(tokens.map((token) => token.slice(0, 8))).size).toBe(tokens.length);
  expect(tokens.every((token) => /^[\w-]{16}$/.test(token))).toBe(true);
});

it('starts traces as W3C writes them', () => {
  const ids = randomIds(() => 'o');
  const traces = Array.from({ length: 500 }, () => ids.traceparent());
  expect(traces.every((trace) => /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(trace))).toBe(true);
  expect(new Set(traces).size).toBe(traces.length);
});
