/** Effects that come to light after a job's end: a linked job undoes them, and they are struck off. */
import { describe, expect, it } from 'vitest';
import { openEffects } from '../../lib/core/effects.ts';
import type { Job } from '../../lib/core/job.ts';
import { newJob } from '../../lib/core/new-job.ts';
import { isRecovery, recoveriesOf, recoveryPlan } from '../../lib/core/recovery.ts';
import {
  answered,
  callOf,
  cancelled,
  contextOf,
  given,
  happens,
  lost,
  type Moment,
  notFound,
  ok,
  operated,
  refused,
  step,
  turn,
  undone,
  until,
  type When,
  workflow,
} from './support.ts';

const one = workflow([[step('a')]]);
const ended = given(one).when(turn(), refused('a', 'DQ_X'));
const surprised = given(ended).when(ok('a', { id: 4 }));

/** The recovery job of a job with one late effect, as it is first stored. */
function recoveryOf(moment: Moment): Moment {
  const [submission] = recoveriesOf(moment.job, moment.plan, contextOf(moment));
  if (submission === undefined) throw new Error('nothing to recover');
  const { undoes } = submission.lineage;
  if (undoes === undefined) throw new Error('a recovery of nothing');
  const plan = recoveryPlan(moment.plan, undoes);
  const job: Job = newJob(submission, plan, contextOf(moment));
  return { ...moment, plan, job, calls: [], decision: null };
}

describe('a late effect', () => {
  it('is undone by a job of its own, under the undo of the operation, with what it answered', () => {
    const moment = given(recoveryOf(surprised)).when(turn());
    const { jobId } = surprised.job;
    expect(isRecovery(moment.job)).toBe(true);
    expect(moment.job).toMatchObject({ source: 'recovery', lineage: { recoveryOf: jobId } });
    expect(callOf(moment, 'a')).toMatchObject({
      topic: 'a:undo',
      operationId: `${jobId}.a.undo`,
      body: { input: { of: 'a' }, output: { id: 4 } },
    });
  });

  it('is undone under the next id where an undo of it had been confirmed before', () => {
    const pair = workflow([[step('a'), step('b')]]);
    const closed = given(pair, { nonFencing: ['a'] }).when(
      turn(),
      refused('b'),
      lost('a', 'STRANGE'),
      until(({ job }) => job.nextActionAt),
      turn(),
      undone('a'),
      operated({ action: 'resolve', step: 'a', resolution: 'compensated', output: undefined }),
      turn(),
    );
    expect(closed.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
    const moment = given(recoveryOf(given(closed).when(ok('a', { id: 9 })))).when(turn());
    expect(callOf(moment, 'a').operationId).toBe(`${closed.job.jobId}.a.undo.2`);
  });

  it('makes the same recovery job whoever looks, and however often', () => {
    const jobs = [surprised, given(surprised).when(turn())].map((moment) => recoveryOf(moment).job.jobId);
    expect(new Set(jobs).size).toBe(1);
    expect(jobs[0]).not.toBe(surprised.job.jobId);
  });

  it.each([
    ['of a job on its way', [turn(), lost('a', 'EXT_X')]],
    ['of a job that has nothing open', [turn(), refused('a', 'DQ_X')]],
    [
      'that an operator left behind on purpose',
      [turn(), lost('a', 'EXT_X'), operated({ action: 'force_close' }), ok('a')],
    ],
  ] as [string, When[]][])('is not looked for %s', (_name, whens) => {
    const moment = given(one).when(...whens);
    expect(recoveriesOf(moment.job, moment.plan, contextOf(moment))).toEqual([]);
  });

  it('is not looked for where an operator left it behind, knowing of it', () => {
    const pair = workflow([[step('a', { undo: { none: 'why' } }), step('b')]]);
    const review = given(pair).when(turn(), refused('b'), lost('a', 'STRANGE'), turn(), ok('b'));
    expect(openEffects(review.job, pair).map((effect) => `${effect.step} ${effect.state}`)).toEqual([
      'a unknown',
      'b applied',
    ]);
    const left = given(review).when(operated({ action: 'force_close' }));
    expect(recoveriesOf(left.job, left.plan, contextOf(left))).toEqual([]);
  });

  it('that needs no undo is none', () => {
    const harmless = workflow([[step('a', { undo: { none: 'a log line' } })]]);
    const moment = given(harmless).when(turn(), refused('a'), ok('a'));
    expect(recoveriesOf(moment.job, moment.plan, contextOf(moment))).toEqual([]);
  });
});

describe('a recovery job', () => {
  it('is done when the undo succeeded, or found nothing', () => {
    const out = given(recoveryOf(surprised)).when(turn());
    expect(given(out).when(ok('a', null)).job.state).toBe('COMPLETED');
    expect(given(out).when(answered('a', notFound)).job.state).toBe('COMPLETED');
  });

  it('is put aside when it was refused, never cancelled, never recovered itself', () => {
    const out = given(recoveryOf(surprised)).when(turn());
    expect(given(out).when(cancelled()).decision?.status).toBe('refused');
    const failed = given(out).when(refused('a'), ok('a'));
    expect(failed.job.state).toBe('DEAD_LETTERED');
    expect(recoveriesOf(failed.job, failed.plan, contextOf(failed))).toEqual([]);
  });

  it('strikes the effect off, once', () => {
    const event = { type: 'recovered', step: 'a', round: 0, by: 'jrecovery' } as const;
    const cleared = happens(surprised, event);
    expect(openEffects(cleared.job, cleared.plan)).toEqual([]);
    expect(cleared.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back', lineage: { undoneBy: 'jrecovery' } });
    expect(happens(cleared, event).decision).toEqual({ status: 'ignored', reason: 'duplicate' });
  });
});
