/** A call that finds no place leaves no trace: no write, no lease, no attempt; and it is made when there is one. */
import { expect, it } from 'vitest';
import type { Call } from '../../lib/core/events.ts';
import type { Full } from '../../lib/core/gates.ts';
import type { JobId } from '../../lib/core/ids.ts';
import { drive } from '../../lib/operations/drive.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { readJob, type World, world } from './world.ts';

const SIGNUP = { company: 'Acme', email: 'ada@example.com', plan: 'free' };

async function submitted(where: World): Promise<JobId> {
  const result = await where.submit({
    callerId: 'caller',
    source: 'api',
    workflowType: 'signup',
    version: null,
    input: SIGNUP,
    idempotencyKey: 'k',
    correlationId: null,
    trace: null,
  });
  if (result === null || result.kind === 'refused') throw new Error('it was refused');
  return result.job.jobId;
}

/** @param full what a target that has no place answers */
function limited(where: World, places: Map<string, number>, full: Full) {
  const out: Call[] = [];
  const back: string[] = [];
  const its = where.engine('dispatch');
  const route = (topic: string) => ({ target: topic.split(':')[0] ?? '', fencing: true, maxRunMs: 1_000 });
  const engine: Engine = {
    ...its,
    rules: { ...its.rules, route },
    limits: {
      take: (_job, call) => {
        const left = places.get(call.target) ?? 9;
        if (left === 0) return full;
        places.set(call.target, left - 1);
        out.push(call);
        return null;
      },
      give: (call) => {
        const at = out.findIndex((one) => one.operationId === call.operationId);
        if (at === -1) return;
        out.splice(at, 1);
        places.set(call.target, (places.get(call.target) ?? 0) + 1);
      },
      comeBack: (_job, target) => void back.push(target),
    },
  };
  const run = (jobId: JobId) => drive(engine, { jobId, kind: 'forward', remainingMs: () => 100_000, hops: 0 });
  return { run, back, out };
}

it('waits for room outside, is written nowhere, and goes on when somebody comes', async () => {
  const where = world();
  const jobId = await submitted(where);
  const places = new Map([['user', 0]]);
  const { run, back, out } = limited(where, places, { until: null });
  expect(await run(jobId)).toEqual({ end: 'queued' });
  const waits = await readJob(where, jobId);
  const user = waits.steps.find(({ name }) => name === 'user');
  expect(user).toMatchObject({ status: 'pending', attempts: 0, lease: null, nextAttemptAt: null });
  expect(await run(jobId)).toEqual({ end: 'queued' });
  expect((await readJob(where, jobId)).revision).toBe(waits.revision);
  expect([back, out]).toEqual([['user', 'user'], []]);
  places.set('user', 1);
  expect(await run(jobId)).toEqual({ end: 'ended' });
  expect(await readJob(where, jobId)).toMatchObject({ state: 'COMPLETED', retryCount: 0 });
  expect([out, places.get('user')]).toEqual([[], 1]);
});

it('a sibling that has room is called meanwhile', async () => {
  const where = world();
  const jobId = await submitted(where);
  const { run, back } = limited(where, new Map([['billing', 0]]), { until: null });
  expect(await run(jobId)).toEqual({ end: 'queued' });
  const { steps } = await readJob(where, jobId);
  expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'tenant succeeded',
    'billing pending',
    'user pending',
  ]);
  expect(back).toEqual(['billing']);
});

it('where nobody comes by itself, it is due at the time that is told', async () => {
  const where = world();
  const jobId = await submitted(where);
  const until = where.ports.clock.now() + 30_000;
  const { run, back } = limited(where, new Map([['user', 0]]), { until });
  expect(await run(jobId)).toEqual({ end: 'parked' });
  const job = await readJob(where, jobId);
  expect(job).toMatchObject({ state: 'RETRY_SCHEDULED', nextActionAt: until, retryCount: 0 });
  expect(job.steps.find(({ name }) => name === 'user')).toMatchObject({ attempts: 0, nextAttemptAt: until });
  expect(back).toEqual([]);
});
