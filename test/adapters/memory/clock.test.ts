import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../../lib/adapters/memory/clock.ts';
import { seededIds, seededRandom } from '../../../lib/adapters/memory/ids.ts';

describe('the virtual clock', () => {
  it('runs due actions in order of time, then of arming, each at its own time', () => {
    const clock = virtualClock(1_000);
    const ran: [string, number][] = [];
    const note = (name: string) => () => ran.push([name, clock.now()]);
    clock.after(20, note('b'));
    clock.after(10, note('a'));
    clock.after(20, note('c'));
    clock.after(31, note('not yet'));
    clock.advance(30);
    expect(ran).toEqual([
      ['a', 1_010],
      ['b', 1_020],
      ['c', 1_020],
    ]);
    expect([clock.now(), clock.nextAt()]).toEqual([1_030, 1_031]);
  });

  it('runs what an action arms when it falls into the same advance', () => {
    const clock = virtualClock(0);
    const times: number[] = [];
    const tick = () => {
      times.push(clock.now());
      clock.after(10, tick);
    };
    clock.after(10, tick);
    clock.advance(35);
    expect(times).toEqual([10, 20, 30]);
  });

  it('forgets what is taken back, once and for all', () => {
    const clock = virtualClock(0);
    const ran: string[] = [];
    clock.after(5, () => ran.push('kept'));
    const takeBack = clock.after(5, () => ran.push('taken back'));
    clock.after(5, () => ran.push('kept too'));
    takeBack();
    takeBack();
    clock.advance(5);
    takeBack();
    expect([ran, clock.nextAt()]).toEqual([['kept', 'kept too'], null]);
  });

  it('lets promise chains settle between two actions', async () => {
    const clock = virtualClock(0);
    const ran: string[] = [];
    const chain = async (name: string) => {
      for (let i = 0; i < 20; i += 1) await null;
      ran.push(`${name} settled at ${clock.now()}`);
    };
    clock.after(1, () => void chain('first'));
    clock.after(2, () => void chain('second'));
    await clock.advanceAsync(10);
    expect(ran).toEqual(['first settled at 1', 'second settled at 2']);
  });

  it('sees what a chain arms before it moves on', async () => {
    const clock = virtualClock(0);
    const times: number[] = [];
    void Promise.resolve().then(() => clock.after(5, () => times.push(clock.now())));
    clock.after(10, () => times.push(clock.now()));
    await clock.advanceAsync(10);
    expect(times).toEqual([5, 10]);
  });

  it('jumps from action to action until the condition holds, or time is up', async () => {
    const clock = virtualClock(0);
    let ticks = 0;
    const tick = () => {
      ticks += 1;
      clock.after(60_000, tick);
    };
    tick();
    expect(await clock.advanceUntil(() => ticks === 5, 3_600_000)).toBe(true);
    expect(clock.now()).toBe(240_000);
    expect(await clock.advanceUntil(() => ticks === 500, 60_000)).toBe(false);
    expect(clock.now()).toBe(300_000);
  });

  it('never goes back', () => {
    expect(() => virtualClock(0).advance(-1)).toThrow(RangeError);
  });
});

describe('seeded chance', () => {
  it('draws the same from the same seed and other numbers from another', () => {
    const draw = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw(7).every((number) => number >= 0 && number < 1)).toBe(true);
  });

  it('makes write ids that are told apart by their mark, and traces in the W3C form', () => {
    const ids = seededIds(seededRandom(1), 'p1-');
    const marks = Array.from({ length: 1_000 }, () => ids.writeId().slice(0, 8));
    expect(new Set(marks).size).toBe(1_000);
    expect(ids.traceparent()).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(ids.owner()).toMatch(/^p1-[0-9a-f]{16}$/);
  });
});
