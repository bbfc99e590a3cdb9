/** Steps without a way back: what may go on past them, and which effects a job lists as open. */
import { describe, expect, it } from 'vitest';
import { openEffects, pivot } from '../../lib/core/effects.ts';
import {
  answered,
  BAD_OUTPUT,
  callsOf,
  found,
  given,
  later,
  lost,
  MINUTE,
  type Moment,
  notApplied,
  ok,
  queryOf,
  refusal,
  refused,
  SECOND,
  stateOf,
  step,
  turn,
  undoAnswered,
  undone,
  until,
  type When,
  workflow,
} from './support.ts';

const open = (moment: Moment) =>
  openEffects(moment.job, moment.plan).map(({ step: name, state }) => `${name} ${state}`);

describe('an irreversible step', () => {
  const plan = workflow([[step('a')], [step('b', { kind: 'irreversible' })], [step('c', { kind: 'readOnly' })]], {
    deadlineMs: 10 * MINUTE,
  });
  const out = given(plan).when(turn(), ok('a'));
  const where = (moment: Moment): string => pivot(moment.job, moment.plan);

  it.each([
    ['before it is called', [turn()], 'before'],
    ['while it is out', [turn(), ok('a')], 'open'],
    ['while nobody knows', [turn(), ok('a'), lost('b')], 'open'],
    ['while a result is promised', [turn(), ok('a'), answered('b', { kind: 'accepted' })], 'open'],
    ['when it surely did not apply', [turn(), ok('a'), answered('b', notApplied('EXT_X', MINUTE))], 'before'],
    ['when it was refused', [turn(), ok('a'), refused('b')], 'before'],
    ['when it succeeded', [turn(), ok('a'), ok('b')], 'passed'],
    ['when its answer does not fit: its effect stands', [turn(), ok('a'), ok('b', BAD_OUTPUT)], 'passed'],
  ] as [string, When[], string][])('stands %s', (_name, whens, expected) => {
    expect(where(given(plan).when(...whens))).toBe(expected);
  });

  it('that is refused turns the job back', () => {
    expect(callsOf(given(out).when(refused('b'), turn())).at(-1)).toBe('a undo 1');
  });

  it('keeps the deadline waiting until it is settled', () => {
    const called = given(plan).when(turn(), ok('a', 1, { byMessage: true }), later(10 * MINUTE - 5 * SECOND), turn());
    const late = given(called).when(later(5 * SECOND), turn({ remainingMs: 0 }));
    expect([late.job.state, late.job.nextActionAt]).toEqual(['PROCESSING', late.now + 10 * SECOND]);
    expect(given(late).when(refused('b', 'DQ_X')).job.state).toBe('COMPENSATING');
    expect(given(late).when(answered('b', notApplied())).job.stoppedReason).toBe('ORCH_DEADLINE_EXCEEDED');
  });

  it.each([
    ['a failure', [ok('b'), refused('c')], 'DQ_BAD_EMAIL'],
    ['the deadline', [ok('b'), later(10 * MINUTE), turn()], 'ORCH_DEADLINE_EXCEEDED'],
    ['its own answer that does not fit', [ok('b', BAD_OUTPUT)], 'CONTRACT_OUTPUT_INVALID'],
  ] as [string, When[], string][])('past which %s asks for a person, and takes nothing back', (_name, whens, code) => {
    const moment = given(out).when(...whens, turn());
    expect(moment.job).toMatchObject({ state: 'NEEDS_REVIEW', outcome: null, stoppedReason: code });
    expect(callsOf(moment).filter((call) => call.includes('undo'))).toEqual([]);
    expect(open(moment)).toEqual(['a applied', 'b applied']);
  });

  it('that is last and succeeds past the deadline completes the job', () => {
    const last = workflow([[step('a')], [step('b', { kind: 'irreversible' })]], { deadlineMs: 5 * SECOND });
    const moment = given(last).when(turn(), ok('a'), later(9 * SECOND), ok('b'));
    expect(moment.job).toMatchObject({ state: 'COMPLETED', outcome: 'succeeded' });
  });

  it('of which nobody knows, after all attempts, asks for a person', () => {
    const toNextAttempt = until(({ job }) => job.steps[1]?.nextAttemptAt);
    const losing: When[] = Array.from({ length: 5 }, () => [lost('b'), toNextAttempt, turn()]).flat();
    const moment = given(out).when(...losing);
    expect(moment.job).toMatchObject({ state: 'NEEDS_REVIEW', stoppedReason: 'ORCH_OUTCOME_UNKNOWN' });
    expect(open(moment)).toEqual(['a applied', 'b unknown']);
  });
});

describe('a step that needs no undo', () => {
  const none = { undo: { none: 'writes a log line' } };
  const plan = workflow([[step('a', none)], [step('b')]]);

  it('is left as it is once it surely applied', () => {
    const moment = given(plan).when(turn(), ok('a'), refused('b'));
    expect(moment.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
    expect(open(moment)).toEqual([]);
  });

  it('is left as it is also when its answer does not fit', () => {
    const moment = given(plan).when(turn(), ok('a', BAD_OUTPUT), turn());
    expect(moment.job).toMatchObject({ outcome: 'rolled_back', lastErrorCode: 'CONTRACT_OUTPUT_INVALID' });
  });

  it.each([
    ['turns back', workflow([[step('a', none), step('b')]]), [lost('a'), refused('b')]],
    ['falls silent while it turns back', workflow([[step('a', none), step('b')]]), [refused('b'), later(MINUTE)]],
  ] as [string, typeof plan, When[]][])('keeps a job from ending while nobody knows: it %s', (_name, where, whens) => {
    const moment = given(where).when(turn(), ...whens, turn());
    expect(moment.job).toMatchObject({ state: 'NEEDS_REVIEW', outcome: null, stoppedReason: 'ORCH_OUTCOME_UNKNOWN' });
    expect(open(moment)).toEqual(['a unknown']);
  });

  it('can be asked about on the way back', () => {
    const asks = step('a', { ...none, onUnknown: 'query', query: queryOf('a') });
    const asking = given(workflow([[asks, step('b')]])).when(turn(), refused('b'), lost('a'), turn());
    expect(given(asking).when(found('a', { state: 'applied', output: 1 })).job.outcome).toBe('rolled_back');
    expect(given(asking).when(found('a', { state: 'not_applied', fenced: true })).job.outcome).toBe('rolled_back');
  });
});

describe('the open effects of a job', () => {
  const plan = workflow([[step('a')], [step('b'), step('r', { kind: 'readOnly' })]]);

  it.each([
    ['nothing before anything is called', [], []],
    ['a call that is out', [turn()], ['a unknown']],
    ['what succeeded; not what only reads', [turn(), ok('a'), ok('r')], ['a applied', 'b unknown']],
    ['what may have applied', [turn(), lost('a')], ['a unknown']],
    [
      'what may have applied in an earlier attempt',
      [turn(), lost('a'), later(SECOND), turn(), answered('a', notApplied())],
      ['a unknown'],
    ],
    ['what is being undone', [turn(), ok('a'), ok('r'), refused('b'), turn()], ['a applied']],
    ['nothing once it is undone', [turn(), ok('a'), ok('r'), refused('b'), turn(), undone('a')], []],
    [
      'what could not be undone',
      [turn(), ok('a'), ok('r'), refused('b'), turn(), undoAnswered('a', refusal())],
      ['a undo_failed'],
    ],
    ['nothing of a completed job', [turn(), ok('a'), ok('r'), ok('b')], []],
    ['an effect that stands behind an answer that does not fit', [turn(), ok('a', BAD_OUTPUT)], ['a applied']],
  ] as [string, When[], string[]][])('are %s', (_name, whens, expected) => {
    expect(open(given(plan).when(...whens))).toEqual(expected);
  });

  it('are listed with the operation and the time since when', () => {
    const moment = given(plan).when(later(SECOND), turn(), later(SECOND), ok('a'));
    const [effect] = openEffects(moment.job, moment.plan);
    expect(effect).toEqual({
      step: 'a',
      operationId: `${moment.job.jobId}.a`,
      state: 'applied',
      since: stateOf(moment, 'a').completedAt,
    });
  });
});
