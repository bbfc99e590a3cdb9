/**
 * Time that runs out, and a cancel, at every place where a job can be: it ends with nothing open, or waits for a person
 * with its effects named. Past an irreversible success neither takes anything back.
 */
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
import { readJob, type World, world } from './world.ts';

const anything = { input: () => ({}), output: z.unknown(), timeout: '50 s' } as const;
const plans = registry(
  workflow('ship', 1)
    .input(z.strictObject({}))
    .stage(step('reserve', { ...anything, topic: 'reserve:do', undo: 'reserve:undo' }))
    .stage(step('pay', { ...anything, topic: 'pay:do', undo: { topic: 'pay:undo', timeout: '5 s' } }))
    .stage(step('send', { ...anything, topic: 'send:do', irreversible: true, retry: { EXT_: { maxAttempts: 2 } } }))
    .stage(step('report', { ...anything, topic: 'report:do', readOnly: true, retry: { EXT_: { maxAttempts: 3 } } }))
    .deadline('30 s')
    .output(() => null),
);
const jobId = jobIdOf('caller', 'ship', 'key');
const DAY = 86_400_000;
const OK: Answer = { kind: 'success', output: null };
const LATER = failure('EXT_BUSY', 'come back in an hour', false, 3_600_000);
const owner = { callerId: 'caller', role: 'submitter' } as const;
const ann = { callerId: 'ann', role: 'operator' } as const;

interface Script {
  /** Answers of a topic, call by call, the last one for ever; a number is how long the call takes before it succeeds. */
  readonly [topic: string]: readonly (Answer | number | 'silence')[];
}

/** Cancels when the call of this topic has reached its participant; `ever` marks what came of it. */
interface Cancel {
  readonly at: string;
  answer?: string;
}

async function run(
  script: Script,
  cancelling?: Cancel,
): Promise<{ where: World; job: Job; effects: string[]; open: string[] }> {
  const effects = new Set<string>();
  const counts = new Map<string, number>();
  const serve = async ({ call }: CallEnvelope): Promise<Answer> => {
    const { topic, direction, about, operationId } = call;
    const index = counts.get(topic) ?? 0;
    counts.set(topic, index + 1);
    const own = script[topic] ?? [OK];
    const next = own[Math.min(index, own.length - 1)] ?? OK;
    if (cancelling?.at === topic && cancelling.answer === undefined) {
      const asked = { jobId, viewer: owner, reason: 'changed my mind', expectedRevision: null };
      const told = await cancel(where.engine('operate'), asked);
      cancelling.answer = told.kind === 'done' ? 'granted' : told.detail;
    }
    if (next === 'silence' || typeof next === 'number') {
      const wait = next === 'silence' ? call.timeoutMs : next;
      await new Promise<void>((resolve) => void where.ports.clock.after(wait, resolve));
    }
    const answer =
      next === 'silence' ? failure('EXT_TIMEOUT', 'no answer', true) : typeof next === 'number' ? OK : next;
    if (answer.kind === 'success' && direction === 'undo') effects.delete(about ?? '');
    if (answer.kind === 'success' && direction === 'do' && topic !== 'report:do') effects.add(operationId);
    return answer;
  };
  const where = world({ plans, serve });
  const request = { callerId: 'caller', source: 'api', workflowType: 'ship', version: null, input: {} } as const;
  await where.submit({ ...request, idempotencyKey: 'key', correlationId: null, trace: null });
  expect(await where.untilQuiet(jobId, 3 * DAY), 'it comes to rest').toBe(true);
  return { where, ...(await lookAt(where)), effects: [...effects].map((id) => id.split('.')[1] ?? '').sort() };
}

async function lookAt(where: World): Promise<{ job: Job; open: string[] }> {
  const job = await readJob(where, jobId);
  const plan = planFor(plans, job);
  if (plan === undefined) throw new Error('no plan');
  return { job, open: openEffects(job, plan).map((effect) => `${effect.step} ${effect.state}`) };
}

const endOf = (job: Job) => [job.state, job.outcome, job.stoppedReason];

describe('a deadline', () => {
  it.each<[string, Script]>([
    ['during a call that succeeds after it', { 'reserve:do': [40_000] }],
    ['during a call that never answers', { 'pay:do': ['silence'] }],
    ['during a wait to retry', { 'pay:do': [LATER] }],
  ])('%s leaves nothing', async (_when, script) => {
    const { job, effects, open } = await run(script);
    expect(endOf(job)).toEqual(['DEAD_LETTERED', 'rolled_back', 'ORCH_DEADLINE_EXCEEDED']);
    expect([effects, open]).toEqual([[], []]);
  });

  it('waits for an irreversible call to settle: refused, everything is taken back', async () => {
    const { job, effects } = await run({ 'send:do': [LATER, failure('EXT_BUSY', 'still', false)] });
    expect([job.state, job.outcome]).toEqual(['DEAD_LETTERED', 'rolled_back']);
    expect(effects).toEqual([]);
  });

  it('waits for an irreversible call to settle: done, a person decides about the rest, and may go on', async () => {
    const { where, job, effects, open } = await run({ 'send:do': [40_000] });
    expect(endOf(job)).toEqual(['NEEDS_REVIEW', null, 'ORCH_DEADLINE_EXCEEDED']);
    expect(effects).toEqual(['pay', 'reserve', 'send']);
    expect(open).toEqual(['reserve applied', 'pay applied', 'send applied']);
    const resume = { action: 'resume' } as const;
    const asked = { jobId, viewer: ann, reason: 'only the report is missing', evidence: null, expectedRevision: null };
    expect((await operate(where.engine('operate'), { ...asked, act: resume })).kind).toBe('done');
    await where.untilQuiet(jobId, DAY);
    expect((await readJob(where, jobId)).state).toBe('COMPLETED');
  });

  it('after an irreversible success takes nothing back', async () => {
    const { job, effects, open } = await run({ 'report:do': [LATER] });
    expect(endOf(job)).toEqual(['NEEDS_REVIEW', null, 'ORCH_DEADLINE_EXCEEDED']);
    expect([effects, open]).toEqual([
      ['pay', 'reserve', 'send'],
      ['reserve applied', 'pay applied', 'send applied'],
    ]);
  });

  it('during compensation changes nothing: undos have their own', async () => {
    const { job, effects } = await run({ 'pay:do': [failure('DQ_X', 'no', false)], 'reserve:undo': [LATER, OK] });
    expect(endOf(job)).toEqual(['FAILED', 'rolled_back', 'DQ_X']);
    expect(effects).toEqual([]);
  });

  it('after the end is nothing', async () => {
    const { where, job } = await run({});
    expect(job.state).toBe('COMPLETED');
    await where.ports.clock.advanceAsync(DAY);
    expect(await readJob(where, jobId)).toEqual(job);
  });
});

describe('a cancel', () => {
  it.each<[string, string, Script]>([
    ['the first call', 'reserve:do', {}],
    ['a later call that then is refused', 'pay:do', { 'pay:do': [failure('DQ_X', 'no', false)] }],
    ['a call that never answers', 'pay:do', { 'pay:do': ['silence'] }],
    ['a call that would be tried again', 'pay:do', { 'pay:do': [LATER] }],
  ])('during %s ends CANCELLED with nothing left', async (_when, at, script) => {
    const cancelling: Cancel = { at };
    const { job, effects, open } = await run(script, cancelling);
    expect(cancelling.answer).toBe('granted');
    expect(endOf(job)).toEqual(['CANCELLED', 'rolled_back', 'ORCH_CANCELLED']);
    expect([effects, open]).toEqual([[], []]);
  });

  it.each<[string, string, Script, string, RegExp]>([
    ['an irreversible call', 'send:do', {}, 'COMPLETED', /irreversible step has been started/],
    ['a step after an irreversible success', 'report:do', {}, 'COMPLETED', /irreversible step has been started/],
    [
      'compensation',
      'reserve:undo',
      { 'pay:do': [failure('DQ_X', 'no', false)] },
      'FAILED',
      /already being taken back: its rollback cannot be cancelled/,
    ],
  ])('during %s is refused with the reason, and the job goes its way', async (_when, at, script, end, reason) => {
    const cancelling: Cancel = { at };
    const { job } = await run(script, cancelling);
    expect(cancelling.answer).toMatch(reason);
    expect(job.state).toBe(end);
  });

  it('after the end is refused with the end', async () => {
    const { where } = await run({});
    const asked = { jobId, viewer: owner, reason: 'too late', expectedRevision: null };
    expect(await cancel(where.engine('operate'), asked)).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('ended as COMPLETED'),
    });
  });

  it('of a job under review is refused, and what to do is said', async () => {
    const { where } = await run({ 'report:do': [LATER] });
    const asked = { jobId, viewer: owner, reason: 'enough', expectedRevision: null };
    expect(await cancel(where.engine('operate'), asked)).toMatchObject({
      kind: 'refused',
      detail: expect.stringMatching(/waits for an operator: resolve .* or close/),
    });
  });
});
