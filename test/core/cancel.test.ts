/** A request to stop: granted while everything can be taken back, refused with the reason otherwise. */
import { describe, expect, it } from 'vitest';
import { lastEntry } from '../../lib/core/job.ts';
import {
  answered,
  callsOf,
  cancelled,
  given,
  later,
  lost,
  MINUTE,
  type Moment,
  notApplied,
  ok,
  pathOf,
  refusal,
  refused,
  SECOND,
  start,
  statusOf,
  step,
  turn,
  undoAnswered,
  undone,
  type When,
  workflow,
} from './support.ts';

const two = workflow([[step('a')], [step('b')]]);
const pivot = workflow([[step('a')], [step('b', { kind: 'irreversible' })], [step('c', { kind: 'readOnly' })]]);

const granted: readonly (readonly [string, When[], string])[] = [
  ['before anybody looked at it', [], 'CANCELLED'],
  ['while its first step is out', [turn()], 'COMPENSATING'],
  ['between two steps', [turn(), ok('a', 1, { byMessage: true })], 'COMPENSATING'],
  [
    'while it waits to try again, with nothing applied',
    [turn(), answered('a', notApplied('EXT_X', MINUTE))],
    'CANCELLED',
  ],
  [
    'while it waits to try again, with something applied',
    [turn(), ok('a'), answered('b', notApplied('EXT_X', MINUTE))],
    'COMPENSATING',
  ],
  ['after its lease has ended in silence and nobody saw it yet', [turn(), later(MINUTE)], 'COMPENSATING'],
];

describe('a cancel is granted', () => {
  it.each(granted)('%s', (_name, whens, state) => {
    const moment = given(two).when(...whens, cancelled());
    expect(moment.decision?.status).toBe('changed');
    expect(moment.job).toMatchObject({ state, stoppedReason: 'ORCH_CANCELLED', turnBack: { cause: 'cancel' } });
  });

  it('before the irreversible step is called', () => {
    expect(given(pivot).when(turn(), ok('a', 1, { byMessage: true }), cancelled()).job.state).toBe('COMPENSATING');
  });

  it('after the irreversible step was surely not applied', () => {
    const failed = given(pivot).when(turn(), ok('a'), answered('b', notApplied('EXT_X', MINUTE)));
    expect(given(failed).when(cancelled()).job.state).toBe('COMPENSATING');
  });
});

describe('a cancelled job', () => {
  it('says who asked and why', () => {
    expect(lastEntry(given(two).when(turn(), cancelled()).job)).toMatchObject({
      actor: 'caller:caller',
      reason: expect.stringContaining('changed my mind'),
      errorCode: 'ORCH_CANCELLED',
    });
  });

  it('ends as CANCELLED, rolled back, when all is undone; also when the call that was out succeeds', () => {
    const moment = given(two).when(turn(), ok('a'), cancelled(), ok('b'), turn(), undone('b'), turn(), undone('a'));
    expect(moment.job).toMatchObject({ state: 'CANCELLED', outcome: 'rolled_back' });
    expect(callsOf(moment)).toEqual(['a do 1', 'b do 1', 'b undo 1', 'a undo 1']);
  });

  it('waits for the call that is out before it undoes anything', () => {
    const moment = given(two).when(turn(), ok('a'), cancelled(), turn());
    expect(callsOf(moment)).toEqual(['a do 1', 'b do 1']);
    expect(callsOf(given(moment).when(later(15 * SECOND), turn())).at(-1)).toBe('b undo 1');
  });

  it('is not quarantined, whatever failed before', () => {
    const moment = given(two, { source: 'sqs' }).when(turn(), lost('a', 'EXT_X'), cancelled(), turn(), undone('a'));
    expect(pathOf(moment.job).at(-1)).toBe('CANCELLED');
  });

  it('leaves out what was not begun', () => {
    const moment = given(two).when(turn(), cancelled());
    expect(statusOf(moment, 'b')).toBe('skipped');
  });

  it('never ends as rolled back over a call that fell silent', () => {
    const reads = workflow([[step('a', { undo: { none: 'no way' } })]]);
    const moment = given(reads).when(turn(), later(MINUTE), cancelled());
    expect(moment.job).toMatchObject({ state: 'NEEDS_REVIEW', outcome: null });
  });
});

describe('a cancel is refused', () => {
  const refusedAt = (moment: Moment, revision: number | null = null) =>
    given(moment).when(cancelled(revision)).decision;
  const why = (detail: string) => ({
    status: 'refused',
    code: 'ORCH_INVALID_STATE_TRANSITION',
    detail: expect.stringContaining(detail),
  });

  it('when it was asked about another revision', () => {
    const moment = given(two).when(turn());
    expect(refusedAt(moment, moment.job.revision - 1)).toEqual(why('revision'));
    expect(refusedAt(moment, moment.job.revision)?.status).toBe('changed');
  });

  it.each([
    ['completed', [turn(), ok('a'), ok('b')], 'COMPLETED'],
    ['failed', [turn(), refused('a')], 'FAILED'],
    ['was cancelled', [cancelled()], 'CANCELLED'],
  ] as [string, When[], string][])('when the job %s', (_name, whens, state) => {
    expect(refusedAt(given(two).when(...whens))).toEqual(why(state));
  });

  it('when the job is being taken back already', () => {
    expect(refusedAt(given(two).when(turn(), ok('a'), refused('b')))).toEqual(why('already being taken back'));
  });

  it('when a person has to look', () => {
    const review = given(two).when(turn(), ok('a'), refused('b'), turn(), undoAnswered('a', refusal()));
    expect(refusedAt(review)).toEqual(why('operator'));
  });

  it.each([
    ['is out', []],
    ['is unknown', [lost('b')]],
    ['has promised a result', [answered('b', { kind: 'accepted' })]],
    ['has succeeded', [ok('b')]],
    ['fell silent and nobody saw it yet', [later(MINUTE)]],
  ] as [string, When[]][])('when the irreversible step %s', (_name, whens) => {
    expect(refusedAt(given(pivot).when(turn(), ok('a'), ...whens))).toEqual(why('irreversible'));
  });

  it('without any change', () => {
    const moment = given(two).when(turn(), refused('a'));
    expect(given(moment).when(cancelled()).job).toBe(moment.job);
    expect(start(two).job.revision).toBe(0);
  });
});
