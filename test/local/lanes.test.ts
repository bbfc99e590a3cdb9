import { expect, it } from 'vitest';
import { LEAVES_A_QUARTER, lanes } from '../../lib/local/lanes.ts';

function seats(places: number) {
  const here = lanes(places, { share: LEAVES_A_QUARTER });
  const started: string[] = [];
  const want = (lane: string, count: number): void => {
    for (let n = 0; n < count; n += 1) here.take(lane, () => started.push(lane));
  };
  const held = (lane: string): number => started.filter((name) => name === lane).length;
  return { here, started, want, held };
}

it('alone, a lane gets all but a reserve; who comes then starts at once', () => {
  const { want, held } = seats(512);
  want('many', 10_000);
  expect(held('many')).toBe(384);
  want('few', 1);
  expect(held('few')).toBe(1);
});

it('a third lane still finds a place beside two that have more than they can do', () => {
  const { want, held } = seats(512);
  want('many', 10_000);
  want('more', 10_000);
  want('few', 1);
  expect(held('few')).toBe(1);
  expect(held('many') + held('more')).toBeLessThan(512);
});

it('lanes take turns when places come free', () => {
  const { here, want, started } = seats(1);
  want('a', 3);
  want('b', 3);
  for (let n = 0; n < 5; n += 1) here.give(started.at(-1) ?? '');
  // a had its next turn before b came.
  expect(started).toEqual(['a', 'a', 'b', 'a', 'b', 'b']);
});

it('never more at once than there are places, and nobody is forgotten', () => {
  const { here, want, started } = seats(7);
  for (const lane of ['a', 'b', 'c']) want(lane, 50);
  let ended = 0;
  while (ended < started.length) {
    expect(started.length - ended).toBeLessThanOrEqual(7);
    here.give(started[ended] ?? '');
    ended += 1;
  }
  expect(ended).toBe(150);
});
