/** A duplicate to the end: while the job rolls back, after it failed, and where the workflow then runs it again. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { wireJob } from '../../lib/contract/wire-job.ts';
import { type Answer, failure } from '../../lib/core/answers.ts';
import { isJobId, jobIdOf } from '../../lib/core/ids.ts';
import { registry, step, workflow } from '../../lib/definition/index.ts';
import { cancel } from '../../lib/operations/cancel.ts';
import { planFor } from '../../lib/operations/engine.ts';
import type { SubmitResult } from '../../lib/operations/submit.ts';
import type { CallEnvelope } from '../../lib/ports.ts';
import { readJob, type World, world } from './world.ts';

const builder = (type: string) =>
  workflow(type, 1)
    .input(z.strictObject({ name: z.string() }))
    .stage(step('a', { topic: 'a:do', input: () => ({}), output: z.unknown(), undo: 'a:undo' }))
    .stage(step('b', { topic: 'b:do', input: () => ({}), output: z.unknown(), undo: 'b:undo' }));
const plans = registry(
  builder('again')
    .onFailed('rerun')
    .output(() => null),
  builder('once').output(() => null),
);
const DAY = 86_400_000;

const requestOf = (workflowType: string, idempotencyKey: string | null = 'key', name = 'x') =>
  ({
    callerId: 'caller',
    source: 'api',
    workflowType,
    version: null,
    input: { name },
    idempotencyKey,
    correlationId: null,
    trace: null,
  }) as const;

/** b refuses the first `times` jobs, and a's undo as told. */
function rig(times: number, undo: Answer = { kind: 'success', output: null }) {
  let left = times;
  const calls: string[] = [];
  const serve = async ({ call }: CallEnvelope): Promise<Answer> => {
    calls.push(call.operationId);
    if (call.topic === 'a:undo') return undo;
    if (call.topic !== 'b:do' || left <= 0) return { kind: 'success', output: null };
    left -= 1;
    return failure('DQ_NAME', 'not this name', false);
  };
  return { where: world({ plans, serve }), calls };
}

function jobIn(result: SubmitResult | null) {
  if (result === null || result.kind === 'refused') throw new Error(JSON.stringify(result));
  return { kind: result.kind, jobId: result.job.jobId, state: result.job.state };
}

async function submitted(where: World, type: string) {
  const told = jobIn(await where.submit(requestOf(type)));
  expect(await where.untilQuiet(told.jobId, DAY)).toBe(true);
  return { ...told, state: (await readJob(where, told.jobId)).state };
}

describe('a duplicate', () => {
  it('while the job rolls back is that job, whatever its workflow does with failed ones', async () => {
    for (const type of ['again', 'once']) {
      const duplicates: ReturnType<typeof jobIn>[] = [];
      const rolling = world({
        plans,
        serve: async (envelope) => {
          if (envelope.call.topic === 'a:undo') duplicates.push(jobIn(await rolling.submit(requestOf(type))));
          return envelope.call.topic === 'b:do' ? failure('DQ_NAME', 'no', false) : { kind: 'success', output: null };
        },
      });
      const { jobId } = await submitted(rolling, type);
      expect(duplicates).toEqual([{ kind: 'existing', jobId, state: 'COMPENSATING' }]);
    }
  });

  it('of a failed job is its answer, and nothing runs again', async () => {
    const { where, calls } = rig(9);
    const first = await submitted(where, 'once');
    const before = calls.length;
    expect(await submitted(where, 'once')).toEqual({ ...first, kind: 'existing', state: 'FAILED' });
    expect(calls).toHaveLength(before);
  });
});

describe('where the workflow says rerun, a duplicate of a failed job', () => {
  it('is a new linked job under the next number, until one succeeds; that one is then the answer', async () => {
    const { where, calls } = rig(2);
    const base = jobIdOf('caller', 'again', 'key');
    const runs = [];
    for (let run = 0; run < 4; run += 1) runs.push(await submitted(where, 'again'));
    expect(runs).toEqual([
      { kind: 'created', jobId: base, state: 'FAILED' },
      { kind: 'created', jobId: `${base}.r1`, state: 'FAILED' },
      { kind: 'created', jobId: `${base}.r2`, state: 'COMPLETED' },
      { kind: 'existing', jobId: `${base}.r2`, state: 'COMPLETED' },
    ]);
    const job = await readJob(where, `${base}.r2` as typeof base);
    expect(isJobId(job.jobId)).toBe(true);
    expect(wireJob(job, planFor(plans, job))).toMatchObject({ rerun_of: `${base}.r1`, idempotency_key: 'key' });
    expect(job.history[0]?.evidence).toBe(`rerun of ${base}.r1`);
    expect(new Set(calls).size, 'no operation is asked for twice').toBe(calls.length);
  });

  it('is one job, however many ask at once', async () => {
    const { where } = rig(1);
    await submitted(where, 'again');
    const crowd = await Promise.all(Array.from({ length: 8 }, () => where.submit(requestOf('again'))));
    const told = crowd.map(jobIn);
    expect(new Set(told.map(({ jobId }) => jobId)).size).toBe(1);
    expect(told.filter(({ kind }) => kind === 'created')).toHaveLength(1);
  });

  it('is a conflict when its payload is another one', async () => {
    const { where } = rig(1);
    await submitted(where, 'again');
    expect(await where.submit(requestOf('again', 'key', 'y'))).toMatchObject({
      code: 'ORCH_DUPLICATE_IDEMPOTENCY_KEY',
    });
  });

  it('is its answer while anything of it is open: that is settled first', async () => {
    const { where } = rig(1, failure('CONTRACT_CONFLICT', 'locked', false));
    const first = await submitted(where, 'again');
    expect(first.state).toBe('NEEDS_REVIEW');
    expect(await submitted(where, 'again')).toMatchObject({ kind: 'existing', jobId: first.jobId });
  });

  it('is its answer when it was cancelled: that was no failure', async () => {
    const { where } = rig(0);
    const { jobId } = jobIn(await where.submit(requestOf('again')));
    const viewer = { callerId: 'caller', role: 'submitter' } as const;
    await cancel(where.engine('operate'), { jobId, viewer, reason: 'enough', expectedRevision: null });
    expect(await submitted(where, 'again')).toEqual({ kind: 'existing', jobId, state: 'CANCELLED' });
  });

  it('runs again also without a key, within the window of the first', async () => {
    const { where } = rig(1);
    const first = jobIn(await where.submit(requestOf('again', null)));
    expect(await where.untilQuiet(first.jobId, 60_000)).toBe(true);
    expect(jobIn(await where.submit(requestOf('again', null))).jobId).toBe(`${first.jobId}.r1`);
  });
});
