/** Durations: one form, its unit always said. */
import { describe, expect, it } from 'vitest';
import { durationOf, millisecondsOf } from '../../lib/definition/duration.ts';

describe('durations', () => {
  it.each([
    ['250 ms', 250],
    ['10 s', 10_000],
    ['1.5 min', 90_000],
    ['24 h', 86_400_000],
    ['7 d', 604_800_000],
    ['0 s', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(millisecondsOf(text)).toBe(ms);
  });

  it.each(['', '10', '10s', '10  s', ' 10 s', '-1 s', '1e3 s', '.5 s', '10 S', '10 toString'])('%j is none', (text) => {
    expect(millisecondsOf(text)).toBeNull();
  });

  it.each([
    [1, '1 ms'],
    [90_000, '90 s'],
    [5_400_000, '90 min'],
    [31_536_000_000, '365 d'],
  ])('%d ms is shown as %s', (ms, text) => {
    expect(durationOf(ms)).toBe(text);
    expect(millisecondsOf(text)).toBe(ms);
  });
});
