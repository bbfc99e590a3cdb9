/**
 * Jobs: read one, its history, a list of them. A job of another caller is unknown to a submitter, in the
 * same words as one that never was.
 */
import type { Hono } from 'hono';
import { decodeCursor, encodeCursor } from '../contract/cursor.ts';
import { Refusal } from '../contract/problem.ts';
import { readJobId, readJobList, refuseParameters } from '../contract/requests.ts';
import { wireHistoryEntry } from '../contract/wire-history.ts';
import { supportText, wireSupport } from '../contract/wire-support.ts';
import type { JobId } from '../core/ids.ts';
import { type SupportView, supportView } from '../core/support.ts';
import { contextOf, planFor } from '../operations/engine.ts';
import { listJobs, readHistory, readJob, type Viewer } from '../operations/inspect.ts';
import type { AppParts } from './parts.ts';
import { json, plainText, shown } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function jobRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/jobs', { GET: (asked) => showList(parts, asked) });
  resource(app, '/jobs/:job_id', { GET: (asked) => showJob(parts, asked) });
  resource(app, '/jobs/:job_id/history', { GET: (asked) => showHistory(parts, asked) });
}

async function showJob({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const job = await readJob(engine, viewer, namedJob(asked));
  if (job === null) throw unknownJob();
  const view = whatOneMay(viewer, supportView(job, planFor(engine.plans, job), contextOf(engine)));
  if (wantsText(asked.request)) return plainText(200, supportText(job, view));
  return json(200, { support: wireSupport(view), ...shown(engine, job) });
}

/** What only an operator may do is no advice to others. */
function whatOneMay({ role }: Viewer, view: SupportView): SupportView {
  if (role === 'operator') return view;
  return { ...view, safeActions: view.safeActions.filter(({ action }) => action === 'cancel') };
}

async function showHistory({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const found = await readHistory(engine, viewer, namedJob(asked));
  if (found === null) throw unknownJob();
  return json(200, { items: found.entries.map((entry) => wireHistoryEntry(found.job, entry)) });
}

async function showList({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  const { cursor, limit, ...filters } = readJobList(asked.parameters);
  const scope = listScope('jobs', viewer, filters);
  const page = await listJobs(engine, viewer, {
    state: filters.state ?? null,
    workflowType: filters.workflow_type ?? null,
    correlationId: filters.correlation_id ?? null,
    from: filters.from ?? null,
    to: filters.to ?? null,
    limit,
    after: cursor === undefined ? null : decodeCursor(cursor, scope),
  });
  const next_cursor = page.next === null ? null : encodeCursor(page.next, scope);
  return json(200, { items: page.items.map((job) => shown(engine, job)), next_cursor });
}

/** Everything that decides what a list shows, but how much of it at a time. */
export function listScope(
  list: string,
  viewer: Viewer,
  filters: Readonly<Record<string, string | number | undefined>>,
) {
  const given = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return [list, viewer.callerId, viewer.role, given.sort()];
}

export function wantsText({ headers }: Request): boolean {
  return (headers.get('accept') ?? '').startsWith('text/plain');
}

export function namedJob(asked: Asked): JobId {
  const jobId = readJobId(asked.part('job_id'));
  if (jobId === null) throw unknownJob();
  return jobId;
}

export function unknownJob(): Refusal {
  return new Refusal('ORCH_UNKNOWN_JOB', 'there is no such job, or it belongs to another caller: check the job id');
}
