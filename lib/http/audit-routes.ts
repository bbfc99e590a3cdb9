/** What people did and tried to do, newest first; for operators only. */
import type { Hono } from 'hono';
import { decodeCursor, encodeCursor } from '../contract/cursor.ts';
import { Refusal } from '../contract/problem.ts';
import { readAuditList } from '../contract/requests.ts';
import { wireAudit } from '../contract/wire-audit.ts';
import { listAudit } from '../operations/audit.ts';
import { listScope } from './job-routes.ts';
import type { AppParts } from './parts.ts';
import { json } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function auditRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/audit', { GET: (asked) => showAudit(parts, asked) });
}

async function showAudit({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  const { cursor, limit, ...filters } = readAuditList(asked.parameters);
  if (viewer.role !== 'operator') throw new Refusal('ORCH_FORBIDDEN', 'the audit needs the role operator');
  const scope = listScope('audit', viewer, filters);
  const page = await listAudit(engine, {
    jobId: filters.job_id ?? null,
    actor: filters.actor ?? null,
    limit,
    after: cursor === undefined ? null : decodeCursor(cursor, scope),
  });
  const next_cursor = page.next === null ? null : encodeCursor(page.next, scope);
  return json(200, { items: page.items.map(wireAudit), next_cursor });
}
