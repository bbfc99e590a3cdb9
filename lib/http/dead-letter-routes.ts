/**
 * Dead letters: the records of jobs in quarantine, one by id and a list; replayed or discarded by a person with a reason.
 */
import type { Hono } from 'hono';
import { ACTION_BYTES_MAX, readDiscard, readReplay } from '../contract/action-requests.ts';
import { decodeCursor, encodeCursor } from '../contract/cursor.ts';
import { Refusal } from '../contract/problem.ts';
import { readDeadLetterId, readDeadLetterList, refuseParameters } from '../contract/requests.ts';
import { wireDeadLetter } from '../contract/wire-dead-letter.ts';
import { LIMITS } from '../core/limits.ts';
import { discard } from '../operations/discard.ts';
import { listDeadLetters, readDeadLetter } from '../operations/inspect.ts';
import { replay } from '../operations/replay.ts';
import { listScope } from './job-routes.ts';
import type { AppParts } from './parts.ts';
import { readDocument } from './read-body.ts';
import { jobHeaders, json, refusal, shown } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function deadLetterRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/dead-letters', { GET: (asked) => showList(parts, asked) });
  resource(app, '/dead-letters/:id', { GET: (asked) => showOne(parts, asked) });
  resource(app, '/dead-letters/:id/replay', { POST: (asked) => replayOne(parts, asked) });
  resource(app, '/dead-letters/:id/discard', { POST: (asked) => discardOne(parts, asked) });
}

async function showOne({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const record = await readDeadLetter(engine, viewer, namedRecord(asked));
  if (record === null) throw unknownRecord();
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

/** A second replay answers the job of the first. */
async function replayOne({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const deadLetterId = namedRecord(asked);
  // An edited input may be as large as the first one was.
  const said = readReplay(await readDocument(asked.request, LIMITS.inputBytesMax + ACTION_BYTES_MAX));
  const result = await replay(engine, { deadLetterId, viewer, ...said });
  if (result.kind === 'refused') return refusal(result.code, result.detail, { errors: result.errors });
  return json(202, shown(engine, result.job), jobHeaders(result.job));
}

async function discardOne({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const deadLetterId = namedRecord(asked);
  const reason = readDiscard(await readDocument(asked.request, ACTION_BYTES_MAX));
  const result = await discard(engine, { deadLetterId, viewer, reason });
  if (result.kind === 'refused') return refusal(result.code, result.detail, { errors: result.errors });
  return json(200, wireDeadLetter(result.record));
}

function namedRecord(asked: Asked): string {
  const id = readDeadLetterId(asked.part('id'));
  if (id === null) throw unknownRecord();
  return id;
}

function unknownRecord(): Refusal {
  const detail = 'there is no such dead letter, or it belongs to another caller: its id is "d" before the job id';
  return new Refusal('ORCH_UNKNOWN_DEAD_LETTER', detail);
}
