/** What every store of jobs finds: what is due in a shard, and lists. Both may lag; neither may miss for good. */
import { describe, expect, it } from 'vitest';
import type { Job } from '../../lib/core/job.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { shardOf } from '../../lib/core/shard.ts';
import type { JobStore } from '../../lib/ports.ts';
import { newJob, silentWrite, T0 } from './jobs.ts';
import { allPages, EVERYTHING, eventually, type Make, unique } from './support.ts';

const MINUTE = 60_000;

export function jobIndexContract(name: string, makeStore: Make<JobStore>): void {
  describe(`${name}: jobs that are due`, () => {
    it('are those of the shard whose bucket has begun, oldest bucket first', async () => {
      const store = await makeStore();
      const [late, early, future] = await createAll(store, [
        inShard(3, { bucket: T0 + 10 * MINUTE, nextActionAt: T0 + 12 * MINUTE }),
        inShard(3, { bucket: T0, nextActionAt: null }),
        inShard(3, { bucket: T0 + 15 * MINUTE }),
      ]);
      await eventually(async () => {
        const due = await dueAmong(store, 3, T0 + 10 * MINUTE, [late, early, future]);
        expect(due).toEqual([
          { jobId: early?.jobId, nextActionAt: null },
          { jobId: late?.jobId, nextActionAt: T0 + 12 * MINUTE },
        ]);
      });
    });

    it('appear in their own shard only', async () => {
      const store = await makeStore();
      const jobs = await createAll(store, [inShard(4), inShard(5)]);
      const found = async (shard: number) => (await dueAmong(store, shard, T0, jobs)).map(({ jobId }) => jobId);
      await eventually(async () => expect(await found(4)).toEqual([jobs[0]?.jobId]));
      await eventually(async () => expect(await found(5)).toEqual([jobs[1]?.jobId]));
      expect(await found(6)).toEqual([]);
    });

    it('are no jobs without a bucket, from the write on that removed it', async () => {
      const store = await makeStore();
      const [job] = await createAll(store, [inShard(7)]);
      if (job === undefined) throw new Error('no job was made');
      await eventually(async () => expect(await dueAmong(store, 7, T0, [job])).toHaveLength(1));
      await store.update(silentWrite(job, { bucket: null }), job.revision);
      await eventually(async () => expect(await dueAmong(store, 7, T0 + LIMITS.jobDeadlineMsMax, [job])).toEqual([]));
    });

    it('follow a bucket that moves later, and earlier again', async () => {
      const store = await makeStore();
      const [job] = await createAll(store, [inShard(8)]);
      if (job === undefined) throw new Error('no job was made');
      const later = silentWrite(job, { bucket: T0 + 30 * MINUTE });
      await store.update(later, job.revision);
      await eventually(async () => expect(await dueAmong(store, 8, T0 + 29 * MINUTE, [job])).toEqual([]));
      await eventually(async () => expect(await dueAmong(store, 8, T0 + 30 * MINUTE, [job])).toHaveLength(1));
      await store.update(silentWrite(later, { bucket: T0 + 5 * MINUTE }), later.revision);
      await eventually(async () => expect(await dueAmong(store, 8, T0 + 5 * MINUTE, [job])).toHaveLength(1));
    });

    it('show the next action of the latest write though the bucket stayed', async () => {
      const store = await makeStore();
      const [job] = await createAll(store, [inShard(9)]);
      if (job === undefined) throw new Error('no job was made');
      await store.update(silentWrite(job, { nextActionAt: T0 + 3 * MINUTE }), job.revision);
      await eventually(async () => {
        expect(await dueAmong(store, 9, T0, [job])).toEqual([{ jobId: job.jobId, nextActionAt: T0 + 3 * MINUTE }]);
      });
    });

    it('come no more than asked for, the oldest', async () => {
      const store = await makeStore();
      // Older than those of other tests in a store that is shared.
      const jobs = await createAll(
        store,
        Array.from({ length: 5 }, (_, i) => inShard(10, { bucket: 1_000 + i })),
      );
      await eventually(async () => {
        const { items: due, next } = await store.due({ shard: 10, now: T0, limit: 3, after: null });
        expect(due.map(({ jobId }) => jobId)).toEqual(jobs.slice(0, 3).map(({ jobId }) => jobId));
        const rest = await store.due({ shard: 10, now: 1_010, limit: 3, after: next });
        expect(rest.items.map(({ jobId }) => jobId)).toEqual(jobs.slice(3).map(({ jobId }) => jobId));
      });
      for (const job of jobs) await store.update(silentWrite(job, { bucket: null }), job.revision);
    });
  });

  describe(`${name}: lists of jobs`, () => {
    it('are newest first and show the jobs whole', async () => {
      const store = await makeStore();
      const callerId = unique('caller');
      const jobs = await createAll(
        store,
        [30, 10, 20].map((at) => newJob(unique('key'), { callerId, createdAt: T0 + at })),
      );
      const newestFirst = jobs.toSorted((a, b) => b.createdAt - a.createdAt);
      await eventually(async () => expect(await allPages(store, { callerId })).toEqual(newestFirst));
    });

    it("show a caller no other caller's jobs, and operators those of all", async () => {
      const store = await makeStore();
      const workflowType = unique('type');
      const [mine, theirs] = await createAll(
        store,
        ['mine', 'theirs'].map((who) => newJob(unique('key'), { workflowType, callerId: unique(who) })),
      );
      await eventually(async () => {
        expect(await allPages(store, { workflowType, callerId: mine?.callerId ?? '' })).toEqual([mine]);
        expect(idsOf(await allPages(store, { workflowType }))).toEqual(idsOf([mine, theirs]));
      });
    });

    it('filter by state, type, correlation and time, bounds included, also combined', async () => {
      const store = await makeStore();
      const callerId = unique('caller');
      const correlationId = unique('correlation');
      const made = (over: Partial<Job>) => newJob(unique('key'), { callerId, correlationId, ...over });
      const [a, b, c, d] = await createAll(store, [
        made({ createdAt: T0, state: 'FAILED' }),
        made({ createdAt: T0 + 1, workflowType: 'order' }),
        made({ createdAt: T0 + 2, correlationId: unique('other') }),
        made({ createdAt: T0 + 3, state: 'FAILED', workflowType: 'order' }),
      ]);
      const rows: [Partial<typeof EVERYTHING>, (Job | undefined)[]][] = [
        [{ callerId, state: 'FAILED' }, [d, a]],
        [{ callerId, workflowType: 'order' }, [d, b]],
        [{ correlationId }, [d, b, a]],
        [{ correlationId, callerId, state: 'FAILED', workflowType: 'order' }, [d]],
        [{ correlationId, callerId: unique('stranger') }, []],
        [{ callerId, from: T0 + 1 }, [d, c, b]],
        [{ callerId, to: T0 + 1 }, [b, a]],
        [{ callerId, from: T0 + 1, to: T0 + 2 }, [c, b]],
        [{ callerId, state: 'COMPLETED' }, []],
      ];
      for (const [query, expected] of rows) {
        await eventually(async () => expect(await allPages(store, query), JSON.stringify(query)).toEqual(expected));
      }
    });

    it('find by its id a job that correlates with itself only, among those that name it', async () => {
      const store = await makeStore();
      const callerId = unique('caller');
      const made = (createdAt: number, over: Partial<Job>) => newJob(unique('key'), { callerId, createdAt, ...over });
      const plain = made(T0 + 2, {});
      const root = { ...plain, correlationId: plain.jobId };
      const [older, newer] = [T0 + 1, T0 + 3].map((at) => made(at, { correlationId: root.jobId }));
      const stranger = made(T0 + 4, { correlationId: unique('other') });
      await createAll(store, [root, stranger, ...[older, newer].flatMap((job) => job ?? [])]);
      await eventually(async () => {
        for (const limit of [1, 100]) {
          expect(await allPages(store, { correlationId: root.jobId, limit })).toEqual([newer, root, older]);
        }
      });
      expect(await allPages(store, { correlationId: root.jobId, callerId: unique('stranger') })).toEqual([]);
    });

    it('filter by the state of now, not by that of creation', async () => {
      const store = await makeStore();
      const [job] = await createAll(store, [newJob(unique('key'), { callerId: unique('caller') })]);
      if (job === undefined) throw new Error('no job was made');
      const ended = silentWrite(job, { state: 'COMPLETED' });
      await store.update(ended, job.revision);
      const { callerId } = job;
      await eventually(async () => {
        expect(await allPages(store, { callerId, state: 'COMPLETED' })).toEqual([ended]);
        expect(await allPages(store, { callerId, state: 'PENDING' })).toEqual([]);
      });
    });

    it('page without gaps or repeats, also among jobs of one millisecond and while new ones come', async () => {
      const store = await makeStore();
      const callerId = unique('caller');
      const made = (at: number) => newJob(unique('key'), { callerId, createdAt: T0 + at });
      const jobs = await createAll(
        store,
        Array.from({ length: 23 }, (_, i) => made(i < 15 ? 7 : i)),
      );
      await eventually(async () => expect(idsOf(await allPages(store, { callerId }))).toEqual(idsOf(jobs)));

      const seen: Job[] = [];
      let page = await store.list({ ...EVERYTHING, callerId, limit: 4 });
      for (;;) {
        expect(page.items.length).toBeLessThanOrEqual(4);
        seen.push(...page.items);
        if (page.next === null) break;
        await store.create(made(1_000));
        page = await store.list({ ...EVERYTHING, callerId, limit: 4, after: page.next });
      }
      expect(seen.map((job) => job.createdAt)).toEqual(seen.map((job) => job.createdAt).toSorted((a, b) => b - a));
      expect(idsOf(seen)).toEqual(idsOf(jobs));
      expect(seen).toHaveLength(jobs.length);
    });

    it('end with a page that says so', async () => {
      const store = await makeStore();
      const callerId = unique('caller');
      await createAll(
        store,
        Array.from({ length: 4 }, () => newJob(unique('key'), { callerId })),
      );
      await eventually(async () => expect(await allPages(store, { callerId, limit: 2 })).toHaveLength(4));
      expect((await store.list({ ...EVERYTHING, callerId: unique('nobody') })).next).toBeNull();
    });
  });
}

async function createAll(store: JobStore, jobs: Job[]): Promise<Job[]> {
  for (const job of jobs) expect(await store.create(job)).toEqual({ created: true });
  return jobs;
}

/** Draws keys until one lands in the shard: one in sixteen does. */
function inShard(shard: number, over: Partial<Job> = {}): Job {
  for (;;) {
    const job = newJob(unique('key'), over);
    if (shardOf(job.jobId) === shard) return job;
  }
}

async function dueAmong(store: JobStore, shard: number, now: number, jobs: readonly (Job | undefined)[]) {
  const { items: due } = await store.due({ shard, now, limit: LIMITS.sweepBatchMax, after: null });
  return due.filter(({ jobId }) => jobs.some((job) => job?.jobId === jobId));
}

function idsOf(jobs: readonly (Job | undefined)[]): string[] {
  return jobs.map((job) => job?.jobId ?? 'missing').sort();
}
