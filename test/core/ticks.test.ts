/** Which ticks are due, and what becomes of them: overlap, backfill, pause. */
import { describe, expect, it } from 'vitest';
import { calendarOf } from '../../lib/core/calendar.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import type { ScheduleRecord, Tick } from '../../lib/core/schedule-record.ts';
import { decideTicks, dueTicks } from '../../lib/core/ticks.ts';
import { T0 } from '../contracts/jobs.ts';
import { scheduleRecord } from '../contracts/schedules.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const everyHour = calendarOf({ expression: 'rate(1 hour)', timezone: 'UTC', anchorAt: T0 });
const hourly = (over: Partial<ScheduleRecord> = {}) => scheduleRecord({ expression: 'rate(1 hour)', ...over });
const facts = (ms: number, free = true) => ({ now: T0 + ms, free, calendar: everyHour });
/** Each tick as «hour:status». */
const told = (ticks: readonly Tick[]) => ticks.map(({ at, status }) => `${(at - T0) / HOUR}:${status}`);
/** As after its job was submitted. */
const started = (record: ScheduleRecord): ScheduleRecord => ({
  ...record,
  ticks: record.ticks.map((tick) => (tick.status === 'due' ? { ...tick, status: 'started' } : tick)),
});

describe('a tick', () => {
  it('is due from its moment on, and decided once', () => {
    const record = hourly();
    expect(decideTicks({ ...record, lookAt: T0 + HOUR }, facts(HOUR - 1)).ticks).toEqual([]);
    const due = decideTicks(record, facts(HOUR));
    expect(told(due.ticks)).toEqual(['1:due']);
    expect(due.decidedAt).toBe(T0 + HOUR);
    expect(told(decideTicks(started(due), facts(HOUR + 1)).ticks)).toEqual(['1:started']);
  });

  it('has one job id, whoever decides it and whenever', () => {
    const record = hourly();
    const [early] = decideTicks(record, facts(HOUR)).ticks;
    const [late] = decideTicks(record, facts(HOUR + 3 * MINUTE)).ticks;
    expect(early?.jobId).toMatch(/^j[a-z2-7]{26}$/);
    expect(late?.jobId).toBe(early?.jobId);
    const [next] = decideTicks({ ...record, decidedAt: T0 + HOUR }, facts(2 * HOUR)).ticks;
    expect(next?.jobId).not.toBe(early?.jobId);
  });

  it('nothing to decide leaves the very same record', () => {
    const record = hourly({ lookAt: T0 + HOUR });
    expect(decideTicks(record, facts(30 * MINUTE))).toBe(record);
    expect(decideTicks({ ...record, lookAt: null }, facts(30 * MINUTE)).lookAt).toBe(T0 + HOUR);
  });

  it('of a paused or removed schedule is none', () => {
    for (const over of [{ paused: true }, { removed: true }]) {
      const record = hourly(over);
      expect(decideTicks(record, facts(5 * HOUR))).toBe(record);
    }
  });
});

describe('overlap', () => {
  it('skip: while the job of an earlier tick has not ended', () => {
    const record = hourly({ overlap: 'skip' });
    const first = started(decideTicks(record, facts(HOUR)));
    const second = decideTicks(first, facts(2 * HOUR, false));
    expect(told(second.ticks)).toEqual(['1:started', '2:skipped']);
    expect(second.ticks[1]?.reason).toContain(String(first.runningJobId));
    expect(told(decideTicks(second, facts(3 * HOUR)).ticks)).toEqual(['1:started', '2:skipped', '3:due']);
  });

  it('allow: whatever runs', () => {
    const record = hourly({ overlap: 'allow' });
    const first = started(decideTicks(record, facts(HOUR)));
    expect(told(decideTicks(first, facts(2 * HOUR, false)).ticks)).toEqual(['1:started', '2:due']);
  });

  it('queue: in order, one at a time, each when the one before has ended', () => {
    let record = started(decideTicks(hourly({ overlap: 'queue' }), facts(HOUR)));
    record = decideTicks(record, facts(2 * HOUR, false));
    record = decideTicks(record, facts(3 * HOUR, false));
    expect(told(record.ticks)).toEqual(['1:started', '2:queued', '3:queued']);
    expect(record.lookAt).toBe(T0 + 3 * HOUR + LIMITS.scheduleQueueLookMs);
    record = decideTicks(record, facts(3 * HOUR + MINUTE, true));
    expect(told(record.ticks)).toEqual(['1:started', '2:due', '3:queued']);
    record = decideTicks(started(record), facts(3 * HOUR + 2 * MINUTE, false));
    expect(told(record.ticks)).toEqual(['1:started', '2:started', '3:queued']);
    // A tick that comes while one is released does not overtake the queue.
    record = decideTicks(record, facts(4 * HOUR, true));
    expect(told(record.ticks)).toEqual(['1:started', '2:started', '3:due', '4:queued']);
  });

  it('queue: is bounded, and says so', () => {
    const everyMinute = calendarOf({ expression: 'rate(1 minute)', timezone: 'UTC', anchorAt: T0 });
    let record = scheduleRecord({ expression: 'rate(1 minute)', overlap: 'queue' });
    for (let minute = 1; minute <= LIMITS.scheduleQueueMax + 2; minute += 1) {
      record = started(decideTicks(record, { now: T0 + minute * MINUTE, free: minute === 1, calendar: everyMinute }));
    }
    const queued = record.ticks.filter(({ status }) => status === 'queued');
    expect(queued).toHaveLength(LIMITS.scheduleQueueMax);
    expect(record.ticks.at(-1)).toMatchObject({ status: 'skipped', reason: expect.stringContaining('wait already') });
  });
});

describe('backfill', () => {
  const backfill = (maxTicks: number, withinMs: number) => ({ maxTicks, withinMs });
  const due = (hours: number, policy: ReturnType<typeof backfill>, since = 0) => {
    const found = dueTicks(everyHour, T0 + since, T0 + hours * HOUR + MINUTE, policy);
    const hour = (at: number | null) => (at === null ? null : (at - T0) / HOUR);
    return { due: found.due.map(hour), missed: hour(found.missed) };
  };

  it('a tick within the grace is on time, whatever the policy', () => {
    expect(due(1, backfill(0, 0))).toEqual({ due: [1], missed: null });
  });

  it('the newest missed ones are made up for, the others told as one', () => {
    expect(due(10, backfill(3, 24 * HOUR))).toEqual({ due: [7, 8, 9, 10], missed: 6 });
    expect(due(10, backfill(0, 24 * HOUR))).toEqual({ due: [10], missed: 9 });
    expect(due(10, backfill(100, 24 * HOUR))).toEqual({ due: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], missed: null });
  });

  it('none older than the policy says', () => {
    expect(due(10, backfill(100, 2.5 * HOUR))).toEqual({ due: [8, 9, 10], missed: 7 });
    expect(due(10, backfill(100, 0))).toEqual({ due: [10], missed: 9 });
  });

  it('none that was decided before', () => {
    expect(due(10, backfill(100, 24 * HOUR), 8 * HOUR)).toEqual({ due: [9, 10], missed: null });
  });

  it('is exact at the edges of its policy', () => {
    const at = (withinMs: number) => dueTicks(everyHour, T0, T0 + 2 * HOUR + 30 * MINUTE, backfill(100, withinMs)).due;
    const first = 90 * MINUTE;
    expect(at(first)).toEqual([T0 + 2 * HOUR]);
    expect(at(first + 1)).toEqual([T0 + HOUR, T0 + 2 * HOUR]);
  });

  it('years of minutes cost no more than a few looks', () => {
    let asked = 0;
    const everyMinute = {
      after: (from: number) => {
        asked += 1;
        return Math.floor(from / MINUTE) * MINUTE + MINUTE;
      },
    };
    const found = dueTicks(everyMinute, 0, 60 * 365 * 24 * HOUR, backfill(100, 31 * 24 * HOUR));
    expect(found.due).toHaveLength(105);
    expect(asked).toBeLessThan(1_000);
  });
});

it('the last ticks are kept, and all that still wait', () => {
  let record = scheduleRecord({ expression: 'rate(1 hour)', overlap: 'allow' });
  for (let hour = 1; hour <= LIMITS.scheduleTicksKept + 5; hour += 1) {
    record = started(decideTicks(record, facts(hour * HOUR)));
  }
  expect(record.ticks).toHaveLength(LIMITS.scheduleTicksKept);
  expect(record.ticks.at(-1)?.at).toBe(T0 + (LIMITS.scheduleTicksKept + 5) * HOUR);
});
