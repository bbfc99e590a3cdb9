/**
 * A success that arrives after a job's end, at a participant that keeps nothing from applying late: the job stays as it
 * ended, another job undoes the effect, and whoever dies on the way, the effect is gone and struck off in the end.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readMessage } from '../../lib/contract/messages.ts';
import { wireDeadLetter } from '../../lib/contract/wire-dead-letter.ts';
import { type Answer, failure } from '../../lib/core/answers.ts';
import { openEffects } from '../../lib/core/effects.ts';
import { deadLetterIdOf, jobIdOf } from '../../lib/core/ids.ts';
import type { Job } from '../../lib/core/job.ts';
import { registry, step, workflow } from '../../lib/definition/index.ts';
import { cancel } from '../../lib/operations/cancel.ts';
import { planFor } from '../../lib/operations/engine.ts';
import { operate } from '../../lib/operations/operate.ts';
import { replay } from '../../lib/operations/replay.ts';
import type { CallEnvelope } from '../../lib/ports.ts';
import { type Kill, readJob, type World, world } from './world.ts';

const slow = workflow('slow', 1)
  .input(z.strictObject({ name: z.string() }))
  .stage(
    step('a', {
      topic: 'a:do',
      input: ({ input }) => ({ name: input.name }),
      output: z.object({ id: z.number() }),
      undo: 'a:undo',
      retry: { EXT_: { maxAttempts: 1 } },
    }),
  )
  .output(({ outputs }) => outputs.a);
const plans = registry(slow);
const jobId = jobIdOf('caller', 'slow', 'key');
const operator = { callerId: 'ann', role: 'operator' } as const;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** Takes its time with every forward call, and remembers nothing: an undo that comes first undoes nothing. */
function forgetful(refusesUndo: (operationId: string) => boolean = () => false) {
  const effects = new Set<string>();
  const undos: { operationId: string; about: string | null; output: unknown }[] = [];
  const serve = async ({ call }: CallEnvelope): Promise<Answer> => {
    if (call.topic === 'a:do') return failure('EXT_TIMEOUT', 'no answer in time', true);
    if (refusesUndo(call.operationId)) return failure('CONTRACT_CONFLICT', 'it is locked', false);
    effects.delete(call.about ?? '');
    undos.push({ operationId: call.operationId, about: call.about, output: (call.body as { output: unknown }).output });
    return { kind: 'success', output: { undone: true } };
  };
  return { effects, undos, serve };
}

async function insist<T>(where: World, name: string, work: Parameters<typeof where.attempt<T>>[1]): Promise<T> {
  const first = await where.attempt(name, work);
  const result = first ?? (await where.attempt(name, work));
  if (result === null) throw new Error(`${name} died twice`);
  return result;
}

/** Until the job has ended, clean as far as anybody knows. */
async function ended(where: World): Promise<void> {
  const input = { name: 'x' };
  const request = { callerId: 'caller', source: 'api', workflowType: 'slow', version: null, input } as const;
  const keyed = { ...request, idempotencyKey: 'key', correlationId: null, trace: null };
  if ((await where.submit(keyed)) === null) await where.submit(keyed);
  expect(await where.untilQuiet(jobId, DAY)).toBe(true);
  expect((await readJob(where, jobId)).state).toBe('NEEDS_REVIEW');
  const act = { action: 'resolve', step: 'a', resolution: 'not_applied', output: undefined } as const;
  const told = {
    jobId,
    viewer: operator,
    reason: 'not in their books',
    evidence: 'call 7',
    expectedRevision: null,
    act,
  };
  await insist(where, 'operate', (engine) => operate(engine, told));
  expect(await where.untilQuiet(jobId, DAY)).toBe(true);
}

async function comesToLight(where: World, effects: Set<string>): Promise<Job> {
  effects.add(`${jobId}.a`);
  const at = where.ports.clock.now();
  const answer = { kind: 'success', output: { id: 4 } } as const;
  const result = { step: 'a', direction: 'do', operationId: `${jobId}.a`, attempt: 1, at, answer } as const;
  await where.ports.queue.send('dispatch', { kind: 'result', jobId, result }, 0);
  expect(await where.untilQuiet(jobId, DAY)).toBe(true);
  const recovery = (await jobsOf(where)).find(({ lineage }) => lineage.recoveryOf === jobId);
  if (recovery === undefined) throw new Error('nobody recovers it');
  expect(await where.untilQuiet(recovery.jobId, DAY)).toBe(true);
  return readJob(where, recovery.jobId);
}

async function jobsOf(where: World): Promise<readonly Job[]> {
  const all = { callerId: null, state: null, workflowType: null, correlationId: null, from: null, to: null };
  return (await where.ports.jobs.list({ ...all, limit: 100, after: null })).items;
}

const openOf = (job: Job) => {
  const plan = planFor(plans, job);
  if (plan === undefined) throw new Error('no plan');
  return openEffects(job, plan).map(({ operationId, state }) => `${operationId} ${state}`);
};

async function tell(kill?: Kill): Promise<World> {
  const { effects, undos, serve } = forgetful();
  const where = world({ plans, serve, fencing: false, ...(kill ? { kill } : {}) });
  await ended(where);
  const before = await readJob(where, jobId);
  const recovery = await comesToLight(where, effects);
  const after = await readJob(where, jobId);

  expect(effects, 'the effect is gone').toEqual(new Set());
  expect(undos.filter(({ operationId }) => operationId === `${jobId}.a.undo.2`)[0]).toEqual({
    operationId: `${jobId}.a.undo.2`,
    about: `${jobId}.a`,
    output: { id: 4 },
  });
  expect(before.state).toBe('DEAD_LETTERED');
  expect([after.state, after.outcome]).toEqual([before.state, before.outcome]);
  expect(after.lineage.undoneBy).toBe(recovery.jobId);
  expect(openOf(after)).toEqual([]);
  expect(recovery).toMatchObject({ state: 'COMPLETED', source: 'recovery', lineage: { recoveryOf: jobId } });
  expect((await jobsOf(where)).length, 'one recovery').toBe(2);

  const outcomes = where.ports.bus.published.filter(({ detailType }) => detailType.startsWith('slow:'));
  expect(new Set(outcomes.map(({ detailType, detail }) => `${detailType} ${detail.job_id}`))).toEqual(
    new Set([`slow:failed ${jobId}`]),
  );
  const alerts = where.ports.bus.published.filter(({ detailType }) => detailType === 'job.dead_lettered');
  expect(new Set(alerts.map(({ eventId }) => eventId)).size, 'one at the end, one for the news').toBe(2);
  const record = await where.ports.deadLetters.get(deadLetterIdOf(jobId));
  expect(record === null ? null : wireDeadLetter(record)).toMatchObject({
    reason: 'compensation_failed',
    open_effects: [],
    replay_eligible: true,
  });
  expect(await where.ports.deadLetters.get(deadLetterIdOf(recovery.jobId))).toBeNull();
  return where;
}

describe('a success after the end', () => {
  it('is undone by a linked job under the next id of the undo, and struck off', async () => {
    await tell();
  });

  it('comes to the same with any one function killed at any one call', async () => {
    const clean = await tell();
    const points = clean.invocations.flatMap(({ calls }, invocation) =>
      calls.flatMap((call, index) =>
        (['before', 'after'] as const).map((mode) => ({ call, kill: { invocation, atCall: index + 1, mode } })),
      ),
    );
    expect(points.length).toBeGreaterThan(40);
    for (const { call, kill } of points) {
      const place = `${clean.invocations[kill.invocation]?.name} killed ${kill.mode} call ${kill.atCall}, ${call}`;
      try {
        expect((await tell(kill)).killed(), 'the kill happened').toBe(true);
      } catch (error) {
        throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
    }
  });

  it('that cannot be undone is a dead letter of its own; a replay undoes it as a new operation', async () => {
    let locked = true;
    const { effects, serve } = forgetful((operationId) => locked && operationId.endsWith('.undo.2'));
    const where = world({ plans, serve, fencing: false });
    await ended(where);
    const recovery = await comesToLight(where, effects);
    expect(recovery).toMatchObject({ state: 'DEAD_LETTERED', lastErrorCode: 'CONTRACT_CONFLICT' });
    expect(openOf(await readJob(where, jobId))).toEqual([`${jobId}.a applied`]);
    const deadLetterId = deadLetterIdOf(recovery.jobId);
    expect((await where.ports.deadLetters.get(deadLetterId))?.status).toBe('open');

    locked = false;
    const request = { deadLetterId, viewer: operator, reason: 'unlocked', input: undefined };
    const replayed = await replay(where.engine('operate'), request);
    if (replayed.kind === 'refused') throw new Error(replayed.detail);
    expect(replayed.job.lineage).toMatchObject({ replayOf: recovery.jobId, recoveryOf: jobId });
    expect(await where.untilQuiet(replayed.job.jobId, DAY)).toBe(true);
    expect((await readJob(where, replayed.job.jobId)).state).toBe('COMPLETED');
    expect(effects).toEqual(new Set());
    expect(openOf(await readJob(where, jobId))).toEqual([]);
    expect(where.ports.bus.published.some(({ detailType }) => detailType === 'slow:completed')).toBe(false);
  });

  it('whose undo may have been done is asked for again as the same operation, never as another', async () => {
    let down = true;
    const { effects, undos, serve } = forgetful();
    const where = world({
      plans,
      fencing: false,
      serve: async (envelope) => {
        const answer = await serve(envelope);
        return down && envelope.call.operationId.endsWith('.undo.2') ? failure('EXT_DOWN', 'no', false) : answer;
      },
    });
    await ended(where);
    const recovery = await comesToLight(where, effects);
    expect(recovery).toMatchObject({ state: 'DEAD_LETTERED', stoppedReason: 'ORCH_RETRY_BUDGET_EXHAUSTED' });
    down = false;
    const deadLetterId = deadLetterIdOf(recovery.jobId);
    const told = await replay(where.engine('operate'), {
      deadLetterId,
      viewer: operator,
      reason: 'up',
      input: undefined,
    });
    if (told.kind === 'refused') throw new Error(told.detail);
    expect(await where.untilQuiet(told.job.jobId, DAY)).toBe(true);
    expect(undos.at(-1)?.operationId).toBe(`${jobId}.a.undo.2`);
    expect(openOf(await readJob(where, jobId))).toEqual([]);
  });

  it.each([1, 2])('is undone over a queue, whose result names the job that had ended, sent %i times', async (times) => {
    const { effects, undos, serve } = forgetful();
    const where: World = world({
      plans,
      fencing: false,
      serve: async (envelope) => {
        const answer = await serve(envelope);
        const { operationId, attempt } = envelope.call;
        if (!operationId.endsWith('.undo.2')) return answer;
        const told = { operation_id: operationId, attempt, statusCode: 'ok', body: '{"undone":true}' };
        for (let sent = 0; sent < times; sent += 1) {
          where.ports.clock.after((sent + 1) * HOUR, () => {
            const message = readMessage(JSON.stringify(told), where.ports.clock.now());
            if (message !== null) void where.ports.queue.send('dispatch', message, 0);
          });
        }
        return { kind: 'accepted' };
      },
    });
    await ended(where);
    const recovery = await comesToLight(where, effects);
    expect(recovery).toMatchObject({ state: 'COMPLETED', lineage: { recoveryOf: jobId } });
    expect(undos.filter(({ operationId }) => operationId.endsWith('.undo.2'))).toHaveLength(1);
    expect(openOf(await readJob(where, jobId))).toEqual([]);
  });

  it('is undone whatever anybody says: its recovery cannot be cancelled', async () => {
    const { effects, serve } = forgetful((operationId) => operationId.endsWith('.undo.2'));
    const where = world({ plans, serve: async (envelope) => serve(envelope), fencing: false });
    await ended(where);
    effects.add(`${jobId}.a`);
    const recovery = await comesToLight(where, effects);
    const viewer = { callerId: 'caller', role: 'submitter' } as const;
    const asked = { jobId: recovery.jobId, viewer, reason: 'no', expectedRevision: null };
    expect(await cancel(where.engine('operate'), asked)).toMatchObject({ kind: 'refused' });
  });
});
