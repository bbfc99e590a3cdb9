/**
 * Schedules as operators keep them: set, pause, resume, remove. What became due before a change is dealt with as it was
 * before it; what follows a change begins with the change. The record is the truth; what wakes it is set after it, until
 * it is what the latest record wants.
 */
import { calendarOf } from '../core/calendar.ts';
import type { ErrorCode } from '../core/errors.ts';
import { expressionText, readExpression } from '../core/expressions.ts';
import type { Json } from '../core/json.ts';
import { byteLength } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { FieldError } from '../core/plan.ts';
import type { Backfill, Overlap, ScheduleAct, ScheduleRecord } from '../core/schedule-record.ts';
import { lookAtOf } from '../core/ticks.ts';
import type { SchedulePage } from '../ports.ts';
import { ContentionError } from './apply.ts';
import { auditRefusal } from './audit.ts';
import type { Engine } from './engine.ts';
import type { Viewer } from './inspect.ts';
import { attemptOn, tellAct } from './schedule-acts.ts';
import { tick } from './tick.ts';

export interface ScheduleRequest {
  readonly name: string;
  readonly viewer: Viewer;
  readonly reason: string;
  readonly expectedRevision: number | null;
}

export interface ScheduleWish {
  readonly workflowType: string;
  readonly workflowVersion: number | null;
  readonly input: Json;
  readonly expression: string;
  readonly timezone: string;
  readonly overlap: Overlap;
  readonly backfill: Backfill;
  /** null: as it is; a new one runs. */
  readonly paused: boolean | null;
  readonly callerId: string | null;
  readonly correlationId: string | null;
}

export type ScheduleResult =
  | { readonly kind: 'done'; readonly record: ScheduleRecord }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly detail: string;
      readonly errors: readonly FieldError[];
    };

type Change = (current: ScheduleRecord | null, now: number) => ScheduleRecord;

export async function setSchedule(
  engine: Engine,
  request: ScheduleRequest,
  wish: ScheduleWish,
): Promise<ScheduleResult> {
  const fault = faultIn(engine, wish);
  if (fault !== null) return refused(engine, request, 'set', fault.code, fault.detail, fault.errors);
  return change(engine, request, 'set', (current, now) => wished(request, wish, current, now));
}

export function pauseSchedule(engine: Engine, request: ScheduleRequest, paused: boolean): Promise<ScheduleResult> {
  return change(engine, request, paused ? 'pause' : 'resume', (current, now) => {
    const record = present(current);
    // Nobody makes up for what fell into a pause: it was meant.
    const decidedAt = record.paused && !paused ? Math.max(record.decidedAt, now) : record.decidedAt;
    return { ...record, paused, decidedAt };
  });
}

export async function removeSchedule(engine: Engine, request: ScheduleRequest): Promise<ScheduleResult> {
  if (request.viewer.role === 'operator') await engine.ports.wakeups.remove(request.name);
  return change(engine, request, 'remove', (current) => {
    const record = present(current);
    return { ...record, removed: true, ticks: record.ticks.filter(({ status }) => status !== 'queued') };
  });
}

/** null: there is none. */
export async function readSchedule(engine: Engine, name: string): Promise<ScheduleRecord | null> {
  const record = await engine.ports.schedules.get(name);
  return record === null || record.removed ? null : record;
}

export function listSchedules(engine: Engine, limit: number, after: string | null): Promise<SchedulePage> {
  return engine.ports.schedules.list({ limit, after });
}

async function change(
  engine: Engine,
  request: ScheduleRequest,
  action: ScheduleAct['action'],
  by: Change,
): Promise<ScheduleResult> {
  const { name, viewer, expectedRevision } = request;
  const { schedules, clock, ids } = engine.ports;
  const refuse = (code: ErrorCode, detail: string) => refused(engine, request, action, code, detail);
  if (viewer.role !== 'operator') return refuse('ORCH_FORBIDDEN', 'schedules need the role operator');
  for (let tries = 0; tries < LIMITS.applyAttemptsMax; tries += 1) {
    const seen = await schedules.get(name);
    const there = seen !== null && !seen.removed;
    if (!there && action !== 'set')
      return refuse('ORCH_UNKNOWN_SCHEDULE', `there is no schedule ${name}: check the name`);
    if (expectedRevision !== null && expectedRevision !== (there ? seen.revision : 0)) {
      return refuse('ORCH_INVALID_STATE_TRANSITION', 'the schedule has changed since: read it again and decide anew');
    }
    if (there) await tick(engine, name);
    const current = there ? await schedules.get(name) : seen;
    // Removed by somebody else meanwhile: look again at what there is.
    if (there && (current === null || current.removed)) continue;
    const now = clock.now();
    const next = acted(
      by(current, now),
      { action, actor: `operator:${viewer.callerId}`, reason: request.reason },
      {
        now,
        revision: (current?.revision ?? 0) + 1,
        writeId: ids.writeId(),
      },
    );
    const written = await schedules.put(next, current?.revision ?? null);
    if (!written.stored) continue;
    await wake(engine, next);
    return { kind: 'done', record: await tellAct(engine, next) };
  }
  throw new ContentionError(`schedule ${name} was changed by others ${LIMITS.applyAttemptsMax} times in a row`);
}

function acted(
  record: ScheduleRecord,
  said: Pick<ScheduleAct, 'action' | 'actor' | 'reason'>,
  { now, revision, writeId }: { readonly now: number; readonly revision: number; readonly writeId: string },
): ScheduleRecord {
  const act = { ...said, at: now, revision, told: false };
  const next = { ...record, updatedAt: now, revision, writeId, act };
  return { ...next, lookAt: lookAtOf(next, { now, calendar: calendarOf(next) }) };
}

function wished(
  { name, viewer }: ScheduleRequest,
  wish: ScheduleWish,
  found: ScheduleRecord | null,
  now: number,
): ScheduleRecord {
  const current = found === null || found.removed ? null : found;
  const expression = canonical(wish.expression);
  const same = current !== null && current.expression === expression && current.timezone === wish.timezone;
  const paused = wish.paused ?? current?.paused ?? false;
  const resumed = current?.paused === true && !paused;
  // Whole seconds: EventBridge Scheduler knows no finer ones.
  const anchorAt = same ? current.anchorAt : Math.floor(now / 1_000) * 1_000;
  return {
    name,
    callerId: wish.callerId ?? current?.callerId ?? viewer.callerId,
    workflowType: wish.workflowType,
    workflowVersion: wish.workflowVersion,
    input: wish.input,
    correlationId: wish.correlationId ?? `schedule:${name}`,
    expression,
    timezone: wish.timezone,
    overlap: wish.overlap,
    backfill: wish.backfill,
    paused,
    removed: false,
    createdAt: current?.createdAt ?? now,
    updatedAt: now,
    anchorAt,
    decidedAt: same && !resumed ? current.decidedAt : Math.max(now, found?.decidedAt ?? 0),
    ticks: current?.ticks ?? [],
    runningJobId: current?.runningJobId ?? null,
    lookAt: null,
    act: { action: 'set', actor: '', reason: '', at: now, revision: 0, told: false },
    revision: 0,
    writeId: '',
  };
}

function present(record: ScheduleRecord | null): ScheduleRecord {
  if (record === null) throw new Error('a schedule was removed while it was changed: repeat the request');
  return record;
}

/** Until what wakes it is what the latest record wants: of two who set it at once, the later one has the last word. */
async function wake(engine: Engine, written: ScheduleRecord): Promise<void> {
  const { schedules, wakeups, clock } = engine.ports;
  let wanted = written;
  for (let tries = 0; tries < LIMITS.applyAttemptsMax; tries += 1) {
    const { name, expression, timezone } = wanted;
    const firstAt = wanted.paused || wanted.removed ? null : calendarOf(wanted).after(clock.now());
    if (firstAt === null) await wakeups.remove(name);
    else await wakeups.set({ name, expression, timezone, firstAt });
    const latest = await schedules.get(name);
    if (latest === null || latest.act.revision === wanted.act.revision) return;
    wanted = latest;
  }
}

function canonical(text: string): string {
  const read = readExpression(text);
  if (!read.ok) throw new Error(`the expression was not checked: ${read.why}`);
  return expressionText(read.expression);
}

interface Fault {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: readonly FieldError[];
}

/** What would make every tick fail is refused while somebody is there to correct it. */
function faultIn({ plans, ports }: Engine, wish: ScheduleWish): Fault | null {
  const { workflowType, workflowVersion, input, timezone } = wish;
  const plan = plans.find(workflowType, workflowVersion);
  if (plan === undefined) {
    const version = workflowVersion === null ? '' : ` in version ${workflowVersion}`;
    const detail = `there is no workflow ${workflowType}${version}: GET /workflows lists what there is`;
    return { code: 'ORCH_UNKNOWN_WORKFLOW', detail, errors: [] };
  }
  if (byteLength(JSON.stringify(input)) > LIMITS.scheduleInputBytesMax) {
    const detail = `the input of a schedule is at most ${LIMITS.scheduleInputBytesMax} bytes: store the bulk elsewhere and send a reference`;
    return { code: 'ORCH_PAYLOAD_TOO_LARGE', detail, errors: [] };
  }
  const checked = plan.checkInput(input);
  if (!checked.ok) {
    const errors = checked.errors.map(({ path, message }) => ({
      path: path === '/' ? '/input' : `/input${path}`,
      message,
    }));
    const detail = "the input does not fit the workflow's schema: correct the fields named in errors";
    return { code: 'CONTRACT_INPUT_INVALID', detail, errors };
  }
  const calendar = calendarOf({ expression: canonical(wish.expression), timezone, anchorAt: ports.clock.now() });
  if (calendar.after(ports.clock.now()) !== null) return null;
  const message = 'never comes: there is no such day';
  return {
    code: 'ORCH_MALFORMED_REQUEST',
    detail: `expression ${message}`,
    errors: [{ path: '/expression', message }],
  };
}

async function refused(
  engine: Engine,
  { name, viewer, reason }: ScheduleRequest,
  action: string,
  code: ErrorCode,
  detail: string,
  errors: readonly FieldError[] = [],
): Promise<ScheduleResult> {
  const actor = `${viewer.role === 'operator' ? 'operator' : 'caller'}:${viewer.callerId}`;
  await auditRefusal(engine, attemptOn(name, actor, action, reason), code, detail);
  return { kind: 'refused', code, detail, errors };
}
