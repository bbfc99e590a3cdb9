/** What every audit keeps, and how a dead letter is settled: once, by whoever came first. */
import { describe, expect, it } from 'vitest';
import { deadLetterIdOf } from '../../lib/core/ids.ts';
import type {
  AuditQuery,
  AuditRecord,
  AuditStore,
  DeadLetter,
  DeadLetterStore,
  ListPosition,
  Settlement,
} from '../../lib/ports.ts';
import { idOf, T0 } from './jobs.ts';
import { eventually, type Make, unique } from './support.ts';

export function auditStoreContract(name: string, makeStore: Make<AuditStore>): void {
  describe(`${name}: audit`, () => {
    it('lists the actions on a job, newest first, whole', async () => {
      const store = await makeStore();
      const jobId = idOf(unique('key'));
      const records = [3, 1, 2].map((n) => audited({ at: T0 + n, jobId }));
      for (const record of [...records, audited()]) await store.put(record);
      const newestFirst = records.toSorted((a, b) => b.at - a.at);
      await eventually(async () => expect(await allAudit(store, { jobId })).toEqual(newestFirst));
    });

    it('keeps the first of two records under one id', async () => {
      const store = await makeStore();
      const jobId = idOf(unique('key'));
      const record = audited({ jobId });
      await store.put(record);
      await store.put({ ...record, reason: 'another' });
      await eventually(async () => expect(await allAudit(store, { jobId })).toEqual([record]));
    });

    it('lists by actor, also what is about no job, and pages without gaps or repeats', async () => {
      const store = await makeStore();
      const actor = unique('operator');
      const records = Array.from({ length: 9 }, (_, n) => audited({ actor, at: T0 + (n % 2), jobId: null }));
      for (const record of records) await store.put(record);
      await eventually(async () => {
        const listed = await allAudit(store, { actor, limit: 2 });
        expect(listed.map(({ auditId }) => auditId).sort()).toEqual(records.map(({ auditId }) => auditId).sort());
        expect(listed.map(({ at }) => at)).toEqual(listed.map(({ at }) => at).toSorted((a, b) => b - a));
      });
      expect(await allAudit(store, { actor, jobId: idOf(unique('key')) })).toEqual([]);
    });
  });
}

export function settlementContract(name: string, makeStore: Make<DeadLetterStore>): void {
  const settlement = (by: string): Settlement => ({
    status: 'replayed',
    by,
    reason: 'the address was corrected',
    at: T0 + 9,
    replayJobId: idOf(unique('key')),
  });

  describe(`${name}: settling a dead letter`, () => {
    it('is told to the one who did it, and shown from then on', async () => {
      const store = await makeStore();
      const record = deadLetter();
      await store.put(record);
      const mine = settlement('operator:ada');
      const settled = { ...record, status: 'replayed', settlement: mine };
      expect(await store.settle(record.deadLetterId, mine)).toEqual(settled);
      expect(await store.get(record.deadLetterId)).toEqual(settled);
    });

    it('happens once: whoever comes later is shown who was first', async () => {
      const store = await makeStore();
      const record = deadLetter();
      await store.put(record);
      const people = Array.from({ length: 20 }, (_, n) => settlement(`operator:${n}`));
      const answers = await Promise.all(people.map((one) => store.settle(record.deadLetterId, one)));
      const [first] = answers;
      expect(people).toContainEqual(first?.settlement);
      expect(answers).toEqual(answers.map(() => first));
    });

    it('outlives later news of the job', async () => {
      const store = await makeStore();
      const record = deadLetter();
      await store.put(record);
      const settled = await store.settle(record.deadLetterId, settlement('operator:ada'));
      await store.put({ ...record, seq: 9, body: { failure_summary: 'news' } });
      const news = { ...settled, seq: 9, body: { failure_summary: 'news' } };
      expect(await store.get(record.deadLetterId)).toEqual(news);
    });

    it('of none makes none', async () => {
      const store = await makeStore();
      const { deadLetterId } = deadLetter();
      expect(await store.settle(deadLetterId, settlement('operator:ada'))).toBeNull();
      expect(await store.get(deadLetterId)).toBeNull();
    });
  });
}

function audited(over: Partial<AuditRecord> = {}): AuditRecord {
  return {
    auditId: unique('audit'),
    at: T0,
    actor: 'operator:ada',
    action: 'cancel',
    subject: 'job',
    jobId: idOf(unique('key')),
    result: 'done',
    reason: 'asked by the customer',
    errorCode: null,
    detail: null,
    ...over,
  };
}

function deadLetter(): DeadLetter {
  const jobId = idOf(unique('key'));
  return {
    deadLetterId: deadLetterIdOf(jobId),
    jobId,
    callerId: 'local',
    workflowType: 'signup',
    reason: 'unrecoverable_error',
    status: 'open',
    quarantinedAt: T0,
    seq: 4,
    body: { failure_summary: 'first' },
    settlement: null,
  };
}

async function allAudit(store: AuditStore, query: Partial<AuditQuery>): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  let after: ListPosition | null = null;
  do {
    const page = await store.list({ jobId: null, actor: null, limit: 100, ...query, after });
    records.push(...page.items);
    after = page.next;
  } while (after !== null);
  return records;
}
