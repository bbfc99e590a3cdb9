/**
 * Each minute, and when a person asks: how every dependency is. It alone may call participants without a job, so it also
 * makes the probe of an open breaker where no parked job can.
 */
import { hintFor } from '../lib/operations/hint.ts';
import { probeNow } from '../lib/operations/operate-dependency.ts';
import type { HintAt } from '../lib/operations/release.ts';
import { askAll } from '../lib/operations/tend.ts';
import { queueOf } from '../lib/ports.ts';
import { container } from './parts/engine.ts';
import { lambda } from './parts/lambda.ts';

const { engine } = container('probe');
const { queue } = engine.ports;
const hint: HintAt = (job, kind, delayMs) => queue.send(queueOf(kind), hintFor(job), delayMs);

/** A person's question comes from `operate`, which has looked at who asks. */
interface Asked {
  readonly dependency_id?: string;
  readonly caller_id?: string;
}

export const handler = lambda(async (event: Asked) => {
  const { dependency_id: id, caller_id: callerId } = event;
  if (typeof id !== 'string' || typeof callerId !== 'string') return askAll(engine, hint);
  await probeNow(engine, { id, viewer: { callerId, role: 'operator' } }, hint);
});
