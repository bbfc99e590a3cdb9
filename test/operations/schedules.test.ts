/**
 * Ticks of schedules on memory ports: each becomes one job, whoever dies where and however many look at once; what people
 * do to schedules takes effect from then on, and is told in the audit.
 */
import { describe, expect, it } from 'vitest';
import { crashable } from '../../lib/adapters/crashable.ts';
import type { ScheduleRecord, Tick } from '../../lib/core/schedule-record.ts';
import { tickKey } from '../../lib/core/schedule-record.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import {
  listSchedules,
  pauseSchedule,
  readSchedule,
  removeSchedule,
  type ScheduleWish,
  setSchedule,
} from '../../lib/operations/schedules.ts';
import { tick, tickDue } from '../../lib/operations/tick.ts';
import { type World, world } from './world.ts';

const MINUTE = 60_000;
const viewer = { callerId: 'ada', role: 'operator' } as const;
const request = { name: 'nightly', viewer, reason: 'a test', expectedRevision: null };
const WISH: ScheduleWish = {
  workflowType: 'research',
  workflowVersion: null,
  input: { question: 'what is new?' },
  expression: 'rate(5 minutes)',
  timezone: 'UTC',
  overlap: 'skip',
  backfill: { maxTicks: 1, withinMs: 24 * 60 * MINUTE },
  paused: null,
  callerId: null,
  correlationId: null,
};

async function set(where: World, wish: Partial<ScheduleWish> = {}): Promise<ScheduleRecord> {
  const result = await setSchedule(where.engine('operate'), request, { ...WISH, ...wish });
  if (result.kind === 'refused') throw new Error(result.detail);
  return result.record;
}

async function stored(where: World): Promise<ScheduleRecord> {
  const record = await where.ports.schedules.get('nightly');
  if (record === null) throw new Error('there is no schedule');
  return record;
}

const look = (where: World) => tickDue(where.engine('watchdog'));
const statuses = (ticks: readonly Tick[]) => ticks.map(({ status }) => status);
const jobsOf = async (where: World) =>
  (await where.ports.jobs.list({ ...EVERY, correlationId: 'schedule:nightly' })).items;
const EVERY = {
  callerId: null,
  state: null,
  workflowType: null,
  correlationId: null,
  from: null,
  to: null,
  limit: 100,
  after: null,
};
const audited = async (where: World) =>
  (await where.ports.audit.list({ jobId: null, actor: null, limit: 100, after: null })).items.map(
    ({ action, result }) => `${action} ${result}`,
  );

describe('a tick', () => {
  it('becomes a job of the one who set the schedule, under a key of its own', async () => {
    const where = world();
    const { anchorAt } = await set(where);
    where.ports.clock.advance(5 * MINUTE - 1_000);
    await look(where);
    expect(await jobsOf(where)).toEqual([]);
    where.ports.clock.advance(MINUTE);
    await look(where);
    const [job] = await jobsOf(where);
    expect(job).toMatchObject({
      callerId: 'ada',
      source: 'schedule',
      workflowType: 'research',
      idempotencyKey: tickKey('nightly', anchorAt + 5 * MINUTE),
      correlationId: 'schedule:nightly',
    });
    const record = await stored(where);
    expect(record.ticks).toEqual([{ at: anchorAt + 5 * MINUTE, status: 'started', jobId: job?.jobId, reason: null }]);
    expect(record.lookAt).toBe(anchorAt + 10 * MINUTE);
    expect(await where.untilQuiet(job?.jobId as never, MINUTE)).toBe(true);
  });

  it('that is looked at by many at once is one job', async () => {
    const where = world();
    await set(where);
    for (let round = 1; round <= 3; round += 1) {
      where.ports.clock.advance(5 * MINUTE);
      await Promise.all(['a', 'b', 'c', 'd'].map((name) => tick(where.engine(name), 'nightly')));
    }
    const record = await stored(where);
    expect(record.ticks).toHaveLength(3);
    expect(await jobsOf(where)).toHaveLength(record.ticks.filter(({ status }) => status === 'started').length);
  });

  it('whose looker dies at any outside call, before or after it took effect, is one job all the same', async () => {
    const calls = await callsOfOneTick();
    expect(calls).toContain('schedules.put');
    expect(calls).toContain('jobs.create');
    for (const mode of ['before', 'after'] as const) {
      for (let atCall = 1; atCall <= calls.length; atCall += 1) {
        const where = world();
        await set(where, { overlap: 'skip' });
        where.ports.clock.advance(5 * MINUTE);
        await dyingAt(where, atCall, mode);
        await look(where);
        const place = `${mode} ${calls[atCall - 1]} (${atCall})`;
        expect(statuses((await stored(where)).ticks), place).toEqual(['started']);
        expect(await jobsOf(where), place).toHaveLength(1);
      }
    }
  });

  it('that cannot become a job is a dead letter, and the schedule says so', async () => {
    const where = world();
    await set(where);
    const record = await stored(where);
    await where.ports.schedules.put(
      { ...record, input: { no: 'question' }, revision: 9, writeId: 'w' },
      record.revision,
    );
    where.ports.clock.advance(5 * MINUTE);
    await look(where);
    const [one] = (await stored(where)).ticks;
    expect(one).toMatchObject({ status: 'refused', reason: expect.stringContaining('CONTRACT_INPUT_INVALID') });
    expect((await where.ports.jobs.read(one?.jobId as never))?.state).toBe('DEAD_LETTERED');
    // It stands in nobody's way.
    where.ports.clock.advance(5 * MINUTE);
    await look(where);
    expect(statuses((await stored(where)).ticks)).toEqual(['refused', 'refused']);
  });

  it('one schedule that fails keeps no other from its ticks', async () => {
    const where = world();
    await set(where);
    await setSchedule(where.engine('operate'), { ...request, name: 'other' }, WISH);
    where.ports.clock.advance(5 * MINUTE);
    const engine = where.engine('watchdog');
    const { schedules } = engine.ports;
    const get: typeof schedules.get = (name) =>
      name === 'nightly' ? Promise.reject(new Error('unreadable')) : schedules.get(name);
    const report = await tickDue({ ...engine, ports: { ...engine.ports, schedules: { ...schedules, get } } });
    expect(report).toEqual({ looked: 2, failed: 1 });
    expect(await jobsOf(where)).toEqual([]);
    expect(statuses((await readSchedule(engine, 'other'))?.ticks ?? [])).toEqual(['started']);
  });
});

/** The names of a look's outside calls, in order. */
async function callsOfOneTick(): Promise<readonly string[]> {
  const where = world();
  await set(where);
  where.ports.clock.advance(5 * MINUTE);
  const { ports, ...engine } = where.engine('watchdog');
  const watched = crashable(ports, { atCall: Number.POSITIVE_INFINITY, mode: 'before' });
  await tickDue({ ...engine, ports: watched.ports });
  return watched.calls();
}

async function dyingAt(where: World, atCall: number, mode: 'before' | 'after'): Promise<void> {
  const { ports, ...engine } = where.engine('watchdog');
  const dying = crashable(ports, { atCall, mode });
  void tickDue({ ...engine, ports: dying.ports } as Engine);
  await where.ports.clock.settle();
  expect(dying.crashed()).toBe(true);
}

describe('an overlap', () => {
  it('is skipped while the job of the tick before runs, and not afterwards', async () => {
    const where = world();
    await set(where, { overlap: 'skip' });
    where.ports.clock.advance(5 * MINUTE);
    await look(where);
    where.ports.clock.advance(5 * MINUTE);
    await look(where);
    const [first] = await jobsOf(where);
    expect(statuses((await stored(where)).ticks)).toEqual(['started', 'skipped']);
    await where.untilQuiet(first?.jobId as never, MINUTE);
    where.ports.clock.advance(5 * MINUTE);
    await look(where);
    expect(statuses((await stored(where)).ticks)).toEqual(['started', 'skipped', 'started']);
  });

  it('waits for its turn, and starts within a minute after it', async () => {
    const where = world();
    await set(where, { overlap: 'queue' });
    for (const _ of [1, 2, 3]) {
      where.ports.clock.advance(5 * MINUTE);
      await look(where);
    }
    expect(statuses((await stored(where)).ticks)).toEqual(['started', 'queued', 'queued']);
    for (const expected of [
      ['started', 'started', 'queued'],
      ['started', 'started', 'started'],
    ]) {
      const { runningJobId } = await stored(where);
      await where.untilQuiet(runningJobId as never, 30_000);
      where.ports.clock.advance(MINUTE);
      await look(where);
      expect(statuses((await stored(where)).ticks)).toEqual(expected);
    }
    expect(await jobsOf(where)).toHaveLength(3);
  });
});

describe('what people do to schedules', () => {
  it('is told in the audit, done or refused, also when whoever did it died before', async () => {
    const where = world();
    await set(where);
    await pauseSchedule(where.engine('operate'), request, true);
    await pauseSchedule(where.engine('operate'), { ...request, viewer: { callerId: 'eve', role: 'submitter' } }, false);
    expect(await audited(where)).toEqual(
      expect.arrayContaining(['schedule_set done', 'schedule_pause done', 'schedule_resume refused']),
    );
    await look(where);
    const engine = where.engine('operate');
    const audit = { ...engine.ports.audit, put: () => Promise.reject(new Error('no audit')) };
    const deaf = { ...engine, ports: { ...engine.ports, audit } };
    await expect(removeSchedule(deaf, request)).rejects.toThrow('no audit');
    expect(await audited(where)).not.toContain('schedule_remove done');
    await look(where);
    expect(await audited(where)).toContain('schedule_remove done');
    expect((await audited(where)).filter((line) => line === 'schedule_set done')).toHaveLength(1);
  });

  it('a pause lets ticks pass by; nothing makes up for them', async () => {
    const where = world();
    await set(where, { backfill: { maxTicks: 100, withinMs: 24 * 60 * MINUTE } });
    const engine = where.engine('operate');
    await pauseSchedule(engine, request, true);
    where.ports.clock.advance(60 * MINUTE);
    await look(where);
    expect((await stored(where)).ticks).toEqual([]);
    await pauseSchedule(engine, request, false);
    await look(where);
    expect((await stored(where)).ticks).toEqual([]);
    where.ports.clock.advance(5 * MINUTE);
    await look(where);
    expect(statuses((await stored(where)).ticks)).toEqual(['started']);
  });

  it('what was due before a change is submitted as it was before it', async () => {
    const where = world();
    await set(where);
    where.ports.clock.advance(5 * MINUTE);
    const changed = await set(where, { expression: 'cron(0 0 1 1 *)', input: { question: 'and now?' } });
    expect(statuses(changed.ticks)).toEqual(['started']);
    const [job] = await jobsOf(where);
    expect(job?.input.data).toEqual({ question: 'what is new?' });
  });

  it('a new expression counts from now, the same one goes on', async () => {
    const where = world();
    const first = await set(where);
    where.ports.clock.advance(2 * MINUTE);
    const same = await set(where, { input: { question: 'other?' } });
    expect([same.anchorAt, same.createdAt]).toEqual([first.anchorAt, first.createdAt]);
    const other = await set(where, { expression: 'rate(10 minutes)' });
    expect(other.anchorAt).toBe(first.anchorAt + 2 * MINUTE);
    expect(other.createdAt).toBe(first.createdAt);
  });

  it('a removed one is gone for readers, has no ticks, and may be set anew', async () => {
    const where = world();
    await set(where);
    const engine = where.engine('operate');
    expect((await removeSchedule(engine, request)).kind).toBe('done');
    expect(await readSchedule(engine, 'nightly')).toBeNull();
    expect((await listSchedules(engine, 10, null)).items).toEqual([]);
    where.ports.clock.advance(10 * MINUTE);
    await look(where);
    expect(await jobsOf(where)).toEqual([]);
    expect(await removeSchedule(engine, request)).toMatchObject({ code: 'ORCH_UNKNOWN_SCHEDULE' });
    const again = await set(where);
    expect(again.createdAt).toBe(where.ports.clock.now());
    expect(again.ticks).toEqual([]);
  });

  it('is refused on an old revision', async () => {
    const where = world();
    const { revision } = await set(where);
    const engine = where.engine('operate');
    expect(await pauseSchedule(engine, { ...request, expectedRevision: revision - 1 }, true)).toMatchObject({
      code: 'ORCH_INVALID_STATE_TRANSITION',
    });
    expect(await pauseSchedule(engine, { ...request, expectedRevision: revision }, true)).toMatchObject({
      kind: 'done',
    });
  });

  it.each<[string, Partial<ScheduleWish>, string]>([
    ['a workflow nobody knows', { workflowType: 'nothing' }, 'ORCH_UNKNOWN_WORKFLOW'],
    ['a version nobody knows', { workflowVersion: 99 }, 'ORCH_UNKNOWN_WORKFLOW'],
    ['an input that does not fit', { input: {} }, 'CONTRACT_INPUT_INVALID'],
    ['a day that never comes', { expression: 'cron(0 0 30 2 *)' }, 'ORCH_MALFORMED_REQUEST'],
    ['an input that is too large', { input: { question: 'x'.repeat(128 * 1_024) } }, 'ORCH_PAYLOAD_TOO_LARGE'],
  ])('%s is refused when it is set, and not at each tick', async (_, wish, code) => {
    const where = world();
    const result = await setSchedule(where.engine('operate'), request, { ...WISH, ...wish });
    expect(result).toMatchObject({ kind: 'refused', code });
    expect(await where.ports.schedules.get('nightly')).toBeNull();
  });
});

describe('what wakes a schedule', () => {
  function waking(where: World) {
    const heard: string[] = [];
    const engine = where.engine('operate');
    const wakeups = {
      set: async ({ expression }: { expression: string }) => void heard.push(`set ${expression}`),
      remove: async () => void heard.push('remove'),
    };
    return { heard, engine: { ...engine, ports: { ...engine.ports, wakeups } } };
  }

  it('is set with it, and gone while it is paused and when it is removed', async () => {
    const { heard, engine } = waking(world());
    await setSchedule(engine, request, WISH);
    await pauseSchedule(engine, request, true);
    await pauseSchedule(engine, request, false);
    await removeSchedule(engine, request);
    expect(heard).toEqual(['set rate(5 minutes)', 'remove', 'set rate(5 minutes)', 'remove', 'remove']);
  });

  it('is at the end what the last one of those who set it at once wants', async () => {
    const { heard, engine } = waking(world());
    const { wakeups } = engine.ports;
    let first = true;
    const slow: typeof wakeups.set = async (when) => {
      if (first) {
        first = false;
        await setSchedule(engine, request, { ...WISH, expression: 'rate(7 minutes)' });
      }
      await wakeups.set(when);
    };
    await setSchedule({ ...engine, ports: { ...engine.ports, wakeups: { ...wakeups, set: slow } } }, request, WISH);
    expect(heard.at(-1)).toBe('set rate(7 minutes)');
  });
});
