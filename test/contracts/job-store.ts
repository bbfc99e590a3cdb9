/** What every store of jobs does with one job: conditional writes, own writes recognised, the latest state read. */
import { describe, expect, it } from 'vitest';
import { JOB_SCHEMA, type Job } from '../../lib/core/job.ts';
import { NewerSchemaError } from '../../lib/core/newer-schema.ts';
import type { JobStore } from '../../lib/ports.ts';
import { CALLER, completedSignup, entry, idOf, newJob, nextWrite, silentWrite } from './jobs.ts';
import { allPages, eventually, type Make, unique } from './support.ts';

export function jobStoreContract(name: string, makeStore: Make<JobStore>): void {
  describe(`${name}: creating a job`, () => {
    it('stores it as it is', async () => {
      const store = await makeStore();
      const job = { ...completedSignup(), ...ids(newJob(unique('key'))) };
      expect(await store.create(job)).toEqual({ created: true });
      expect(await store.read(job.jobId)).toEqual(job);
    });

    it('shows the second creator the job of the first', async () => {
      const store = await makeStore();
      const first = newJob(unique('key'));
      await store.create(first);
      const second = newJob(first.idempotencyKey, { correlationId: 'another' });
      expect(await store.create(second)).toEqual({ created: false, existing: first });
      expect(await store.read(first.jobId)).toEqual(first);
    });

    it('lets exactly one of many racing creators win, and shows the others its job', async () => {
      const store = await makeStore();
      const key = unique('key');
      const racers = Array.from({ length: 50 }, () => newJob(key));
      const answers = await Promise.all(racers.map((job) => store.create(job)));
      const winners = racers.filter((_, i) => answers[i]?.created);
      expect(winners).toHaveLength(1);
      const losers = answers.filter((answer) => !answer.created);
      expect(losers).toEqual(losers.map(() => ({ created: false, existing: winners[0] })));
    });

    it('counts a repeated create of ours as created', async () => {
      const store = await makeStore();
      const job = newJob(unique('key'));
      await store.create(job);
      expect(await store.create(job)).toEqual({ created: true });
    });

    it('recognises its create in entry 0 when somebody wrote on top', async () => {
      const store = await makeStore();
      const job = newJob(unique('key'));
      const later = nextWrite(job);
      await store.create(job);
      await store.update(later, job.revision);
      expect(await store.create(job)).toEqual({ created: true });
      expect(await store.read(job.jobId)).toEqual(later);
    });
  });

  describe(`${name}: updating a job`, () => {
    it('replaces it when the revision is the expected one, and reads see that at once', async () => {
      const store = await makeStore();
      let job = await created(store);
      for (let i = 0; i < 10; i += 1) {
        const next = nextWrite(job, { lastErrorMessage: `write ${i}` });
        expect(await store.update(next, job.revision)).toEqual({ stored: true });
        expect(await store.read(job.jobId)).toEqual(next);
        job = next;
      }
    });

    it('leaves the job alone when the revision is another one, and shows what is there', async () => {
      const store = await makeStore();
      const job = await created(store);
      const theirs = nextWrite(job);
      await store.update(theirs, job.revision);
      expect(await store.update(nextWrite(job), job.revision)).toEqual({ stored: false, current: theirs });
      expect(await store.read(job.jobId)).toEqual(theirs);
    });

    it('stores nothing for a job that does not exist', async () => {
      const store = await makeStore();
      const job = newJob(unique('key'));
      expect(await store.update(nextWrite(job), job.revision)).toEqual({ stored: false, current: null });
      expect(await store.read(job.jobId)).toBeNull();
    });

    it('lets exactly one of 200 racing updates win', async () => {
      const store = await makeStore();
      const job = await created(store);
      const racers = Array.from({ length: 200 }, () => nextWrite(job));
      const answers = await Promise.all(racers.map((next) => store.update(next, job.revision)));
      const winners = racers.filter((_, i) => answers[i]?.stored);
      expect(winners).toHaveLength(1);
      expect(await store.read(job.jobId)).toEqual(winners[0]);
      const losers = answers.filter((answer) => !answer.stored);
      expect(losers).toEqual(losers.map(() => ({ stored: false, current: winners[0] })));
    });

    it('counts an update made twice as stored, both times', async () => {
      const store = await makeStore();
      let job = await created(store);
      for (const write of [nextWrite, silentWrite]) {
        const mine = write(job);
        expect(await store.update(mine, job.revision)).toEqual({ stored: true });
        expect(await store.update(mine, job.revision)).toEqual({ stored: true });
        expect(await store.read(job.jobId)).toEqual(mine);
        job = mine;
      }
    });

    it('recognises its update by the mark in the history when somebody wrote on top', async () => {
      const store = await makeStore();
      const job = await created(store);
      const mine = nextWrite(job);
      const theirs = nextWrite(mine);
      await store.update(mine, job.revision);
      await store.update(theirs, mine.revision);
      expect(await store.update(mine, job.revision)).toEqual({ stored: true });
      expect(await store.read(job.jobId)).toEqual(theirs);
    });

    it('takes nobody for itself: a foreign write at the same revision is not ours', async () => {
      const store = await makeStore();
      const job = await created(store);
      const theirs = nextWrite(nextWrite(job), { revision: job.revision + 1 });
      await store.update(theirs, job.revision);
      for (const mine of [nextWrite(job), silentWrite(job)]) {
        expect(await store.update(mine, job.revision)).toEqual({ stored: false, current: theirs });
      }
    });

    it('shares no record with its callers', async () => {
      const store = await makeStore();
      const job = await created(store);
      const before = structuredClone(job);
      (job.history as Job['history'][number][]).push(entry(99));
      const read = (await store.read(job.jobId)) ?? job;
      (read.steps as Job['steps'][number][]).pop();
      expect(await store.read(job.jobId)).toEqual(before);
    });
  });

  describe(`${name}: jobs of a newer schema`, () => {
    const newer = () => newJob(unique('key'), { schema: JOB_SCHEMA + 1, callerId: unique('caller') });

    it('are refused by a typed error, and never changed', async () => {
      const store = await makeStore();
      const job = newer();
      await store.create(job);
      await expect(store.read(job.jobId)).rejects.toThrow(NewerSchemaError);
      await expect(store.create(newJob(job.idempotencyKey, { callerId: job.callerId }))).rejects.toThrow(
        NewerSchemaError,
      );
      await expect(store.update(nextWrite(job, { schema: JOB_SCHEMA }), 0)).rejects.toThrow(NewerSchemaError);
    });

    it('are left out of lists', async () => {
      const store = await makeStore();
      const job = newer();
      const known = newJob(unique('key'), { callerId: job.callerId });
      await store.create(job);
      await store.create(known);
      await eventually(async () => expect(await allPages(store, { callerId: job.callerId })).toEqual([known]));
    });
  });

  describe(`${name}: history stored apart`, () => {
    it('is read in order of sequence, whatever the order of writing', async () => {
      const store = await makeStore();
      const jobId = idOf(unique('key'));
      const entries = Array.from({ length: 96 }, (_, seq) => entry(seq, { evidence: seq % 7 === 0 ? 'seen' : null }));
      for (const chunk of [1, 0, 2])
        await store.putHistoryChunk(jobId, chunk, entries.slice(chunk * 32, chunk * 32 + 32));
      expect(await store.readHistoryChunks(jobId)).toEqual(entries);
    });

    it('may be put again', async () => {
      const store = await makeStore();
      const jobId = idOf(unique('key'));
      const entries = [entry(0), entry(1)];
      await store.putHistoryChunk(jobId, 0, entries);
      await store.putHistoryChunk(jobId, 0, entries);
      expect(await store.readHistoryChunks(jobId)).toEqual(entries);
    });

    it('is none for a job without', async () => {
      const store = await makeStore();
      expect(await store.readHistoryChunks(idOf(unique('key')))).toEqual([]);
    });
  });
}

async function created(store: JobStore): Promise<Job> {
  const job = newJob(unique('key'));
  await store.create(job);
  return job;
}

function ids({ jobId, idempotencyKey }: Job): Pick<Job, 'jobId' | 'idempotencyKey' | 'callerId'> {
  return { jobId, idempotencyKey, callerId: CALLER };
}
