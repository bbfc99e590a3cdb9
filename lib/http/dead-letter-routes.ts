/**
 * Dead letters: the records of jobs in quarantine, one by id and a list.
 */
import type { Hono } from 'hono';
import { decodeCursor, encodeCursor } from '../contract/cursor.ts';
import { Refusal } from '../contract/problem.ts';
import { readDeadLetterId, readDeadLetterList, refuseParameters } from '../contract/requests.ts';
import { wireDeadLetter } from '../contract/wire-dead-letter.ts';
import { listDeadLetters, readDeadLetter } from '../operations/inspect.ts';
import { listScope } from './job-routes.ts';
import type { AppParts } from './parts.ts';
import { json } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function deadLetterRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/dead-letters', { GET: (asked) => showList(parts, asked) });
  resource(app, '/dead-letters/:id', { GET: (asked) => showOne(parts, asked) });
}

async function showOne({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const id = readDeadLetterId(asked.part('id'));
  const record = id === null ? null : await readDeadLetter(engine, viewer, id);
  if (record === null) {
    const detail = 'there is no such dead letter, or it belongs to another caller: its id is "d" before the job id';
    throw new Refusal('ORCH_UNKNOWN_DEAD_LETTER', detail);
  }
  return json(200, wireDeadLetter(record));
}

async function showList({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  const { cursor, limit, ...filters } = readDeadLetterList(asked.parameters);
  const scope = listScope('dead-letters', viewer, filters);
  const page = await listDeadLetters(engine, viewer, {
    reason: filters.reason ?? null,
    workflowType: filters.workflow_type ?? null,
    status: filters.status ?? null,
    limit,
    after: cursor === undefined ? null : decodeCursor(cursor, scope),
  });
  const next_cursor = page.next === null ? null : encodeCursor(page.next, scope);
  return json(200, { items: page.items.map(wireDeadLetter), next_cursor });
}
