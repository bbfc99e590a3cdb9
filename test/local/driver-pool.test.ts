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

const A = 'ja' as JobId;
const B = 'jb' as JobId;
const C = 'jc' as JobId;

it('runs at most as many as there are places, the others in order of arrival', async () => {
  const { drives, running, settle, ids } = pool(1);
  for (const jobId of [A, B, C]) drives.offer(jobId);
  await settle();
  expect(ids()).toEqual([A]);
  running[0]?.end();
  await settle();
  running[1]?.end();
  await settle();
  expect(ids()).toEqual([A, B, C]);
});

it('hints for a job that waits fall together; one that comes during its run makes it run once more', async () => {
  const { drives, running, settle, ids } = pool(2);
  const first = drives.run(A, 0);
  expect(drives.run(A, 0)).toBe(first);
  await settle();
  const again = drives.run(A, 0);
  expect(drives.run(A, 0)).toBe(again);
  expect(ids()).toEqual([A]);
  running[0]?.end();
  await settle();
  expect(ids()).toEqual([A, A]);
  running[1]?.end();
  expect([await first, await again]).toEqual(['done', 'done']);
});

it('a run that crashed gives its place back and says so', async () => {
  const { drives, running, settle, ids } = pool(1);
  const crashed = drives.run(A, 0);
  drives.offer(B);
  await settle();
  running[0]?.crash();
  expect(await crashed).toBe('crashed');
  await settle();
  expect(ids()).toEqual([A, B]);
  // What the dead run does afterwards changes nothing.
  running[0]?.end();
  drives.offer(C);
  await settle();
  expect(ids()).toEqual([A, B]);
});
