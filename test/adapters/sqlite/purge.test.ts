import { describe, expect, it } from 'vitest';
import { deadLetterIdOf } from '../../../lib/core/ids.ts';
import type { Job } from '../../../lib/core/job.ts';
import { sha256Hex } from '../../../lib/core/json.ts';
import { LIMITS } from '../../../lib/core/limits.ts';
import { entry, newJob, silentWrite, T0 } from '../../contracts/jobs.ts';
import { portsOn } from './file.ts';

const KEPT = LIMITS.jobRetentionMs;
const TEXT = '{"large":true}';
const HASH = sha256Hex(TEXT);
type Made = Awaited<ReturnType<typeof portsOn>>;

async function jobWithAll(ports: Made, key: string, over: Partial<Job>): Promise<Job> {
  const job = newJob(key, over);
  const { jobId } = job;
  // Later than the job's own times: only belonging to the job can take it along.
  ports.clock.advance(1_000);
  await ports.values.put(jobId, HASH, TEXT);
  await ports.jobs.create(job);
  await ports.jobs.putHistoryChunk(jobId, 0, [entry(0)]);
  const fixed = { callerId: 'local', workflowType: 'signup', reason: 'unrecoverable_error', status: 'open' } as const;
  await ports.deadLetters.put({
    ...fixed,
    deadLetterId: deadLetterIdOf(jobId),
    jobId,
    quarantinedAt: T0,
    settlement: null,
    seq: 0,
    body: {},
  });
  return job;
}

/** How much of a job is left: the job, its value, its history, its dead letter. */
async function leftOf(ports: Made, { jobId }: Job): Promise<number> {
  const parts = [
    await ports.jobs.read(jobId),
    await ports.values.get(jobId, HASH),
    (await ports.jobs.readHistoryChunks(jobId))[0],
    await ports.deadLetters.get(deadLetterIdOf(jobId)),
  ];
  return parts.filter((part) => part !== null && part !== undefined).length;
}

describe('purge', () => {
  it('removes an ended job with all that belongs to it, at the end of its retention and not before', async () => {
    const ports = await portsOn();
    const ended = await jobWithAll(ports, 'ended', { state: 'FAILED', bucket: null, updatedAt: T0 });
    await ports.purge(T0 + KEPT - 1);
    expect(await leftOf(ports, ended)).toBe(4);
    expect(await ports.purge(T0 + KEPT)).toBeGreaterThan(0);
    expect(await leftOf(ports, ended)).toBe(0);
    expect(await ports.purge(T0 + KEPT)).toBe(0);
  });

  it('keeps jobs that can still move or must still publish, however old', async () => {
    const ports = await portsOn();
    const running = await jobWithAll(ports, 'running', { updatedAt: T0 });
    const unpublished = await jobWithAll(ports, 'unpublished', { state: 'COMPLETED', updatedAt: T0 });
    await ports.purge(T0 + 10 * KEPT);
    expect([await leftOf(ports, running), await leftOf(ports, unpublished)]).toEqual([4, 4]);
  });

  it('counts from the write that ended the job', async () => {
    const ports = await portsOn();
    const job = await jobWithAll(ports, 'later', { updatedAt: T0 });
    await ports.jobs.update(silentWrite(job, { state: 'COMPLETED', bucket: null, updatedAt: T0 + 500 }), job.revision);
    await ports.purge(T0 + KEPT + 499);
    expect(await leftOf(ports, job)).toBe(4);
    await ports.purge(T0 + KEPT + 500);
    expect(await leftOf(ports, job)).toBe(0);
  });

  it('works in bounded steps, the oldest first', async () => {
    const ports = await portsOn();
    const over = (i: number) => ({ state: 'CANCELLED', bucket: null, updatedAt: T0 + i }) as const;
    const jobs: Job[] = [];
    for (const i of [2, 0, 1]) jobs.push(await jobWithAll(ports, `job ${i}`, over(i)));
    const left = async () => Promise.all(jobs.map((job) => leftOf(ports, job)));
    await ports.purge(T0 + 2 * KEPT, 1);
    expect(await left()).toEqual([4, 0, 4]);
    while ((await ports.purge(T0 + 2 * KEPT, 1)) > 0);
    expect(await left()).toEqual([0, 0, 0]);
  });

  it('removes values whose job never came to be, old events, claims and dead messages', async () => {
    const ports = await portsOn();
    const orphan = newJob('never created');
    await ports.values.put(orphan.jobId, HASH, TEXT);
    await ports.bus.publish([{ eventId: 'old', detailType: 'a', detail: {}, time: T0 }]);
    await ports.bus.publish([{ eventId: 'new', detailType: 'b', detail: {}, time: T0 + KEPT }]);
    await ports.claims.claim('intent', T0, LIMITS.keylessWindowMs);
    await ports.purge(T0 + KEPT - 1);
    expect(await ports.values.get(orphan.jobId, HASH)).toBe(TEXT);
    await ports.purge(T0 + KEPT);
    expect(await ports.values.get(orphan.jobId, HASH)).toBeNull();
    expect((await ports.bus.published()).map(({ detailType }) => detailType)).toEqual(['b']);
    expect(ports.database.prepare('SELECT count(*) AS claims FROM claims').get()).toEqual({ claims: 0 });
  });
});
