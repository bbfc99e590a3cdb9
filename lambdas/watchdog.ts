/**
 * Each minute: whatever is overdue gets a hint, unless so many wait already that one more would only make it later; and the
 * ticks of schedules that nothing else has woken.
 */

import { backlogs } from '../lib/adapters/aws/backlog.ts';
import { LIMITS } from '../lib/core/limits.ts';
import { hintFor } from '../lib/operations/hint.ts';
import type { HintAt } from '../lib/operations/release.ts';
import { sweep } from '../lib/operations/sweep.ts';
import { tend } from '../lib/operations/tend.ts';
import { tickDue } from '../lib/operations/tick.ts';
import { queueOf } from '../lib/ports.ts';
import { container } from './parts/engine.ts';
import { lambda } from './parts/lambda.ts';
import { count } from './parts/metrics.ts';

const { engine, clients, environment } = container('watchdog');
const findBacklogs = backlogs(clients.sqs, environment);

export const handler = lambda(async () => {
  const backlogged = await findBacklogs();
  const { queue } = engine.ports;
  const report = await sweep(engine, async (job, kind) => {
    const name = queueOf(kind);
    if (!backlogged.has(name)) await queue.send(name, hintFor(job), 0);
  });
  const hint: HintAt = (job, kind, delayMs) => queue.send(queueOf(kind), hintFor(job), delayMs);
  const { released, open } = await tend(engine, { horizonMs: LIMITS.releaseHorizonMs, hint, mayCheck: false });
  count('JobsOverdue', report.overdue);
  count('BreakersOpen', open);
  const ticked = await tickDue(engine);
  engine.ports.log.write('info', 'swept', { ...report, released, open, schedules: ticked.looked });
});
