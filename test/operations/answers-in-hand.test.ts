import { expect, it } from 'vitest';
import { StoreError } from '../../lib/core/store-error.ts';
import { drive } from '../../lib/operations/drive.ts';
import { world } from './world.ts';

const SIGNUP = { company: 'Acme', email: 'ada@acme.example', plan: 'standard' };

it('an answer that cannot be written down goes to the queue, and is folded in from there without another call', async () => {
  const where = world();
  const submitted = await where.submit({
    callerId: 'caller',
    source: 'api',
    workflowType: 'signup',
    version: null,
    input: SIGNUP,
    idempotencyKey: 'key',
    correlationId: null,
    trace: null,
  });
  if (submitted?.kind !== 'created') throw new Error('the job was not created');
  const { jobId } = submitted.job;
  const engine = where.engine('dispatch');
  let updates = 0;
  const failing = {
    ...where.ports.jobs,
    // The first write begins the calls; from the second on the store is down.
    update: (...args: Parameters<typeof where.ports.jobs.update>) => {
      updates += 1;
      if (updates > 1) return Promise.reject(new StoreError('the store is down'));
      return where.ports.jobs.update(...args);
    },
  };
  const run = drive(
    { ...engine, ports: { ...engine.ports, jobs: failing } },
    { jobId, kind: 'forward', remainingMs: () => 100_000, hops: 0 },
  );
  await expect(run).rejects.toThrow('the store is down');

  const sent = (await where.ports.queue.receive('dispatch', 10, 1)).map(({ message }) => message);
  const results = sent.flatMap((message) => (message.kind === 'result' ? [message.result.step] : []));
  expect(results.sort()).toEqual(['billing', 'tenant']);

  where.ports.clock.advance(1_000);
  expect(await where.untilQuiet(jobId, 86_400_000)).toBe(true);
  const calls = (await where.calls()).map(({ topic, attempt }) => `${topic} ${attempt}`);
  expect(calls.sort()).toEqual(['billing:setup 1', 'tenant:create 1', 'user:create 1']);
});
