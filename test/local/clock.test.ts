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

it('an advance runs everything on its way in order of time, each seeing its own time', async () => {
  const clock = clockAt();
  const start = clock.now();
  const seen: [string, number][] = [];
  const note = (name: string) => () => void seen.push([name, Math.round((clock.now() - start) / 1_000)]);
  clock.after(30_000, note('late'));
  clock.after(10_000, note('early'));
  clock.after(120_000, note('beyond'));
  await clock.advance(60_000);
  expect(seen).toEqual([
    ['early', 10],
    ['late', 30],
  ]);
  expect(Math.round((clock.now() - start) / 1_000)).toBe(60);
});

it('what an action arms on the way happens in the same advance, and its answer comes before the next action', async () => {
  const clock = clockAt();
  const seen: string[] = [];
  clock.after(1_000, () => {
    void Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => seen.push('answered'));
    clock.after(500, () => seen.push('armed on the way'));
  });
  clock.after(1_200, () => seen.push('timeout'));
  await clock.advance(2_000);
  expect(seen).toEqual(['answered', 'timeout', 'armed on the way']);
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
