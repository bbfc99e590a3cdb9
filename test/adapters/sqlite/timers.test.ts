import { expect, it } from 'vitest';
import { virtualClock } from '../../../lib/adapters/memory/clock.ts';
import { sqlitePorts } from '../../../lib/adapters/sqlite/ports.ts';
import type { Message } from '../../../lib/ports.ts';
import { idOf, T0 } from '../../contracts/jobs.ts';
import { opened } from './file.ts';

const hint = (revision: number): Message => ({ kind: 'hint', jobId: idOf('key'), revision, hops: 0 });

it('takes due timers in order of time, no more than asked for, and tells who drives them', async () => {
  const told: [string, number][] = [];
  const clock = virtualClock(T0);
  const { timers, queue } = sqlitePorts(opened(), clock, {
    onTimer: (at) => told.push(['timer', at - T0]),
    onMessage: (name, at) => told.push([name, at - T0]),
  });
  for (const at of [30, 10, 20]) {
    await timers.arm({ name: `at ${at}`, at: T0 + at, queue: 'compensate', message: hint(at) });
  }
  expect(timers.nextDueAt()).toBe(T0 + 10);
  expect(await timers.takeDue(T0 + 9, 10)).toBe(0);
  clock.advance(40);
  expect(await timers.takeDue(T0 + 40, 2)).toBe(2);
  expect(timers.nextDueAt()).toBe(T0 + 30);
  expect((await queue.receive('compensate', 10, 1_000)).map(({ message }) => message)).toEqual([hint(10), hint(20)]);
  expect(await timers.takeDue(T0 + 40, 2)).toBe(1);
  expect([timers.nextDueAt(), await timers.takeDue(T0 + 40, 2)]).toEqual([null, 0]);
  expect(told).toEqual([
    ['timer', 30],
    ['timer', 10],
    ['timer', 20],
    ['compensate', 40],
    ['compensate', 40],
  ]);
});

it('tells readers of a queue when a message can be received', async () => {
  const told: [string, number][] = [];
  const listeners = { onMessage: (name: string, at: number) => told.push([name, at - T0]) };
  const { queue } = sqlitePorts(opened(), virtualClock(T0), listeners);
  await queue.send('dispatch', hint(1), 0);
  await queue.send('compensate', hint(2), 5_000);
  expect(told).toEqual([
    ['dispatch', 0],
    ['compensate', 5_000],
  ]);
  expect([queue.nextVisibleAt('dispatch'), queue.nextVisibleAt('compensate')]).toEqual([T0, T0 + 5_000]);
});
