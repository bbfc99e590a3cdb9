/** What every store of values, claims and dead letters does. */
import { describe, expect, it } from 'vitest';
import { deadLetterIdOf } from '../../lib/core/ids.ts';
import { sha256Hex } from '../../lib/core/json.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import type {
  ClaimStore,
  DeadLetter,
  DeadLetterQuery,
  DeadLetterStore,
  ListPosition,
  ValueStore,
} from '../../lib/ports.ts';
import { idOf, T0 } from './jobs.ts';
import { eventually, type Make, unique } from './support.ts';

export function valueStoreContract(name: string, makeStore: Make<ValueStore>): void {
  describe(`${name}: values by content`, () => {
    it('are read as they were put, large and of any script', async () => {
      const store = await makeStore();
      const jobId = idOf(unique('key'));
      for (const text of ['{}', '"Größe 😀 \\u0000"', JSON.stringify('x'.repeat(200_000))]) {
        await store.put(jobId, sha256Hex(text), text);
        expect(await store.get(jobId, sha256Hex(text))).toBe(text);
      }
    });

    it('may be put again, also at the same time', async () => {
      const store = await makeStore();
      const jobId = idOf(unique('key'));
      const text = '{"a":1}';
      await Promise.all(Array.from({ length: 5 }, () => store.put(jobId, sha256Hex(text), text)));
      expect(await store.get(jobId, sha256Hex(text))).toBe(text);
    });

    it('belong to one job', async () => {
      const store = await makeStore();
      const text = '{"a":1}';
      await store.put(idOf(unique('key')), sha256Hex(text), text);
      expect(await store.get(idOf(unique('key')), sha256Hex(text))).toBeNull();
    });

    it('are never answered when they are not what their hash says', async () => {
      const store = await makeStore();
      const jobId = idOf(unique('key'));
      const hash = sha256Hex('{"a":1}');
      // A store may notice at once, or when it reads.
      const detected = store.put(jobId, hash, '{"a":2}').then(() => store.get(jobId, hash));
      await expect(detected).rejects.toThrow(hash);
    });
  });
}

export function claimStoreContract(name: string, makeStore: Make<ClaimStore>): void {
  const WINDOW = LIMITS.keylessWindowMs;

  describe(`${name}: claims`, () => {
    it('hold their start until the window has passed, and not a millisecond longer', async () => {
      const store = await makeStore();
      const intent = unique('intent');
      const starts: number[] = [];
      for (const at of [0, 1, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW - 1, 2 * WINDOW]) {
        starts.push((await store.claim(intent, T0 + at, WINDOW)) - T0);
      }
      expect(starts).toEqual([0, 0, 0, WINDOW, WINDOW, WINDOW, 2 * WINDOW]);
    });

    it('give one start to all that race for it', async () => {
      const store = await makeStore();
      const intent = unique('intent');
      for (const round of [0, WINDOW + 1_000]) {
        const racers = Array.from({ length: 50 }, (_, i) => store.claim(intent, T0 + round + i, WINDOW));
        expect(new Set(await Promise.all(racers)).size).toBe(1);
      }
    });

    it('hold against a clock that is behind', async () => {
      const store = await makeStore();
      const intent = unique('intent');
      await store.claim(intent, T0, WINDOW);
      expect(await store.claim(intent, T0 - 1_000, WINDOW)).toBe(T0);
    });

    it('do not stand in the way of another intent', async () => {
      const store = await makeStore();
      await store.claim(unique('intent'), T0, WINDOW);
      expect(await store.claim(unique('intent'), T0 + 5, WINDOW)).toBe(T0 + 5);
    });
  });
}

const ALL: DeadLetterQuery = {
  callerId: null,
  reason: null,
  workflowType: null,
  status: null,
  limit: 100,
  after: null,
};

export function deadLetterStoreContract(name: string, makeStore: Make<DeadLetterStore>): void {
  describe(`${name}: dead letters`, () => {
    it('are there by id as soon as they are put', async () => {
      const store = await makeStore();
      const record = deadLetter();
      expect(await store.get(record.deadLetterId)).toBeNull();
      await store.put(record);
      expect(await store.get(record.deadLetterId)).toEqual(record);
    });

    it('are refreshed by later news, but keep their status and date', async () => {
      const store = await makeStore();
      const first = deadLetter({ status: 'discarded' });
      const news = { reason: 'compensation_failed', seq: 9, body: { failure_summary: 'news' } };
      await store.put(first);
      await store.put({ ...first, ...news, status: 'open', quarantinedAt: T0 + 5_000 });
      expect(await store.get(first.deadLetterId)).toEqual({ ...first, ...news });
    });

    it('ignore older news and take the same again', async () => {
      const store = await makeStore();
      const record = deadLetter({ seq: 7 });
      await store.put(record);
      await store.put({ ...record, seq: 6, body: { failure_summary: 'old' } });
      expect(await store.get(record.deadLetterId)).toEqual(record);
      await store.put(record);
      expect(await store.get(record.deadLetterId)).toEqual(record);
    });

    it('are listed newest first, filtered, and paged without gaps or repeats', async () => {
      const store = await makeStore();
      const workflowType = unique('type');
      const made = (at: number, over: Partial<DeadLetter> = {}) =>
        deadLetter({ workflowType, quarantinedAt: T0 + at, ...over });
      const a = made(1, { callerId: unique('caller') });
      const b = made(2, { status: 'replayed' });
      const rest = Array.from({ length: 7 }, () => made(3, { reason: 'poison_message' }));
      for (const record of [b, a, ...rest]) await store.put(record);

      const list = (query: Partial<DeadLetterQuery>) => allDeadLetters(store, { workflowType, ...query });
      await eventually(async () => {
        const listed = await list({ limit: 2 });
        expect(listed.slice(-2)).toEqual([b, a]);
        expect(idsOf(listed)).toEqual(idsOf([a, b, ...rest]));
      });
      expect(await list({ callerId: a.callerId })).toEqual([a]);
      expect(await list({ status: 'replayed' })).toEqual([b]);
      expect(idsOf(await list({ reason: 'poison_message' }))).toEqual(idsOf(rest));
      expect(await list({ reason: 'poison_message', status: 'replayed' })).toEqual([]);
    });
  });
}

function deadLetter(over: Partial<DeadLetter> = {}): DeadLetter {
  const jobId = idOf(unique('key'));
  return {
    deadLetterId: deadLetterIdOf(jobId),
    jobId,
    callerId: 'local',
    workflowType: 'signup',
    reason: 'unrecoverable_error',
    status: 'open',
    quarantinedAt: T0,
    settlement: null,
    seq: 4,
    body: { failure_summary: 'first', retry_history: [{ attempt: 1 }] },
    ...over,
  };
}

async function allDeadLetters(store: DeadLetterStore, query: Partial<DeadLetterQuery>): Promise<DeadLetter[]> {
  const records: DeadLetter[] = [];
  let after: ListPosition | null = null;
  do {
    const page = await store.list({ ...ALL, ...query, after });
    records.push(...page.items);
    after = page.next;
  } while (after !== null);
  return records;
}

function idsOf(records: readonly DeadLetter[]): string[] {
  return records.map((record) => record.deadLetterId).sort();
}
