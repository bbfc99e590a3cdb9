import { expect, it } from 'vitest';
import type { JobId } from '../../lib/core/ids.ts';
import { driverPool, type RunEnd } from '../../lib/local/driver-pool.ts';

interface Running {
  readonly jobId: string;
  end(): void;
  crash(): void;
}

function pool(size: number) {
  const running: Running[] = [];
  const drives = driverPool(size, (jobId, _hops, crash) => {
    const { promise, resolve } = Promise.withResolvers<RunEnd>();
    running.push({ jobId, end: () => resolve('done'), crash });
    return promise;
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { running, drives, settle, ids: () => running.map((one) => one.jobId) };
}

const A = { jobId: 'ja' as JobId, hops: 0, lane: 'one' };
const B = { jobId: 'jb' as JobId, hops: 0, lane: 'one' };
const C = { jobId: 'jc' as JobId, hops: 0, lane: 'one' };

it('runs at most as many as there are places, the others in order of arrival', async () => {
  const { drives, running, settle, ids } = pool(1);
  for (const wanted of [A, B, C]) drives.offer(wanted);
  await settle();
  expect(ids()).toEqual(['ja']);
  running[0]?.end();
  await settle();
  running[1]?.end();
  await settle();
  expect(ids()).toEqual(['ja', 'jb', 'jc']);
});

it('hints for a job that waits fall together; one that comes during its run makes it run once more', async () => {
  const { drives, running, settle, ids } = pool(2);
  const first = drives.run(A);
  expect(drives.run(A)).toBe(first);
  await settle();
  const again = drives.run(A);
  expect(drives.run(A)).toBe(again);
  expect(ids()).toEqual(['ja']);
  running[0]?.end();
  await settle();
  expect(ids()).toEqual(['ja', 'ja']);
  running[1]?.end();
  expect([await first, await again]).toEqual(['done', 'done']);
});

it('a run that crashed gives its place back and says so', async () => {
  const { drives, running, settle, ids } = pool(1);
  const crashed = drives.run(A);
  drives.offer(B);
  await settle();
  running[0]?.crash();
  expect(await crashed).toBe('crashed');
  await settle();
  expect(ids()).toEqual(['ja', 'jb']);
  // What the dead run does afterwards changes nothing.
  running[0]?.end();
  drives.offer(C);
  await settle();
  expect(ids()).toEqual(['ja', 'jb']);
});

it('a caller who comes later waits for one run of the first, not for all that the first has waiting', async () => {
  const { drives, running, settle, ids } = pool(1);
  for (let n = 0; n < 100; n += 1) drives.offer({ jobId: `j${n}` as JobId, hops: 0, lane: 'many' });
  drives.offer({ ...A, lane: 'few' });
  await settle();
  running[0]?.end();
  await settle();
  running[1]?.end();
  await settle();
  expect(ids().slice(0, 3)).toContain('ja');
});

it('drops what one lane offers beyond its measure, and nobody else’s', async () => {
  const { drives, settle, ids } = pool(8);
  for (let n = 0; n < 12_000; n += 1) drives.offer({ jobId: `j${n}` as JobId, hops: 0, lane: 'many' });
  expect([drives.isWaiting('j9000' as JobId), drives.isWaiting('j11000' as JobId)]).toEqual([true, false]);
  drives.offer({ ...A, lane: 'few' });
  await settle();
  expect(ids()).toContain('ja');
});
