/** What every store of schedules does. */
import { describe, expect, it } from 'vitest';
import type { ScheduleRecord } from '../../lib/core/schedule-record.ts';
import type { ScheduleStore } from '../../lib/ports.ts';
import { T0 } from './jobs.ts';
import { eventually, type Make, unique } from './support.ts';

/** @param over what the test is about */
export function scheduleRecord(over: Partial<ScheduleRecord> = {}): ScheduleRecord {
  return {
    name: unique('schedule'),
    callerId: 'local',
    workflowType: 'research',
    workflowVersion: null,
    input: { question: 'Größe 😀?' },
    correlationId: 'schedule:nightly',
    expression: 'rate(5 minutes)',
    timezone: 'UTC',
    overlap: 'skip',
    backfill: { maxTicks: 1, withinMs: 86_400_000 },
    paused: false,
    removed: false,
    createdAt: T0,
    updatedAt: T0,
    anchorAt: T0,
    decidedAt: T0,
    ticks: [],
    runningJobId: null,
    lookAt: null,
    act: { action: 'set', actor: 'operator:local', reason: 'a test', at: T0, revision: 0, told: true },
    revision: 0,
    writeId: unique('write'),
    ...over,
  };
}

/** The next state of a record, as its next writer would put it. */
function nextOf(record: ScheduleRecord, over: Partial<ScheduleRecord> = {}): ScheduleRecord {
  return { ...record, revision: record.revision + 1, writeId: unique('write'), ...over };
}

export function scheduleStoreContract(name: string, makeStore: Make<ScheduleStore>): void {
  describe(`${name}: schedules`, () => {
    it('are there by name as soon as they are put, and as they were put', async () => {
      const store = await makeStore();
      const record = scheduleRecord({ lookAt: T0 + 5 });
      expect(await store.get(record.name)).toBeNull();
      expect(await store.put(record, null)).toEqual({ stored: true });
      expect(await store.get(record.name)).toEqual(record);
    });

    it('are replaced only by whoever saw the latest; others are told what is there', async () => {
      const store = await makeStore();
      const first = scheduleRecord();
      const second = nextOf(first, { paused: true });
      await store.put(first, null);
      expect(await store.put(scheduleRecord({ name: first.name }), null)).toEqual({ stored: false, current: first });
      expect(await store.put(second, 0)).toEqual({ stored: true });
      expect(await store.put(nextOf(first), 0)).toEqual({ stored: false, current: second });
      expect(await store.put(nextOf(scheduleRecord()), 3)).toEqual({ stored: false, current: null });
      expect(await store.get(first.name)).toEqual(second);
    });

    it('a write whose answer was lost counts as stored when it is made again', async () => {
      const store = await makeStore();
      const record = scheduleRecord();
      const next = nextOf(record);
      await store.put(record, null);
      expect(await store.put(record, null)).toEqual({ stored: true });
      await store.put(next, 0);
      expect(await store.put(next, 0)).toEqual({ stored: true });
    });

    it('give one of those who race the write', async () => {
      const store = await makeStore();
      const record = scheduleRecord();
      const made = await Promise.all(
        Array.from({ length: 5 }, () => store.put({ ...record, writeId: unique('write') }, null)),
      );
      expect(made.filter(({ stored }) => stored)).toHaveLength(1);
    });

    it('are listed by name, a page at a time, without removed ones', async () => {
      const store = await makeStore();
      const prefix = unique('p');
      const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${prefix}-${letter}`);
      for (const one of names) await store.put(scheduleRecord({ name: one }), null);
      const gone = scheduleRecord({ name: `${prefix}-c` });
      await store.put(nextOf(gone, { removed: true }), 0);
      const listed: string[] = [];
      let from: string | null = prefix;
      do {
        const page: Awaited<ReturnType<ScheduleStore['list']>> = await store.list({ limit: 2, after: from });
        listed.push(...page.items.map((record) => record.name));
        from = page.next;
      } while (from !== null);
      expect(listed.filter((one) => one.startsWith(prefix))).toEqual(names.filter((one) => one !== gone.name));
      expect((await store.get(gone.name))?.removed).toBe(true);
    });

    it('are found when their time to look has come, and not before; those without one never', async () => {
      const store = await makeStore();
      const early = scheduleRecord({ lookAt: T0 + 1_000 });
      const late = scheduleRecord({ lookAt: T0 + 2_000 });
      const never = scheduleRecord();
      for (const record of [late, early, never]) await store.put(record, null);
      const ours = [early, late, never].map((record) => record.name);
      const due = async (now: number): Promise<string[]> =>
        (await store.due(now, 100)).filter((found) => ours.includes(found));
      await eventually(async () => expect(await due(T0 + 2_000)).toEqual([early.name, late.name]));
      expect(await due(T0 + 999)).toEqual([]);
      expect(await due(T0 + 1_999)).toEqual([early.name]);
      await store.put(nextOf(early, { lookAt: null }), 0);
      await eventually(async () => expect(await due(T0 + 2_000)).toEqual([late.name]));
    });
  });
}
