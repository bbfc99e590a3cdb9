/** Nobody knows what became of a call: what each step does then, and what a query settles. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../lib/core/limits.ts';
import type { OnUnknown, StepPlan } from '../../lib/core/plan.ts';
import {
  BAD_OUTPUT,
  callOf,
  callsOf,
  found,
  given,
  later,
  lost,
  type Moment,
  ok,
  queryOf,
  refused,
  SECOND,
  stateOf,
  statusOf,
  step,
  turn,
  undone,
  until,
  type When,
  workflow,
} from './support.ts';

const plan = (onUnknown: OnUnknown, over: Partial<StepPlan> = {}) => workflow([[step('a', { onUnknown, ...over })]]);
const asked = plan('query', { query: queryOf('a') });
const toNextAttempt = until(({ job }) => job.steps[0]?.nextAttemptAt);

/** Loses this many attempts in a row, each called as soon as it is due. */
const losing = (times: number): When[] =>
  Array.from({ length: times }, () => [toNextAttempt, turn(), lost('a')]).flat();

describe('what became of a call is unknown', () => {
  it.each(['an answer that may have applied', 'a lease that ended in silence'])('after %s', (how) => {
    const falls: When[] = how.startsWith('an') ? [lost('a')] : [later(15 * SECOND), turn({ remainingMs: 0 })];
    const moment = given(plan('review')).when(turn(), ...falls);
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'unknown', mayHaveApplied: true, lease: null });
  });

  it('not before the lease has ended', () => {
    expect(statusOf(given(plan('retry')).when(turn(), later(15 * SECOND - 1), turn({ remainingMs: 0 })), 'a')).toBe(
      'dispatched',
    );
  });

  it('never of a step that only reads: it is called again', () => {
    const reads = workflow([[step('a', { kind: 'readOnly' })]]);
    const moment = given(reads).when(turn(), lost('a'));
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'retry_scheduled', mayHaveApplied: false });
    expect(given(reads).when(...losing(5)).job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back' });
  });
});

describe('onUnknown: retry', () => {
  it('calls the same operation again, as often as the policy has it', () => {
    const moment = given(plan('retry')).when(...losing(4), toNextAttempt, turn());
    expect(callsOf(moment)).toEqual(['a do 1', 'a do 2', 'a do 3', 'a do 4', 'a do 5']);
    expect(new Set(moment.calls.map((call) => call.operationId)).size).toBe(1);
  });

  it('undoes it when the attempts are spent', () => {
    const moment = given(plan('retry')).when(...losing(5), turn());
    expect(callsOf(moment).at(-1)).toBe('a undo 1');
    expect(moment.job).toMatchObject({ state: 'COMPENSATING', stoppedReason: 'ORCH_RETRY_BUDGET_EXHAUSTED' });
    expect(given(moment).when(undone('a')).job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back' });
  });

  it('asks first, where it can be asked', () => {
    const moment = given(plan('retry', { query: queryOf('a') })).when(...losing(5));
    expect(callsOf(moment).at(-1)).toBe('a query 1');
    expect(given(moment).when(found('a', { state: 'applied', output: 1 })).job.state).toBe('COMPLETED');
  });

  it('keeps the doubt through an attempt that surely did not apply', () => {
    const moment = given(plan('retry')).when(turn(), lost('a'), toNextAttempt, turn(), refused('a'), turn());
    expect(callsOf(moment)).toEqual(['a do 1', 'a do 2', 'a undo 1']);
  });
});

describe('onUnknown: compensate', () => {
  it('undoes it at once', () => {
    const moment = given(plan('compensate')).when(turn(), lost('a'), turn());
    expect(callsOf(moment)).toEqual(['a do 1', 'a undo 1']);
    expect(callOf(moment, 'a').body).toMatchObject({ output: null });
  });
});

describe('onUnknown: review', () => {
  it('asks a person, and calls nothing', () => {
    const moment = given(plan('review')).when(turn(), lost('a'), turn());
    expect(moment.job).toMatchObject({ state: 'NEEDS_REVIEW', outcome: null, stoppedReason: 'ORCH_OUTCOME_UNKNOWN' });
    expect(callsOf(moment)).toEqual(['a do 1']);
  });

  it('waits for what is in flight beside it first', () => {
    const two = workflow([[step('a', { onUnknown: 'review' }), step('b')]]);
    const waiting = given(two).when(turn(), lost('a'));
    expect(waiting.job.state).toBe('PROCESSING');
    expect(given(waiting).when(ok('b')).job.state).toBe('NEEDS_REVIEW');
  });

  it('does not keep a job from turning back: then it is undone', () => {
    const two = workflow([[step('a', { onUnknown: 'review' }), step('b')]]);
    const moment = given(two).when(turn(), lost('a'), refused('b'), turn());
    expect(callsOf(moment).at(-1)).toBe('a undo 1');
  });
});

describe('onUnknown: query', () => {
  const asking = given(asked).when(turn(), lost('a'));

  it('asks about the operation, without a fence while the job goes forward', () => {
    const call = callOf(asking, 'a', 'query');
    const operationId = `${asking.job.jobId}.a`;
    expect(call).toMatchObject({ topic: 'a:find', operationId, about: operationId, attempt: 1, fence: false });
    expect(statusOf(asking, 'a')).toBe('reconciling');
  });

  it('applied, with a valid output: the step succeeded', () => {
    const moment = given(asking).when(found('a', { state: 'applied', output: { id: 3 } }));
    expect(moment.job.state).toBe('COMPLETED');
    expect(stateOf(moment, 'a').output?.data).toEqual({ id: 3 });
  });

  it('applied, with an output that does not fit: it is undone', () => {
    const moment = given(asking).when(found('a', { state: 'applied', output: BAD_OUTPUT }), turn());
    expect(moment.job.lastErrorCode).toBe('CONTRACT_OUTPUT_INVALID');
    expect(callOf(moment, 'a', 'undo').body).toMatchObject({ output: BAD_OUTPUT });
  });

  it('not applied: the same operation is called again', () => {
    const moment = given(asking).when(found('a', { state: 'not_applied' }), toNextAttempt, turn());
    expect(callsOf(moment)).toEqual(['a do 1', 'a query 1', 'a do 2']);
    expect(stateOf(moment, 'a').mayHaveApplied).toBe(true);
  });

  it('not applied, and no attempts left: it is undone all the same', () => {
    const once = plan('query', { query: queryOf('a'), retry: { EXT_: { maxAttempts: 1 } } });
    const moment = given(once).when(turn(), lost('a'), found('a', { state: 'not_applied' }), turn());
    expect(callsOf(moment)).toEqual(['a do 1', 'a query 1', 'a undo 1']);
  });

  it('fenced: it did not apply and never will', () => {
    const moment = given(asking).when(found('a', { state: 'not_applied', fenced: true }));
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'failed', mayHaveApplied: false });
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back' });
  });

  it.each([
    [{ state: 'running' }],
    [{ state: 'unknown' }],
    [{ state: 'unknown', fenced: true }],
    [{ state: 'perhaps' }],
    ['nonsense'],
    [null],
  ])('%j: it is asked again a little later', (body) => {
    const moment = given(asking).when(found('a', body), toNextAttempt, turn());
    expect(callsOf(moment)).toEqual(['a do 1', 'a query 1', 'a query 2']);
  });

  it('is asked a bounded number of times, then undone', () => {
    const nothing: When[] = Array.from({ length: LIMITS.queriesPerOperation }, () => [
      toNextAttempt,
      turn(),
      found('a', { state: 'unknown' }),
    ]).flat();
    const moment = given(asking).when(...nothing, toNextAttempt, turn());
    expect(callsOf(moment).filter((call) => call.includes('query'))).toHaveLength(LIMITS.queriesPerOperation);
    expect(callsOf(moment).at(-1)).toBe('a undo 1');
  });

  it('counts a query that nobody answered', () => {
    const moment = given(asking).when(later(15 * SECOND), turn(), toNextAttempt, turn());
    expect(callsOf(moment)).toEqual(['a do 1', 'a query 1', 'a query 2']);
  });

  it('takes no answer of an earlier query, but that the effect stands', () => {
    const again = given(asking).when(found('a', { state: 'unknown' }), toNextAttempt, turn());
    expect(given(again).when(found('a', { state: 'not_applied', fenced: true }, { attempt: 1 })).decision).toEqual({
      status: 'ignored',
      reason: 'stale_attempt',
    });
    expect(given(again).when(found('a', { state: 'applied', output: 1 }, { attempt: 1 })).job.state).toBe('COMPLETED');
  });
});

describe('a query on the way back', () => {
  const two = workflow([[step('a', { onUnknown: 'query', query: queryOf('a') }), step('b')]]);
  const asking: Moment = given(two).when(turn(), refused('b'), lost('a'), turn());

  it('asks for a fence, before any undo', () => {
    expect(callOf(asking, 'a')).toMatchObject({ direction: 'query', fence: true });
  });

  it('fenced: nothing is left to undo', () => {
    const moment = given(asking).when(found('a', { state: 'not_applied', fenced: true }));
    expect(callsOf(moment)).toEqual(['a do 1', 'b do 1', 'a query 1']);
    expect(moment.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });

  it.each([
    ['applied', { state: 'applied', output: { id: 1 } }, { id: 1 }],
    ['not applied, without a fence', { state: 'not_applied' }, null],
  ])('%s: it is undone', (_name, body, output) => {
    const moment = given(asking).when(found('a', body), turn());
    expect(callOf(moment, 'a', 'undo').body).toMatchObject({ output });
  });

  it('without an answer in the end: it is undone', () => {
    const silent: When[] = Array.from({ length: LIMITS.queriesPerOperation }, () => [
      found('a', { state: 'running' }),
      toNextAttempt,
      turn(),
    ]).flat();
    expect(callsOf(given(asking).when(...silent)).at(-1)).toBe('a undo 1');
  });
});
