import { afterEach, expect, it, vi } from 'vitest';
import { localClock } from '../../lib/local/clock.ts';

const HOUR = 3_600_000;
const clocks: { stop(): void }[] = [];
const clockAt = (offsetMs = 0, save: (ms: number) => Promise<void> = async () => {}) => {
  const clock = localClock(offsetMs, save);
  clocks.push(clock);
  return clock;
};

afterEach(() => {
  for (const clock of clocks.splice(0)) clock.stop();
});

it('is real time plus its offset', () => {
  expect(Math.abs(clockAt(HOUR).now() - (Date.now() + HOUR))).toBeLessThan(100);
});

it('an advance runs everything that fell due, in order of time, at the new time', async () => {
  const clock = clockAt();
  const start = clock.now();
  const seen: [string, number][] = [];
  const note = (name: string) => () => void seen.push([name, Math.round((clock.now() - start) / 1_000)]);
  clock.after(30_000, note('late'));
  clock.after(10_000, note('early'));
  clock.after(120_000, note('beyond'));
  await clock.advance(60_000);
  expect(seen).toEqual([
    ['early', 60],
    ['late', 60],
  ]);
  await clock.advance(60_000);
  expect(seen.at(-1)).toEqual(['beyond', 120]);
});

it('an answer due before its timeout is heard before it', async () => {
  const clock = clockAt();
  const seen: string[] = [];
  clock.after(1_000, () => {
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => seen.push('answered'));
  });
  clock.after(1_200, () => seen.push('timeout'));
  await clock.advance(2_000);
  expect(seen).toEqual(['answered', 'timeout']);
});

it('two advances add up', async () => {
  const clock = clockAt();
  const start = clock.now();
  await Promise.all([clock.advance(HOUR), clock.advance(HOUR)]);
  expect(Math.round((clock.now() - start) / HOUR)).toBe(2);
});

it('saves where it goes before it goes there', async () => {
  const save = vi.fn(async (_offsetMs: number) => {});
  const clock = clockAt(HOUR, save);
  const before = clock.now();
  save.mockImplementation(async () => {
    expect(clock.now() - before).toBeLessThan(1_000);
  });
  await clock.advance(HOUR);
  expect(save).toHaveBeenCalledWith(2 * HOUR);
});

it('an action taken back does not happen', async () => {
  const clock = clockAt();
  const action = vi.fn();
  clock.after(1_000, action)();
  await clock.advance(2_000);
  expect(action).not.toHaveBeenCalled();
});

it('after its end nothing happens that was asked before, and nothing can be asked', async () => {
  const clock = clockAt();
  const action = vi.fn();
  clock.after(1_000, action);
  clock.stop();
  clock.after(1_000, action);
  await clock.advance(10_000);
  expect(action).not.toHaveBeenCalled();
});
