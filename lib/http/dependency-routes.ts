/** What the orchestrator calls: how each dependency is, and what operators do about it. */
import type { Hono } from 'hono';
import { ACTION_BYTES_MAX, readForceBreaker } from '../contract/action-requests.ts';
import { Refusal } from '../contract/problem.ts';
import { refuseParameters } from '../contract/requests.ts';
import { wireDependency } from '../contract/wire-dependency.ts';
import { hintFor } from '../operations/hint.ts';
import {
  type DependencyResult,
  forceBreaker,
  listDependencies,
  probeNow,
  readDependency,
} from '../operations/operate-dependency.ts';
import { queueOf } from '../ports.ts';
import type { AppParts } from './parts.ts';
import { readDocument } from './read-body.ts';
import { json, refusal } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function dependencyRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/dependencies', { GET: (asked) => showAll(parts, asked) });
  resource(app, '/dependencies/:id', { GET: (asked) => showOne(parts, asked) });
  resource(app, '/dependencies/:id/breaker', { POST: (asked) => force(parts, asked) });
  resource(app, '/dependencies/:id/probe', { POST: (asked) => probe(parts, asked) });
}

async function showAll(parts: AppParts, asked: Asked): Promise<Response> {
  onlyOperators(parts, asked);
  const { engine } = parts;
  const now = engine.ports.clock.now();
  const items = (await listDependencies(engine)).map((one) => wireDependency(one, now));
  return json(200, { items });
}

async function showOne(parts: AppParts, asked: Asked): Promise<Response> {
  onlyOperators(parts, asked);
  const { engine } = parts;
  const view = await readDependency(engine, asked.part('id'));
  if (view === null) throw new Refusal('ORCH_NOT_FOUND', 'no route leads there: GET /dependencies lists all of them');
  return json(200, wireDependency(view, engine.ports.clock.now()));
}

async function force({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const said = readForceBreaker(await readDocument(asked.request, ACTION_BYTES_MAX));
  return told(engine, await forceBreaker(engine, { id: asked.part('id'), viewer, ...said }));
}

async function probe({ engine, caller, door }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const id = asked.part('id');
  const elsewhere = viewer.role === 'operator' ? door.probe : undefined;
  if (elsewhere !== undefined) await elsewhere(id, viewer.callerId);
  const result =
    elsewhere === undefined
      ? await probeNow(engine, { id, viewer }, async (job, kind, delayMs) =>
          engine.ports.queue.send(queueOf(kind), hintFor(job), delayMs),
        )
      : await shown(engine, id);
  return told(engine, result);
}

async function shown(engine: AppParts['engine'], id: string): Promise<DependencyResult> {
  const view = await readDependency(engine, id);
  if (view !== null) return { kind: 'done', view };
  return { kind: 'refused', code: 'ORCH_NOT_FOUND', detail: `no route leads to a dependency ${id}` };
}

function told(engine: AppParts['engine'], result: DependencyResult): Response {
  if (result.kind === 'refused') return refusal(result.code, result.detail);
  return json(200, wireDependency(result.view, engine.ports.clock.now()));
}

function onlyOperators({ caller }: AppParts, asked: Asked): void {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  if (viewer.role !== 'operator') throw new Refusal('ORCH_FORBIDDEN', 'dependencies need the role operator');
}
