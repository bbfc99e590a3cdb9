/** Which failed jobs are put aside for a person to look at, and for which reason. */
import { describe, expect, it } from 'vitest';
import type { JobSource } from '../../lib/core/job.ts';
import { consequencesOf, quarantineReason } from '../../lib/core/outbox.ts';
import {
  BAD_OUTPUT,
  cancelled,
  DAY,
  failed,
  given,
  later,
  lost,
  type Moment,
  ok,
  pathOf,
  refusal,
  refused,
  type StartOptions,
  step,
  turn,
  undoAnswered,
  undone,
  until,
  type When,
  workflow,
} from './support.ts';

const one = workflow([[step('a')]]);
const two = workflow([[step('a')], [step('b')]]);
const toNextAttempt = until(({ job }) => job.steps[0]?.nextAttemptAt);
const failing: When[] = Array.from({ length: 5 }, () => [toNextAttempt, turn(), failed('a')]).flat();
const throws = (): never => {
  throw new Error('no way');
};

/** The dead letter that follows from a job's history; null when none does. */
function deadLetterOf({ job }: Moment): string | null {
  return consequencesOf(job, job.history, -1).some((one) => one.deadLetter) ? quarantineReason(job) : null;
}

type Case = readonly [
  name: string,
  plan: typeof one,
  whens: When[],
  expected: { readonly state: string; readonly code: string | null; readonly reason: string | null },
  options?: StartOptions,
];

const CASES: readonly Case[] = [
  ['a data quality refusal', one, [turn(), refused('a', 'DQ_X')], { state: 'FAILED', code: 'DQ_X', reason: null }],
  ['a refusal by law', one, [turn(), refused('a', 'LEGAL_X')], { state: 'FAILED', code: 'LEGAL_X', reason: null }],
  [
    'a refusal by contract, cleanly rolled back',
    two,
    [turn(), ok('a'), refused('b', 'CONTRACT_CONFLICT'), turn(), undone('a')],
    { state: 'FAILED', code: 'CONTRACT_CONFLICT', reason: null },
  ],
  [
    'a refusal, where the workflow keeps every failure',
    workflow([[step('a')]], { quarantine: 'always' }),
    [turn(), refused('a', 'DQ_X')],
    { state: 'DEAD_LETTERED', code: 'DQ_X', reason: 'unrecoverable_error' },
  ],
  [
    'an answer that does not fit',
    one,
    [turn(), ok('a', BAD_OUTPUT), turn(), undone('a')],
    { state: 'DEAD_LETTERED', code: 'CONTRACT_OUTPUT_INVALID', reason: 'unrecoverable_error' },
  ],
  [
    'a topic that its participant does not serve',
    one,
    [turn(), refused('a', 'CONTRACT_UNKNOWN_TOPIC')],
    { state: 'DEAD_LETTERED', code: 'CONTRACT_UNKNOWN_TOPIC', reason: 'unrecoverable_error' },
  ],
  [
    'an input that does not fit after all',
    workflow([[step('a')]], { checkInput: () => ({ ok: false, errors: [{ path: '/x', message: 'is missing' }] }) }),
    [turn()],
    { state: 'DEAD_LETTERED', code: 'CONTRACT_INPUT_INVALID', reason: 'unrecoverable_error' },
  ],
  [
    'a topic without a route',
    one,
    [turn()],
    { state: 'DEAD_LETTERED', code: 'ORCH_UNROUTED_TOPIC', reason: 'unrecoverable_error' },
    { unrouted: ['a:do'] },
  ],
  [
    'a mapper that throws',
    workflow([[step('a', { map: throws })]]),
    [turn()],
    { state: 'DEAD_LETTERED', code: 'ORCH_MAPPING_FAILED', reason: 'unrecoverable_error' },
  ],
  [
    'an output mapper that throws, after all is undone',
    workflow([[step('a')]], { output: throws }),
    [turn(), ok('a'), turn(), undone('a')],
    { state: 'DEAD_LETTERED', code: 'ORCH_MAPPING_FAILED', reason: 'unrecoverable_error' },
  ],
  [
    'a code that nobody knows',
    one,
    [turn(), refused('a', 'STRANGE')],
    { state: 'DEAD_LETTERED', code: 'STRANGE', reason: 'unrecoverable_error' },
  ],
  [
    'attempts that are spent',
    one,
    failing,
    { state: 'DEAD_LETTERED', code: 'EXT_THROTTLED', reason: 'max_retries_exceeded' },
  ],
  [
    'attempts that are spent, where that is not worth a record',
    workflow([[step('a')]], { retry: { EXT_: { deadLetterOnExhaustion: false } } }),
    failing,
    { state: 'FAILED', code: 'EXT_THROTTLED', reason: null },
  ],
  [
    'attempts that are spent, where the step says that it is not',
    workflow([[step('a', { retry: { EXT_THROTTLED: { deadLetterOnExhaustion: false } } })]]),
    failing,
    { state: 'FAILED', code: 'EXT_THROTTLED', reason: null },
  ],
  [
    'retries of the job that are spent',
    workflow([[step('a')]], { maxRetries: 1 }),
    failing,
    { state: 'DEAD_LETTERED', code: 'EXT_THROTTLED', reason: 'max_retries_exceeded' },
  ],
  [
    'a deadline',
    one,
    [later(DAY), turn()],
    { state: 'DEAD_LETTERED', code: 'ORCH_DEADLINE_EXCEEDED', reason: 'max_retries_exceeded' },
  ],
  ['a cancel', one, [turn(), refused('a'), cancelled()], { state: 'FAILED', code: 'DQ_BAD_EMAIL', reason: null }],
  ['a cancel of what was not begun', one, [cancelled()], { state: 'CANCELLED', code: 'ORCH_CANCELLED', reason: null }],
  [
    'an undo that failed',
    two,
    [turn(), ok('a'), refused('b', 'DQ_X'), turn(), undoAnswered('a', refusal())],
    { state: 'NEEDS_REVIEW', code: 'DQ_X', reason: 'compensation_failed' },
  ],
  [
    'an effect that nobody can establish',
    workflow([[step('a', { onUnknown: 'review' })]]),
    [turn(), lost('a')],
    { state: 'NEEDS_REVIEW', code: 'EXT_TIMEOUT', reason: null },
  ],
  [
    'a success after the end',
    one,
    [turn(), refused('a', 'DQ_X'), ok('a')],
    { state: 'FAILED', code: 'DQ_X', reason: 'compensation_failed' },
  ],
];

describe('a job that failed for', () => {
  const cases = CASES.map(([name, plan, whens, expected, options = {}]) => ({ name, plan, whens, expected, options }));
  it.each(cases)('$name', ({ plan, whens, expected, options }) => {
    const moment = given(plan, options).when(...whens);
    const { state, lastErrorCode } = moment.job;
    expect({ state, code: lastErrorCode, reason: deadLetterOf(moment) }).toEqual(expected);
  });

  it.each(['sqs', 'sns', 'eventbridge', 'schedule', 'stream', 'child', 'replay', 'recovery'] as JobSource[])(
    'a refusal and came by %s has no caller who was told: it is put aside',
    (source) => {
      const moment = given(one, { source }).when(turn(), refused('a', 'DQ_X'));
      expect([moment.job.state, deadLetterOf(moment)]).toEqual(['DEAD_LETTERED', 'unrecoverable_error']);
    },
  );

  it('a refusal and came in a batch stays failed: its caller was told', () => {
    expect(given(one, { source: 'batch' }).when(turn(), refused('a', 'DQ_X')).job.state).toBe('FAILED');
  });
});

describe('quarantine', () => {
  it('is an entry of its own in the write that failed the job: nobody sees a false end', () => {
    const moment = given(one, { source: 'sqs' }).when(turn(), refused('a'));
    expect(pathOf(moment.job).slice(-2)).toEqual(['FAILED', 'DEAD_LETTERED']);
    const [failure, put] = moment.job.history.slice(-2);
    expect([failure?.mark, failure?.at]).toEqual([put?.mark, put?.at]);
  });

  it('is not entered for a reminder, whatever the review is about', () => {
    const review = given(workflow([[step('a', { onUnknown: 'review' })]])).when(turn(), lost('a'), later(DAY), turn());
    expect(pathOf(review.job).slice(-2)).toEqual(['NEEDS_REVIEW', 'NEEDS_REVIEW']);
    expect(deadLetterOf(review)).toBeNull();
    expect(quarantineReason(review.job)).toBe('unrecoverable_error');
  });

  it('of stored state that contradicts the rules says so first', () => {
    const { job } = given(one).when(turn());
    expect(quarantineReason({ ...job, stoppedReason: 'ORCH_STATE_MACHINE_INVARIANT_BROKEN' })).toBe('invariant_broken');
  });
});
