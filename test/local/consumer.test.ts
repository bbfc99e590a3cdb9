import { expect, it } from 'vitest';
import { virtualClock } from '../../lib/adapters/memory/clock.ts';
import { memoryQueue } from '../../lib/adapters/memory/queue.ts';
import type { JobId } from '../../lib/core/ids.ts';
import { consumer } from '../../lib/local/consumer.ts';
import type { RunEnd } from '../../lib/local/driver-pool.ts';
import type { Received } from '../../lib/ports.ts';

const VISIBILITY_MS = 60_000;

function rig(handle: (received: Received) => Promise<RunEnd>) {
  const clock = virtualClock(0);
  const queue = memoryQueue(clock);
  const failures: unknown[] = [];
  const { wakeAt } = consumer({
    queue: 'dispatch',
    reader: queue,
    clock,
    visibilityMs: VISIBILITY_MS,
    handle,
    failed: (error) => failures.push(error),
  });
  const reader = { wake: () => wakeAt(clock.now()) };
  const send = (n: number) =>
    queue.send('dispatch', { kind: 'hint', jobId: `j${n}` as JobId, revision: 0, hops: 0 }, 0);
  return { clock, queue, reader, failures, send };
}

it('removes a message only after it was dealt with', async () => {
  const { promise, resolve } = Promise.withResolvers<RunEnd>();
  const { clock, queue, reader, send } = rig(() => promise);
  await send(1);
  reader.wake();
  await clock.settle();
  expect(queue.nextVisibleAt('dispatch')).toBe(VISIBILITY_MS);
  resolve('done');
  await clock.settle();
  expect(queue.nextVisibleAt('dispatch')).toBeNull();
});

it.each([
  ['crashed', async (): Promise<RunEnd> => 'crashed'],
  ['ended in an error', async (): Promise<RunEnd> => 'failed'],
  ['failed', () => Promise.reject(new Error('no'))],
])('a message whose run %s comes again', async (_how, handle) => {
  const seen: number[] = [];
  const { clock, reader, send } = rig((received) => {
    seen.push(received.receives);
    return handle();
  });
  await send(1);
  reader.wake();
  await clock.advanceAsync(VISIBILITY_MS);
  expect(seen).toEqual([1, 2]);
});

it('takes no more than it can hold, and goes on when there is room', async () => {
  const ends: (() => void)[] = [];
  const { clock, reader, send } = rig(() => new Promise((resolve) => ends.push(() => resolve('done'))));
  for (let n = 0; n < 100; n += 1) await send(n);
  reader.wake();
  await clock.settle();
  expect(ends).toHaveLength(64);
  for (const end of ends.splice(0)) end();
  await clock.settle();
  await clock.settle();
  expect(ends).toHaveLength(36);
});

it('looks once more when it was woken while it looked', async () => {
  const seen: string[] = [];
  const { clock, reader, send } = rig(async ({ message }) => {
    seen.push(message.jobId);
    return 'done';
  });
  reader.wake();
  void send(1);
  reader.wake();
  await clock.settle();
  expect(seen).toEqual(['j1']);
});
