import { describe, expect, it } from 'vitest';
import { readIdempotencyKey, readPreferWait, readTrace } from '../../lib/contract/headers.ts';

const headers = (given: Record<string, string>) => ({ get: (name: string) => given[name] ?? null });

describe('Prefer: wait', () => {
  it.each([
    ['wait=5', 5],
    ['wait=0', 0],
    ['wait=25', 25],
    ['wait=26', 25],
    ['wait=999999999', 25],
    ['wait=99999999999999999999', 25],
    ['WAIT=5', 5],
    ['wait = 5', 5],
    ['wait="5"', 5],
    ['respond-async, wait=7', 7],
    ['wait=7; foo=bar', 7],
    ['wait=3, wait=9', 3],
    ['wait=-1', 0],
    ['wait=1.5', 0],
    ['wait=soon', 0],
    ['wait=', 0],
    ['wait', 0],
    ['waiting=5', 0],
    ['', 0],
  ])('%j is %i seconds', (prefer, seconds) => {
    expect(readPreferWait(headers({ prefer }))).toBe(seconds);
  });

  it('absent is no wait', () => {
    expect(readPreferWait(headers({}))).toBe(0);
  });
});

it('an idempotency key is taken as it stands, up to 200 characters', () => {
  for (const key of ['a', '"quoted"', '~!@#', 'k'.repeat(200)]) {
    expect(readIdempotencyKey(headers({ 'idempotency-key': key }))).toBe(key);
  }
  expect(readIdempotencyKey(headers({}))).toBeNull();
});

describe('trace context', () => {
  const GOOD = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

  it.each([
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7'],
    ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01'],
    ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01'],
    [''],
  ])('%j starts a new trace', (traceparent) => {
    expect(readTrace(headers({ traceparent, tracestate: 'a=1' }))).toBeNull();
  });

  it('keeps the state only beside a parent, and only if it can be passed on', () => {
    expect(readTrace(headers({ tracestate: 'a=1' }))).toBeNull();
    expect(readTrace(headers({ traceparent: GOOD, tracestate: 'a=1' }))).toEqual({
      traceparent: GOOD,
      tracestate: 'a=1',
    });
    for (const tracestate of ['x'.repeat(513), 'a=\u0001']) {
      expect(readTrace(headers({ traceparent: GOOD, tracestate }))?.tracestate).toBeNull();
    }
  });
});
