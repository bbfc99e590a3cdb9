/** Pauses: what operators hold back, and how it is let go again. */
import type { Hono } from 'hono';
import { ACTION_BYTES_MAX, readPause, readReleasePause } from '../contract/action-requests.ts';
import { Refusal } from '../contract/problem.ts';
import { refuseParameters } from '../contract/requests.ts';
import { wireDryRun, wirePause } from '../contract/wire-pause.ts';
import { listPauses, type PauseResult, pause, releasePause } from '../operations/operate-pause.ts';
import type { AppParts } from './parts.ts';
import { readDocument } from './read-body.ts';
import { json, refusal } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function pauseRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/pauses', { GET: (asked) => showAll(parts, asked), POST: (asked) => make(parts, asked) });
  resource(app, '/pauses/:id/release', { POST: (asked) => release(parts, asked) });
}

async function showAll({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  if (viewer.role !== 'operator') throw new Refusal('ORCH_FORBIDDEN', 'pauses need the role operator');
  return json(200, { items: (await listPauses(engine)).map(wirePause) });
}

async function make({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const said = readPause(await readDocument(asked.request, ACTION_BYTES_MAX));
  return told(await pause(engine, { viewer, ...said }));
}

async function release({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const said = readReleasePause(await readDocument(asked.request, ACTION_BYTES_MAX));
  return told(await releasePause(engine, { viewer, id: asked.part('id'), ...said }));
}

function told(result: PauseResult): Response {
  if (result.kind === 'refused') return refusal(result.code, result.detail);
  return json(200, result.dryRun ? wireDryRun(result.view) : wirePause(result.view));
}
