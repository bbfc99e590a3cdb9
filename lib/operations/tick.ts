/**
 * Looks after one schedule: what is decided and not yet submitted is submitted, then what became due is decided and
 * written, until there is nothing left to do. A tick is submitted only after its decision is stored, under a key that is
 * made from its time: whoever dies in between, and however many look at once, each tick becomes one job.
 */
import { calendarOf } from '../core/calendar.ts';
import { LIMITS } from '../core/limits.ts';
import { type ScheduleRecord, type Tick, tickKey } from '../core/schedule-record.ts';
import { isTerminal } from '../core/states.ts';
import { decideTicks } from '../core/ticks.ts';
import { ContentionError } from './apply.ts';
import type { Engine } from './engine.ts';
import { receive } from './receive.ts';
import { tellAct } from './schedule-acts.ts';

export type Ticked = 'changed' | 'idle' | 'missing';

export async function tick(engine: Engine, name: string): Promise<Ticked> {
  const { schedules, ids } = engine.ports;
  let changed = false;
  let losses = 0;
  while (losses < LIMITS.applyAttemptsMax) {
    const found = await schedules.get(name);
    if (found === null) return 'missing';
    const next = await decided(engine, found);
    if (next === found) return changed ? 'changed' : 'idle';
    const write = { ...next, revision: found.revision + 1, writeId: ids.writeId() };
    const written = await schedules.put(write, found.revision);
    if (written.stored) changed = true;
    else losses += 1;
  }
  throw new ContentionError(`schedule ${name} was changed by others ${losses} times in a row`);
}

async function decided(engine: Engine, found: ScheduleRecord): Promise<ScheduleRecord> {
  const told = await tellAct(engine, found);
  const settled = await submitDue(engine, told);
  const free = await isFree(engine, settled);
  return decideTicks(settled, { now: engine.ports.clock.now(), free, calendar: calendarOf(settled) });
}

async function isFree(engine: Engine, { overlap, runningJobId }: ScheduleRecord): Promise<boolean> {
  if (overlap === 'allow' || runningJobId === null) return true;
  const job = await engine.ports.jobs.read(runningJobId);
  return job === null || isTerminal(job.state);
}

async function submitDue(engine: Engine, record: ScheduleRecord): Promise<ScheduleRecord> {
  if (!record.ticks.some(({ status }) => status === 'due')) return record;
  const ticks: Tick[] = [];
  for (const one of record.ticks) ticks.push(one.status === 'due' ? await submitTick(engine, record, one) : one);
  // What cannot become a job is kept under an id of its own.
  const index = record.ticks.findIndex(({ jobId }) => jobId !== null && jobId === record.runningJobId);
  return { ...record, ticks, runningJobId: ticks[index]?.jobId ?? record.runningJobId };
}

async function submitTick(engine: Engine, record: ScheduleRecord, { at }: Tick): Promise<Tick> {
  const { name, callerId, workflowType, workflowVersion: version, input, correlationId } = record;
  const key = tickKey(name, at);
  const taken = await receive(engine, {
    source: 'schedule',
    doorId: key,
    callerId,
    correlationId,
    trace: null,
    raw: { workflow_type: workflowType, workflow_version: version, input, idempotency_key: key },
    readable: true,
    workflowType,
    version,
    input,
    idempotencyKey: key,
  });
  const { jobId, lastErrorCode, lastErrorMessage } = taken.job;
  if (taken.kind !== 'poison') return { at, status: 'started', jobId, reason: null };
  return { at, status: 'refused', jobId, reason: `${lastErrorCode}: ${lastErrorMessage}` };
}

export interface TickReport {
  readonly looked: number;
  readonly failed: number;
}

/** Every schedule whose time has come. One bad one never keeps the others from being looked at. */
export async function tickDue(engine: Engine): Promise<TickReport> {
  const { schedules, clock, log } = engine.ports;
  const names = await schedules.due(clock.now(), LIMITS.ticksSweepMax);
  let failed = 0;
  for (const name of names) {
    try {
      await tick(engine, name);
    } catch (error) {
      failed += 1;
      log.write('error', 'tick_failed', { schedule: name, error: error instanceof Error ? error.name : 'unknown' });
    }
  }
  return { looked: names.length, failed };
}
