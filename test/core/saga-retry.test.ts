/** The whole again: when a job begins another round, and that no round is taken for another. */
import { describe, expect, it } from 'vitest';
import { openEffects } from '../../lib/core/effects.ts';
import { SAGA_POLICY } from '../../lib/core/errors.ts';
import { recoveriesOf } from '../../lib/core/recovery.ts';
import {
  answered,
  callOf,
  callsOf,
  cancelled,
  contextOf,
  failed,
  given,
  later,
  lost,
  type Moment,
  notApplied,
  OUT_MS_MAX,
  ok,
  operated,
  pathOf,
  refusal,
  refused,
  revoked,
  SECOND,
  stateOf,
  step,
  turn,
  undoAnswered,
  undone,
  type When,
  workflow,
} from './support.ts';

const WAIT = 60 * SECOND;
const once = { EXT_: { maxAttempts: 1 } };
const sagaRetry = { ...SAGA_POLICY, jitter: 'none' } as const;
const plan = workflow([[step('a')], [step('b', { retry: once })]], { sagaRetry });
const roundTrip: When[] = [turn(), ok('a'), failed('b'), turn(), undone('a')];
const again = given(plan).when(...roundTrip);

describe('a clean rollback', () => {
  it('is followed by another round, a while later', () => {
    expect(pathOf(again.job).slice(-2)).toEqual(['COMPENSATING', 'RETRY_SCHEDULED']);
    expect(again.job).toMatchObject({ outcome: null, turnBack: null, sagaRound: 1, nextActionAt: again.now + WAIT });
    expect(given(again).when(later(WAIT - 1), turn()).decision?.status).toBe('ignored');
    expect(callsOf(given(again).when(later(WAIT), turn())).at(-1)).toBe('a do 1');
  });

  it('begins with operations that are new, and forgets what the last round learned', () => {
    const moment = given(again).when(later(WAIT), turn());
    expect(callOf(moment, 'a')).toMatchObject({ operationId: `${moment.job.jobId}.a.r1`, attempt: 1 });
    expect(stateOf(moment, 'a')).toMatchObject({ output: null, undo: null, mayHaveApplied: false });
    expect(given(moment).when(ok('a'), ok('b')).job).toMatchObject({ state: 'COMPLETED', outcome: 'succeeded' });
  });

  it('is final when the rounds are spent', () => {
    const spent = given(again).when(later(WAIT), ...roundTrip, later(2 * WAIT), ...roundTrip);
    expect(spent.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back', sagaRound: 2 });
  });

  it('is over at the deadline, wherever it waits', () => {
    const hasty = workflow([[step('a')], [step('b', { retry: once })]], { sagaRetry, deadlineMs: 30 * SECOND });
    const moment = given(hasty).when(...roundTrip, later(30 * SECOND), turn());
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', stoppedReason: 'ORCH_DEADLINE_EXCEEDED' });
    expect(callsOf(moment).filter((call) => call.includes(' do '))).toHaveLength(2);
  });

  /** b waits to try again after trouble that would pass. */
  const patient = workflow([[step('a')], [step('b')]], { sagaRetry });
  const inTrouble: When[] = [turn(), ok('a'), answered('b', notApplied('EXT_X', 60 * 60 * SECOND))];
  it.each([
    ['the cause would not pass', [turn(), ok('a'), refused('b', 'DQ_X')], 'FAILED'],
    ['it was asked to stop', [...inTrouble, cancelled()], 'CANCELLED'],
    ['time is up', [...inTrouble, later(86_400_000), turn()], 'DEAD_LETTERED'],
  ] as [string, When[], string][])('is final when %s', (_name, whens, state) => {
    const moment = given(patient).when(...whens, turn(), undone('a'));
    expect(moment.job).toMatchObject({ state, outcome: 'rolled_back', sagaRound: 0 });
  });

  it('is final once it had been partial, though a person made it whole', () => {
    const partial = given(plan).when(turn(), ok('a'), failed('b'), turn(), undoAnswered('a', refusal()));
    const whole = given(partial).when(operated({ action: 'retry_compensation' }), turn(), undone('a'));
    expect(whole.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back', sagaRound: 0 });
  });

  it('is final where the definition says nothing of rounds', () => {
    const single = workflow([[step('a')], [step('b', { retry: once })]]);
    expect(given(single).when(...roundTrip).job.state).toBe('DEAD_LETTERED');
  });
});

describe('a late answer of an earlier round', () => {
  const NON_FENCING = { nonFencing: ['a'] };
  /** In round 0 a failed, b applied and was undone; round 1 is under way. */
  const first = workflow([[step('a', { retry: once }), step('b')]], { sagaRetry });
  const secondRound = (options = {}): Moment =>
    given(first, options).when(turn(), ok('b'), failed('a', 'EXT_X'), turn(), undone('b'), later(WAIT), turn());

  it('is not taken for one of this round', () => {
    const moment = secondRound();
    const old = `${moment.job.jobId}.a`;
    const told = given(moment).when(ok('a', { id: 7 }, { operationId: old, byMessage: true }));
    expect(stateOf(told, 'a').status).toBe('dispatched');
    expect(given(moment).when(answered('a', refusal(), { operationId: old })).decision?.status).toBe('ignored');
    expect(given(moment).when(answered('a', revoked, { operationId: old })).decision?.status).toBe('ignored');
  });

  it('that succeeded is an open effect, also of a job that completes, and is recovered after its end', () => {
    const moment = secondRound();
    const old = `${moment.job.jobId}.a`;
    const done = given(moment).when(ok('a', { id: 7 }, { operationId: old }), ok('a'), ok('b'));
    expect(done.job).toMatchObject({ state: 'COMPLETED', outcome: 'succeeded' });
    expect(openEffects(done.job, done.plan)).toMatchObject([{ step: 'a', operationId: old, state: 'applied' }]);
    const [recovery, ...others] = recoveriesOf(done.job, done.plan, contextOf(done));
    expect(others).toEqual([]);
    expect(recovery).toMatchObject({ source: 'recovery', lineage: { recoveryOf: done.job.jobId } });
    expect(recovery?.input).toMatchObject({ output: { id: 7 } });
  });

  it('is a duplicate the second time', () => {
    const moment = secondRound();
    const late = ok('a', { id: 7 }, { operationId: `${moment.job.jobId}.a`, byMessage: true });
    expect(given(moment).when(late, late).decision).toEqual({ status: 'ignored', reason: 'duplicate' });
  });

  it('is nobody’s when that operation had succeeded and was undone: it is the same success once more', () => {
    const moment = secondRound({ nonFencing: ['b'] });
    const repeated = given(moment).when(ok('b', { id: 1 }, { operationId: `${moment.job.jobId}.b` }));
    expect(repeated.decision).toEqual({ status: 'ignored', reason: 'unknown_operation' });
  });

  it('is nothing where the undo of that round had put up a fence', () => {
    const doubtful = workflow([[step('a', { retry: once, onUnknown: 'compensate' }), step('b')]], { sagaRetry });
    const round = (options = {}): Moment =>
      given(doubtful, options).when(turn(), ok('b'), lost('a', 'EXT_X'), later(OUT_MS_MAX), turn(), undone('a'));
    const fenced = given(round()).when(turn(), undone('b'), later(WAIT), turn());
    expect(fenced.job.sagaRound).toBe(1);
    const late = ok('a', { id: 7 }, { operationId: `${fenced.job.jobId}.a` });
    expect(given(fenced).when(late).decision).toEqual({ status: 'ignored', reason: 'late' });
    // Without a fence the doubt stays, and with it the job with a person: no round follows.
    expect(given(round(NON_FENCING)).when(turn(), undone('b')).job.state).toBe('NEEDS_REVIEW');
  });
});
