/** Workflows on a schedule: set, look, pause, resume, remove. For operators only, also to look: inputs are shown. */
import type { Hono } from 'hono';
import { ACTION_BYTES_MAX } from '../contract/action-requests.ts';
import { decodeCursor, encodeCursor } from '../contract/cursor.ts';
import { Refusal } from '../contract/problem.ts';
import { refuseParameters } from '../contract/requests.ts';
import {
  isScheduleName,
  readPause,
  readRemove,
  readResume,
  readSchedule as readScheduleBody,
  readScheduleList,
  refuseName,
  SCHEDULE_BYTES_MAX,
} from '../contract/schedule-requests.ts';
import { wireSchedule } from '../contract/wire-schedule.ts';
import type { Engine } from '../operations/engine.ts';
import type { Viewer } from '../operations/inspect.ts';
import {
  listSchedules,
  pauseSchedule,
  readSchedule,
  removeSchedule,
  type ScheduleResult,
  setSchedule,
} from '../operations/schedules.ts';
import { listScope } from './job-routes.ts';
import type { AppParts } from './parts.ts';
import { readDocument } from './read-body.ts';
import { json, refusal } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function scheduleRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/schedules', { GET: (asked) => showList(parts, asked) });
  resource(app, '/schedules/:name', {
    GET: (asked) => showOne(parts, asked),
    PUT: (asked) => set(parts, asked),
    DELETE: (asked) => remove(parts, asked),
  });
  resource(app, '/schedules/:name/pause', { POST: (asked) => pause(parts, asked) });
  resource(app, '/schedules/:name/resume', { POST: (asked) => resume(parts, asked) });
}

async function showList({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  const { cursor, limit } = readScheduleList(asked.parameters);
  refuseOthers(viewer);
  const scope = listScope('schedules', viewer, {});
  const page = await listSchedules(engine, limit, cursor === undefined ? null : decodeCursor(cursor, scope).jobId);
  const next_cursor = page.next === null ? null : encodeCursor({ createdAt: 0, jobId: page.next }, scope);
  const now = engine.ports.clock.now();
  return json(200, { items: page.items.map((record) => wireSchedule(record, now)), next_cursor });
}

async function showOne({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  refuseOthers(viewer);
  const record = await readSchedule(engine, named(asked));
  if (record === null) throw unknown(asked);
  return json(200, wireSchedule(record, engine.ports.clock.now()));
}

async function set({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const name = asked.part('name');
  refuseName(name);
  const { wish, ...said } = readScheduleBody(await readDocument(asked.request, SCHEDULE_BYTES_MAX));
  return told(engine, await setSchedule(engine, { name, viewer, ...said }, wish));
}

async function pause({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const { paused, ...said } = readPause(await readDocument(asked.request, ACTION_BYTES_MAX));
  return told(engine, await pauseSchedule(engine, { name: named(asked), viewer, ...said }, paused));
}

async function resume({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const said = readResume(await readDocument(asked.request, ACTION_BYTES_MAX));
  return told(engine, await pauseSchedule(engine, { name: named(asked), viewer, ...said }, false));
}

async function remove({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  const said = readRemove(asked.parameters);
  return told(engine, await removeSchedule(engine, { name: named(asked), viewer, ...said }));
}

function told(engine: Engine, result: ScheduleResult): Response {
  if (result.kind === 'refused') return refusal(result.code, result.detail, { errors: result.errors });
  return json(200, wireSchedule(result.record, engine.ports.clock.now()));
}

function refuseOthers({ role }: Viewer): void {
  if (role !== 'operator') throw new Refusal('ORCH_FORBIDDEN', 'schedules need the role operator');
}

function named(asked: Asked): string {
  const name = asked.part('name');
  if (!isScheduleName(name)) throw unknown(asked);
  return name;
}

function unknown(asked: Asked): Refusal {
  return new Refusal('ORCH_UNKNOWN_SCHEDULE', `there is no schedule ${asked.part('name')}: GET /schedules lists them`);
}
