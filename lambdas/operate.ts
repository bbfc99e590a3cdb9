/** Everything of the HTTP API but submitting: jobs, lists, dead letters, definitions, and what people do about them. */
import { invokeProbe } from '../lib/adapters/aws/invoke-probe.ts';
import { readDoorEnvironment } from '../lib/contract/door-environment.ts';
import type { Door } from '../lib/http/parts.ts';
import { hintFor } from '../lib/operations/hint.ts';
import { container } from './parts/engine.ts';
import { answer, type HttpEvent } from './parts/http.ts';
import { lambda } from './parts/lambda.ts';

const { engine, clients } = container('operate');
const { queue } = engine.ports;
const { probeFunction } = readDoorEnvironment();
/** What starts here, a replay, is waited for by nobody. */
const door: Door = {
  started: (job) => queue.send('dispatch', hintFor(job), 0),
  ...(probeFunction === null ? {} : { probe: invokeProbe(clients.lambda, probeFunction) }),
};

export const handler = lambda((event: HttpEvent) => answer(event, engine, door));
