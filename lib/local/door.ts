/**
 * The HTTP door of one process life. A job that was just stored gets its first run by a call in the process. A submit
 * that carries an armed crash has a router of its own, whose every outside call counts, the hint included; when it
 * dies its connection breaks without an answer.
 */
import type { Hono } from 'hono';
import { createApp } from '../http/app.ts';
import type { Door } from '../http/parts.ts';
import type { Engine } from '../operations/engine.ts';
import { hintFor } from '../operations/hint.ts';
import { localCaller } from './caller.ts';
import type { Conductor } from './conductor.ts';
import type { FaultBook } from './faults.ts';
import type { Functions } from './functions.ts';
import { documents } from './routes.ts';
import type { Answer } from './server.ts';

export function localDoor(engine: Engine, conductor: Conductor, functions: Functions, faults: FaultBook): Answer {
  const app = createApp({
    engine,
    caller: localCaller,
    documents,
    door: { started: (job) => conductor.start(job) },
  });
  return (request, drop) => {
    if (faults.armed('submit') === undefined || !isSubmit(request)) return app.fetch(request);
    const invocation = functions.invoke('submit', drop);
    const answer = appOf(invocation.engine).fetch(request);
    return Promise.resolve(answer).finally(invocation.end);
  };
}

function appOf(engine: Engine): Hono {
  const door: Door = {
    started: (job) => engine.ports.queue.send('dispatch', hintFor(job), 0),
  };
  return createApp({ engine, caller: localCaller, documents, door });
}

function isSubmit({ method, url }: Request): boolean {
  return method === 'POST' && /^\/workflows\/[^/]+\/jobs$/.test(new URL(url).pathname);
}
