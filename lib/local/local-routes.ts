/**
 * What embedded mode offers beyond the product's interface, to look behind the curtain and to make things go wrong.
 */
import { Hono } from 'hono';
import type { PublishedEvent } from '../adapters/sqlite/events.ts';
import { ACTION_BYTES_MAX } from '../contract/action-requests.ts';
import { readAdvance, readFault, shownFault } from '../contract/local.ts';
import { malformed, Refusal } from '../contract/problem.ts';
import { refuseParameters } from '../contract/requests.ts';
import { isoTime } from '../contract/wire-time.ts';
import type { JsonObject } from '../core/json.ts';
import { answerTheRest } from '../http/app.ts';
import { readDocument } from '../http/read-body.ts';
import { json } from '../http/respond.ts';
import { type Asked, type Handler, type Methods, resource } from '../http/routing.ts';
import type { ProcessLife } from './life.ts';
import { services } from './routes.ts';

export interface LocalParts {
  life(): ProcessLife;
  /** Of participants, whatever the way to them. */
  readonly topics: ReadonlySet<string>;
  /** As kill -9 and start; the given request's own connection is kept for its answer. */
  restart(request: Request): Promise<void>;
}

export function localApp(parts: LocalParts): Hono {
  const app = new Hono();
  const { life } = parts;
  const local = (path: string, methods: Methods): void => resource(app, `/local/${path}`, withoutParameters(methods));
  local('faults', {
    GET: () => json(200, { items: life().foundation.faults.list().map(shownFault) }),
    POST: (asked) => addFault(life(), parts.topics, asked),
    DELETE: async () => {
      await life().foundation.faults.clear();
      return json(200, { items: [] });
    },
  });
  local('participants/:service', { GET: (asked) => showParticipant(life(), asked) });
  local('events', { GET: () => showEvents(life()) });
  local('clock', { POST: (asked) => moveClock(life(), asked) });
  local('restart', {
    POST: async (asked) => {
      await refuseBody(asked.request);
      await parts.restart(asked.request);
      return json(202, { restarted: true });
    },
  });
  answerTheRest(app, (error) => life().unexpected(error));
  return app;
}

function withoutParameters(methods: Methods): Methods {
  const strict =
    (handler: Handler): Handler =>
    (asked) => {
      refuseParameters(asked.parameters);
      return handler(asked);
    };
  return Object.fromEntries(Object.entries(methods).map(([method, handler]) => [method, strict(handler)]));
}

async function showEvents(life: ProcessLife): Promise<Response> {
  const events = await life.foundation.stores.bus.published();
  return json(200, { items: events.map(shownEvent) });
}

async function moveClock(life: ProcessLife, asked: Asked): Promise<Response> {
  await life.advance(readAdvance(await readDocument(asked.request, ACTION_BYTES_MAX)));
  return json(200, { now: isoTime(life.foundation.clock.now()) });
}

async function addFault(life: ProcessLife, topics: ReadonlySet<string>, asked: Asked): Promise<Response> {
  const fault = readFault(await readDocument(asked.request, ACTION_BYTES_MAX));
  if (fault.mode !== 'crash' && !topics.has(fault.target)) {
    const known = [...topics].sort().join(', ');
    throw malformed(`target: no participant serves ${fault.target}; there are ${known}`, [
      { path: '/target', message: 'is no topic of a participant' },
    ]);
  }
  return json(201, shownFault(await life.foundation.faults.add(fault)));
}

async function showParticipant(life: ProcessLife, asked: Asked): Promise<Response> {
  const shown = await life.foundation.participants.show(asked.part('service'));
  if (shown === null) {
    throw new Refusal('ORCH_NOT_FOUND', `there is no such participant; there are ${services.join(', ')}`);
  }
  return json(200, shown);
}

function shownEvent({ source, detailType, detail, time }: PublishedEvent): JsonObject {
  return { source, detail_type: detailType, detail, time: isoTime(time) };
}

/** There is nothing to say but the address itself; an empty object says nothing too. */
async function refuseBody(request: Request): Promise<void> {
  const text = await request.text();
  if (text.trim() === '' || /^\{\s*\}$/.test(text.trim())) return;
  throw malformed('a restart takes no body: leave it out, or send {}');
}
