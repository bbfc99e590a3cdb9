/**
 * Which ticks of a schedule are due, and what becomes of each: started, queued behind an earlier one, skipped, or missed.
 * Pure: the same record at the same time gives the same next record, whoever asks.
 */
import type { Calendar } from './calendar.ts';
import { type EpochMs, type JobId, jobIdOf } from './ids.ts';
import { LIMITS } from './limits.ts';
import { type Backfill, type ScheduleRecord, type Tick, tickKey } from './schedule-record.ts';

export interface TickFacts {
  readonly now: EpochMs;
  /** The job of the newest started tick has ended, or there is none. */
  readonly free: boolean;
  readonly calendar: Calendar;
}

export interface DueTicks {
  /** To be made up for or on time, oldest first. */
  readonly due: readonly EpochMs[];
  /** The newest of those that will not be made up for; null: there is none. */
  readonly missed: EpochMs | null;
}

/** The ticks after `since` up to `now`. One that is older than the grace was missed; the policy says how many count. */
export function dueTicks(calendar: Calendar, since: EpochMs, now: EpochMs, backfill: Backfill): DueTicks {
  const graceFrom = Math.max(since, now - LIMITS.tickGraceMs);
  const onTime = ticksBetween(calendar, graceFrom, now, Number.POSITIVE_INFINITY);
  const keptFrom = Math.max(since, Math.min(graceFrom, now - backfill.withinMs));
  const madeUp = newestBetween(calendar, keptFrom, graceFrom, backfill.maxTicks);
  const due = [...madeUp, ...onTime];
  const missedUpTo = due[0] === undefined ? now : due[0] - 1;
  return { due, missed: newestBetween(calendar, since, missedUpTo, 1)[0] ?? null };
}

/** At most `max` ticks in (from, to], oldest first. */
function ticksBetween(calendar: Calendar, from: EpochMs, to: EpochMs, max: number): EpochMs[] {
  const found: EpochMs[] = [];
  for (let at = calendar.after(from); at !== null && at <= to && found.length < max; at = calendar.after(at)) {
    found.push(at);
  }
  return found;
}

/** The newest `max` ticks in (from, to]: looks back twice as far each time, so years of minutes cost no more than a few. */
function newestBetween(calendar: Calendar, from: EpochMs, to: EpochMs, max: number): EpochMs[] {
  if (max === 0) return [];
  for (let back = LIMITS.tickGraceMs; ; back *= 2) {
    const start = Math.max(from, to - back);
    const found = ticksBetween(calendar, start, to, Number.POSITIVE_INFINITY);
    if (found.length >= max || start === from) return found.slice(-max);
  }
}

/** The record with every tick up to now decided; the same one when there is nothing to decide. */
export function decideTicks(record: ScheduleRecord, facts: TickFacts): ScheduleRecord {
  const { now, calendar } = facts;
  if (record.paused || record.removed) return refiled(record, facts);
  const { due, missed } = dueTicks(calendar, record.decidedAt, now, record.backfill);
  const waiting = released(record, facts.free);
  if (due.length === 0 && missed === null && waiting === null) return refiled(record, facts);
  const start = waiting ?? { ticks: record.ticks, runningJobId: record.runningJobId, free: facts.free };
  const arrived = due.reduce((state, at) => arrive(record, state, at), withMissed(start, missed));
  const decided = {
    ...record,
    ticks: trimmed(arrived.ticks),
    runningJobId: arrived.runningJobId,
    decidedAt: Math.max(record.decidedAt, missed ?? 0, ...due),
  };
  return refiled(decided, facts);
}

interface Deciding {
  readonly ticks: readonly Tick[];
  readonly runningJobId: JobId | null;
  /** Nothing stands in the way of one more. */
  readonly free: boolean;
}

/** The first one in the queue goes when the one before has ended; null: nothing to release. */
function released(record: ScheduleRecord, free: boolean): Deciding | null {
  const first = record.ticks.findIndex(({ status }) => status === 'queued');
  if (first === -1 || (record.overlap !== 'allow' && !free)) return null;
  const jobId = jobOf(record, record.ticks[first]?.at ?? 0);
  const ticks = record.ticks.map((tick, index) =>
    index === first ? { ...tick, status: 'due' as const, jobId, reason: null } : tick,
  );
  return { ticks, runningJobId: jobId, free: false };
}

function withMissed(state: Deciding, missed: EpochMs | null): Deciding {
  if (missed === null) return state;
  const reason = 'nobody was there in time, and the backfill policy does not make up for it';
  return { ...state, ticks: [...state.ticks, { at: missed, status: 'missed', jobId: null, reason }] };
}

function arrive(record: ScheduleRecord, state: Deciding, at: EpochMs): Deciding {
  const add = (tick: Omit<Tick, 'at'>): readonly Tick[] => [...state.ticks, { at, ...tick }];
  const queued = state.ticks.filter(({ status }) => status === 'queued').length;
  if (record.overlap === 'allow' || (state.free && queued === 0)) {
    const jobId = jobOf(record, at);
    return { ticks: add({ status: 'due', jobId, reason: null }), runningJobId: jobId, free: false };
  }
  const behind = `job ${state.runningJobId} of an earlier tick has not ended`;
  if (record.overlap === 'skip') return { ...state, ticks: add({ status: 'skipped', jobId: null, reason: behind }) };
  if (queued < LIMITS.scheduleQueueMax) {
    return { ...state, ticks: add({ status: 'queued', jobId: null, reason: behind }) };
  }
  const reason = `${queued} ticks wait already: the workflow takes longer than its schedule leaves it`;
  return { ...state, ticks: add({ status: 'skipped', jobId: null, reason }) };
}

function jobOf({ callerId, workflowType, name }: ScheduleRecord, at: EpochMs): JobId {
  return jobIdOf(callerId, workflowType, tickKey(name, at));
}

/** What waits stays, however many came after it. */
function trimmed(ticks: readonly Tick[]): readonly Tick[] {
  const surplus = ticks.length - LIMITS.scheduleTicksKept;
  return ticks.filter(({ status }, index) => index >= surplus || status === 'due' || status === 'queued');
}

function refiled(record: ScheduleRecord, facts: TickFacts): ScheduleRecord {
  const lookAt = lookAtOf(record, facts);
  return lookAt === record.lookAt ? record : { ...record, lookAt };
}

/** At once for what is not told or not submitted yet; soon for what waits behind a job; else at the next tick. */
export function lookAtOf(
  { ticks, act, paused, removed, decidedAt }: ScheduleRecord,
  { now, calendar }: Pick<TickFacts, 'now' | 'calendar'>,
): EpochMs | null {
  if (!act.told) return now;
  if (ticks.some(({ status }) => status === 'due')) return now;
  if (paused || removed) return null;
  const next = calendar.after(Math.max(now, decidedAt));
  if (!ticks.some(({ status }) => status === 'queued')) return next;
  const soon = now + LIMITS.scheduleQueueLookMs;
  return next === null ? soon : Math.min(next, soon);
}
