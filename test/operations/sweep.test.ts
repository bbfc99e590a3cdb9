/** What the watchdog does with what it finds: every overdue job gets its hint, whatever is wrong with another one. */
import { expect, it } from 'vitest';
import type { DriverKind } from '../../lib/core/events.ts';
import type { JobId } from '../../lib/core/ids.ts';
import type { Job } from '../../lib/core/job.ts';
import { StoreError } from '../../lib/core/store-error.ts';
import { cancel } from '../../lib/operations/cancel.ts';
import { drive } from '../../lib/operations/drive.ts';
import { sweep } from '../../lib/operations/sweep.ts';
import { type World, world } from './world.ts';

const SIGNUP = { company: 'Acme', email: 'ada@acme.example', plan: 'standard' };

async function submitted(where: World, idempotencyKey: string): Promise<JobId> {
  const common = { callerId: 'caller', source: 'api', workflowType: 'signup', version: null, input: SIGNUP } as const;
  const result = await where.submit({ ...common, idempotencyKey, correlationId: null, trace: null });
  if (result?.kind !== 'created') throw new Error('the job was not created');
  return result.job.jobId;
}

function hints(): { told: [JobId, DriverKind][]; hint: (job: Job, kind: DriverKind) => Promise<void> } {
  const told: [JobId, DriverKind][] = [];
  return { told, hint: async (job, kind) => void told.push([job.jobId, kind]) };
}

it('a job that cannot be read keeps no other one from its hint, and is counted', async () => {
  const where = world();
  const jobs = await Promise.all(['a', 'b', 'c', 'd'].map((key) => submitted(where, key)));
  where.ports.clock.advance(400_000);
  const engine = where.engine('watchdog');
  const [broken] = jobs;
  const store = {
    ...where.ports.jobs,
    read: (jobId: JobId) =>
      jobId === broken ? Promise.reject(new StoreError('unreadable')) : where.ports.jobs.read(jobId),
  };
  const { told, hint } = hints();
  const report = await sweep({ ...engine, ports: { ...engine.ports, jobs: store } }, hint);
  expect(told.map(([jobId]) => jobId).sort()).toEqual(jobs.slice(1).sort());
  expect(report).toMatchObject({ overdue: 3, failed: 1 });
});

it('a hint goes where the job stands now, not where the index saw it', async () => {
  const where = world({ between: async () => new Promise(() => {}) });
  const jobId = await submitted(where, 'a');
  // Its first driver has called and waits for ever; then the job is cancelled, and has effects to take back.
  void drive(where.engine('dispatch'), { jobId, kind: 'forward', remainingMs: () => 100_000, hops: 0 });
  await where.ports.clock.settle();
  const viewer = { callerId: 'caller', role: 'submitter' } as const;
  await cancel(where.engine('submit'), { jobId, viewer, reason: 'changed my mind', expectedRevision: null });
  expect((await where.ports.jobs.read(jobId))?.state).toBe('COMPENSATING');
  where.ports.clock.advance(400_000);
  const { told, hint } = hints();
  await sweep(where.engine('watchdog'), hint);
  expect(told).toEqual([[jobId, 'recovery']]);
});

it('a job that a driver will look at anyway costs no read and takes no other its hint', async () => {
  const where = world();
  const [coming, other] = await Promise.all(['a', 'b'].map((key) => submitted(where, key)));
  where.ports.clock.advance(400_000);
  const { told, hint } = hints();
  const report = await sweep(where.engine('watchdog'), hint, (jobId) => jobId === coming);
  expect(told.map(([jobId]) => jobId)).toEqual([other]);
  expect(report).toMatchObject({ overdue: 1, waiting: 1 });
});
