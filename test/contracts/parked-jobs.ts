/** What every store of jobs finds by gate: the jobs that it holds, each until it is released. */
import { describe, expect, it } from 'vitest';
import type { JobStore, ParkedJob, ParkedPosition } from '../../lib/ports.ts';
import { newJob, silentWrite, T0 } from './jobs.ts';
import { eventually, type Make, unique } from './support.ts';

export function parkedJobsContract(name: string, makeStore: Make<JobStore>): void {
  describe(`${name}: jobs that a gate holds`, () => {
    it('are found by it, each once, page by page', async () => {
      const store = await makeStore();
      const gate = `dependency:${unique('down')}`;
      const jobs = await Promise.all(Array.from({ length: 23 }, (_, at) => parked(store, gate, T0 + at)));
      await parked(store, `dependency:${unique('other')}`, T0);
      const expected = jobs.map(({ jobId, createdAt }) => ({ jobId, createdAt }));
      for (const limit of [100, 23, 5, 1]) {
        await eventually(async () => {
          const found = await allParked(store, gate, limit);
          expect(found.toSorted((a, b) => a.createdAt - b.createdAt)).toEqual(expected);
        });
      }
    });

    it('are gone from the write on that released them, and may be parked again elsewhere', async () => {
      const store = await makeStore();
      const [gate, other] = [`dependency:${unique('down')}`, `pause:${unique('stop')}`];
      const job = await parked(store, gate, T0);
      await eventually(async () => expect(await allParked(store, gate)).toHaveLength(1));
      const moved = silentWrite(job, { parkedOn: other });
      await store.update(moved, job.revision);
      await eventually(async () => expect(await allParked(store, gate)).toEqual([]));
      await eventually(async () => expect((await allParked(store, other))[0]?.jobId).toBe(job.jobId));
      await store.update(silentWrite(moved, { parkedOn: null }), moved.revision);
      await eventually(async () => expect(await allParked(store, other)).toEqual([]));
    });

    it('keep the gate themselves', async () => {
      const store = await makeStore();
      const job = await parked(store, `dependency:${unique('down')}`, T0);
      expect((await store.read(job.jobId))?.parkedOn).toBe(job.parkedOn);
    });

    it('can be found while others are released', async () => {
      const store = await makeStore();
      const gate = `dependency:${unique('down')}`;
      const jobs = await Promise.all(Array.from({ length: 8 }, (_, at) => parked(store, gate, T0 + at)));
      await eventually(async () => expect(await allParked(store, gate)).toHaveLength(8));
      const first = await store.parked({ gate, limit: 3, after: null });
      for (const { jobId } of first.items) {
        const job = jobs.find((one) => one.jobId === jobId);
        if (job !== undefined) await store.update(silentWrite(job, { parkedOn: null }), job.revision);
      }
      const rest = await allParked(store, gate, 3, first.next);
      expect(rest).toHaveLength(5);
    });
  });
}

async function parked(store: JobStore, gate: string, createdAt: number) {
  const job = newJob(unique('held'), { createdAt });
  await store.create(job);
  const held = silentWrite(job, { parkedOn: gate });
  expect(await store.update(held, job.revision)).toEqual({ stored: true });
  return held;
}

async function allParked(store: JobStore, gate: string, limit = 100, from: ParkedPosition | null = null) {
  const found: ParkedJob[] = [];
  let after = from;
  do {
    const page = await store.parked({ gate, limit, after });
    found.push(...page.items);
    after = page.next;
  } while (after !== null);
  return found;
}
