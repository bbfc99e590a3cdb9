/** The whole again, with real drivers: rounds with operations of their own, their late results, and every way to stop. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, failure } from '../../lib/core/answers.ts';
import { openEffects } from '../../lib/core/effects.ts';
import { jobIdOf } from '../../lib/core/ids.ts';
import type { Job } from '../../lib/core/job.ts';
import { registry, step, workflow } from '../../lib/definition/index.ts';
import { cancel } from '../../lib/operations/cancel.ts';
import { planFor } from '../../lib/operations/engine.ts';
import { operate } from '../../lib/operations/operate.ts';
import type { CallEnvelope } from '../../lib/ports.ts';
import { type Kill, readJob, type World, world } from './world.ts';

const HOUR = 3_600_000;
const once = { EXT_: { maxAttempts: 1 } };
const trip = (type: string, deadline: '1 h' | '24 h', backoffBaseSeconds = 1_800) =>
  workflow(type, 1)
    .input(z.strictObject({}))
    .stage(
      step('hotel', { topic: 'hotel:do', input: () => ({}), output: z.unknown(), undo: 'hotel:undo', retry: once }),
    )
    .stage(
      step('train', { topic: 'train:do', input: () => ({}), output: z.unknown(), undo: 'train:undo', retry: once }),
    )
    .sagaRetry({ maxAttempts: 3, backoffBaseSeconds, jitter: 'none' })
    .deadline(deadline)
    .output(() => 'there');
const plans = registry(trip('trip', '24 h'), trip('short', '1 h'), trip('quick', '24 h', 5));
const BUSY = failure('EXT_UNAVAILABLE', 'no train', false);
const OK: Answer = { kind: 'success', output: null };
const ann = { callerId: 'ann', role: 'operator' } as const;

interface Rig {
  readonly where: World;
  readonly effects: Set<string>;
  readonly calls: string[];
}

/** The train answers as told, call by call, then succeeds; effects are kept by operation, and nothing fences. */
function rig(
  train: readonly Answer[],
  undo: () => Answer = () => OK,
  more: { kill?: Kill; fencing?: boolean } = {},
): Rig {
  const effects = new Set<string>();
  const calls: string[] = [];
  const answers = new Map<string, Answer>();
  const serve = async ({ call }: CallEnvelope): Promise<Answer> => {
    calls.push(call.operationId);
    if (call.topic.endsWith(':undo')) {
      const answer = undo();
      if (answer.kind === 'success') effects.delete(call.about ?? '');
      return answer;
    }
    // The same operation gets the same answer, however often it is asked.
    const seen = [...answers.keys()].filter((id) => id.includes('.train'));
    const fresh = call.topic === 'train:do' ? (train[seen.length] ?? OK) : OK;
    const answer = answers.get(call.operationId) ?? fresh;
    answers.set(call.operationId, answer);
    if (answer.kind === 'success') effects.add(call.operationId);
    return answer;
  };
  return { where: world({ plans, serve, ...more }), effects, calls };
}

const idOf = (type: string) => jobIdOf('caller', type, 'key');

async function submitted({ where }: Rig, type = 'trip', withinMs = 10 * HOUR): Promise<Job> {
  const request = { callerId: 'caller', source: 'api', workflowType: type, version: null, input: {} } as const;
  const keyed = { ...request, idempotencyKey: 'key', correlationId: null, trace: null };
  if ((await where.submit(keyed)) === null) await where.submit(keyed);
  await where.untilQuiet(idOf(type), withinMs);
  return readJob(where, idOf(type));
}

const openOf = (job: Job): string[] => {
  const plan = planFor(plans, job);
  return plan === undefined ? ['?'] : openEffects(job, plan).map(({ operationId }) => operationId);
};
const ids = (...names: string[]) => names.map((name) => `${idOf('trip')}.${name}`);

describe('a saga that is retried', () => {
  it('begins each round with operations of its own, and tells one outcome', async () => {
    const there = rig([BUSY, BUSY]);
    const job = await submitted(there);
    expect(job).toMatchObject({ state: 'COMPLETED', sagaRound: 2, outcome: 'succeeded', stoppedReason: null });
    expect(there.calls).toEqual(
      ids('hotel', 'train', 'hotel.undo', 'hotel.r1', 'train.r1', 'hotel.r1.undo', 'hotel.r2', 'train.r2'),
    );
    expect([...there.effects]).toEqual(ids('hotel.r2', 'train.r2'));
    const told = there.where.ports.bus.published.map(({ detailType }) => detailType);
    expect(told).toEqual(['trip:completed']);
  });

  it('ends with the cause when its rounds are spent', async () => {
    const there = rig([BUSY, BUSY, BUSY]);
    const job = await submitted(there);
    expect(job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back', lastErrorCode: 'EXT_UNAVAILABLE' });
    expect(job.stoppedReason).toBe('ORCH_RETRY_BUDGET_EXHAUSTED');
    expect(there.effects.size).toBe(0);
    expect(there.where.ports.bus.published.map(({ detailType }) => detailType).sort()).toEqual([
      'job.dead_lettered',
      'trip:failed',
    ]);
  });

  it('is not, for a cause that will not pass', async () => {
    const there = rig([failure('DQ_DATE', 'no such day', false)]);
    expect(await submitted(there)).toMatchObject({ state: 'FAILED', sagaRound: 0 });
  });

  it('is not, once an undo failed, though a person has it undone then', async () => {
    let locked = true;
    const there = rig([BUSY], () => (locked ? failure('CONTRACT_CONFLICT', 'locked', false) : OK));
    expect((await submitted(there)).state).toBe('NEEDS_REVIEW');
    locked = false;
    const asked = { jobId: idOf('trip'), viewer: ann, reason: 'unlocked', evidence: null, expectedRevision: null };
    const act = { action: 'retry_compensation' } as const;
    await operate(there.where.engine('operate'), { ...asked, act });
    await there.where.untilQuiet(idOf('trip'), 10 * HOUR);
    const job = await readJob(there.where, idOf('trip'));
    expect(job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back', sagaRound: 0 });
    expect(there.effects.size).toBe(0);
  });

  it('waits as its policy says, and ends at the deadline that comes first', async () => {
    const there = rig([BUSY, BUSY]);
    const job = await submitted(there, 'short');
    // One round after half an hour; the next would begin after an hour more.
    expect(job).toMatchObject({ state: 'DEAD_LETTERED', stoppedReason: 'ORCH_DEADLINE_EXCEEDED', sagaRound: 2 });
    expect(job.updatedAt - job.createdAt).toBeLessThan(HOUR + 120_000);
    expect(there.effects.size).toBe(0);
  });

  it('can be cancelled while it waits, and nothing is called any more', async () => {
    const there = rig([BUSY]);
    expect((await submitted(there, 'trip', 60_000)).state).toBe('RETRY_SCHEDULED');
    const calls = there.calls.length;
    const viewer = { callerId: 'caller', role: 'submitter' } as const;
    const asked = { jobId: idOf('trip'), viewer, reason: 'stay at home', expectedRevision: null };
    expect((await cancel(there.where.engine('operate'), asked)).kind).toBe('done');
    expect(await there.where.untilQuiet(idOf('trip'), 10 * HOUR)).toBe(true);
    expect(await readJob(there.where, idOf('trip'))).toMatchObject({ state: 'CANCELLED', outcome: 'rolled_back' });
    expect(there.calls).toHaveLength(calls);
  });
});

describe('a late result of an earlier round', () => {
  const LOST = failure('EXT_TIMEOUT', 'no answer', true);

  async function lateSuccess(there: Rig, name: string): Promise<void> {
    const [operationId = ''] = ids(name);
    there.effects.add(operationId);
    const at = there.where.ports.clock.now();
    const result = { step: 'train', direction: 'do', operationId, attempt: 1, at, answer: OK } as const;
    await there.where.ports.queue.send('dispatch', { kind: 'result', jobId: idOf('trip'), result }, 0);
  }

  it('is no answer to this round, and nothing where the undo had put up a fence', async () => {
    const there = rig([LOST]);
    await submitted(there, 'trip', 60_000);
    await lateSuccess(there, 'train');
    there.effects.clear();
    await there.where.untilQuiet(idOf('trip'), 10 * HOUR);
    const job = await readJob(there.where, idOf('trip'));
    expect(job).toMatchObject({ state: 'COMPLETED', sagaRound: 1 });
    expect([...there.effects]).toEqual(ids('hotel.r1', 'train.r1'));
    expect(openOf(job)).toEqual([]);
  });

  it('whose answer came after all is undone by a job of its own, under the next id of that round’s undo', async () => {
    // It had answered that it did not apply, so no undo was called, and then it applied.
    const there = rig([BUSY], undefined, { fencing: false });
    await submitted(there, 'trip', 60_000);
    await lateSuccess(there, 'train');
    await there.where.untilQuiet(idOf('trip'), 10 * HOUR);
    const all = { callerId: null, state: null, workflowType: null, correlationId: null, from: null, to: null };
    const { items } = await there.where.ports.jobs.list({ ...all, limit: 10, after: null });
    const recovery = items.find(({ lineage }) => lineage.recoveryOf === idOf('trip'));
    if (recovery === undefined) throw new Error('nobody recovers it');
    await there.where.untilQuiet(recovery.jobId, 10 * HOUR);
    const job = await readJob(there.where, idOf('trip'));
    expect(job).toMatchObject({ state: 'COMPLETED', lineage: { undoneBy: recovery.jobId } });
    expect(there.calls).toContain(ids('train.undo')[0]);
    expect([...there.effects].sort()).toEqual(ids('hotel.r1', 'train.r1'));
    expect(openOf(job)).toEqual([]);
  });
});

it('comes to the same end with any one function killed at any one call', async () => {
  const clean = rig([BUSY]);
  expect((await submitted(clean, 'quick')).state).toBe('COMPLETED');
  const points = clean.where.invocations.flatMap(({ calls }, invocation) =>
    calls.flatMap((_, index) =>
      (['before', 'after'] as const).map((mode) => ({ invocation, atCall: index + 1, mode })),
    ),
  );
  expect(points.length).toBeGreaterThan(40);
  for (const kill of points) {
    const there = rig([BUSY], undefined, { kill });
    const job = await submitted(there, 'quick');
    const place = JSON.stringify(kill);
    // A killed call of the train may count as lost, and its round as one more.
    expect([job.state, there.where.killed()], place).toEqual(['COMPLETED', true]);
    const round = job.sagaRound;
    expect([...there.effects].sort(), place).toEqual(
      [`hotel.r${round}`, `train.r${round}`].map((name) => `${idOf('quick')}.${name}`),
    );
    expect(openOf(job), place).toEqual([]);
  }
});
