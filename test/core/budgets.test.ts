/** How long a job goes on trying: attempts, its own retries, its deadline; and where it waits meanwhile. */
import { describe, expect, it } from 'vitest';
import {
  answered,
  callsOf,
  failed,
  given,
  later,
  MINUTE,
  notApplied,
  ok,
  pathOf,
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

const one = workflow([[step('a')]]);
const toNextAttempt = until(({ job }) => job.steps[0]?.nextAttemptAt);
const failing = (name: string, times: number): When[] =>
  Array.from({ length: times }, () => [toNextAttempt, turn(), failed(name)]).flat();

describe('attempts', () => {
  it('are what the policy of the code allows, then the job stops for want of them', () => {
    const moment = given(one).when(...failing('a', 5));
    expect(callsOf(moment)).toHaveLength(5);
    expect(moment.job).toMatchObject({
      state: 'DEAD_LETTERED',
      outcome: 'rolled_back',
      lastErrorCode: 'EXT_THROTTLED',
    });
    expect(moment.job).toMatchObject({ stoppedReason: 'ORCH_RETRY_BUDGET_EXHAUSTED', retryCount: 4 });
  });

  it('are fewer where the workflow or the step says so', () => {
    const hasty = workflow([[step('a', { retry: { EXT_: { maxAttempts: 2 } } })]], {
      retry: { EXT_: { maxAttempts: 4 } },
    });
    expect(callsOf(given(hasty).when(...failing('a', 3)))).toHaveLength(2);
  });

  it('end with the first refusal', () => {
    const moment = given(one).when(turn(), refused('a', 'LEGAL_BLOCKED'));
    expect(moment.job).toMatchObject({ state: 'FAILED', stoppedReason: 'LEGAL_BLOCKED', retryCount: 0 });
  });

  it('are all written down, each with the time of the next', () => {
    const moment = given(one).when(...failing('a', 5));
    const log = moment.job.errorLog.map(({ attempt, at, nextAttemptAt }) => [
      attempt,
      nextAttemptAt && nextAttemptAt - at,
    ]);
    expect(log).toEqual([
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
      [4, 8_000],
      [5, null],
    ]);
  });

  it('start later while the tokens of a container are spent, and are never lost by it', () => {
    const moment = given(one, { penaltyMs: 7_000 }).when(turn(), failed('a'));
    expect((stateOf(moment, 'a').nextAttemptAt ?? 0) - moment.now).toBe(7_000);
  });

  it('of one write do not all wait the same time', () => {
    const two = workflow([[step('a'), step('b')]], { retry: { EXT_: { jitter: 'full', backoffBaseSeconds: 60 } } });
    const moment = given(two).when(turn(), later(15 * SECOND), turn({ remainingMs: 0 }));
    expect(stateOf(moment, 'a').nextAttemptAt).not.toBe(stateOf(moment, 'b').nextAttemptAt);
  });
});

describe('the retries of a job', () => {
  it('are counted over all its steps, and then end it whatever a step may have left', () => {
    const two = workflow([[step('a'), step('b')]], { maxRetries: 3 });
    const moment = given(two).when(turn(), failed('a'), failed('b'), later(SECOND), turn(), failed('a'), failed('b'));
    expect(moment.job).toMatchObject({ retryCount: 3, stoppedReason: 'ORCH_RETRY_BUDGET_EXHAUSTED' });
    expect(statusOf(moment, 'b')).toBe('failed');
  });

  it('may be none', () => {
    const never = workflow([[step('a')]], { maxRetries: 0 });
    expect(callsOf(given(never).when(...failing('a', 2)))).toHaveLength(1);
  });

  it('do not count undos', () => {
    const two = workflow([[step('a')], [step('b')]]);
    const moment = given(two).when(
      turn(),
      ok('a'),
      refused('b'),
      turn(),
      answered('a', notApplied(), { direction: 'undo' }),
    );
    expect(moment.job.retryCount).toBe(0);
  });
});

describe('a wait for the next attempt', () => {
  it.each([
    [1_999, ['PENDING', 'VALIDATING', 'PROCESSING']],
    [2_000, ['PENDING', 'VALIDATING', 'PROCESSING', 'RETRY_SCHEDULED']],
  ])('of %i ms', (ms, path) => {
    expect(pathOf(given(one).when(turn(), answered('a', notApplied('EXT_X', ms))).job)).toEqual(path);
  });

  it('is not spent outside while a sibling is in flight', () => {
    const two = workflow([[step('a'), step('b')]]);
    const waiting = given(two).when(turn(), answered('a', notApplied('EXT_X', MINUTE)));
    expect(waiting.job.state).toBe('PROCESSING');
    expect(given(waiting).when(ok('b')).job.state).toBe('RETRY_SCHEDULED');
  });

  it('ends when it is due, and not before', () => {
    const parked = given(one).when(turn(), answered('a', notApplied('EXT_X', MINUTE)));
    expect(given(parked).when(later(MINUTE - 1), turn()).decision).toEqual({
      status: 'ignored',
      reason: 'nothing_due',
    });
    const due = given(parked).when(later(MINUTE), turn());
    expect([due.job.state, callsOf(due).at(-1)]).toEqual(['PROCESSING', 'a do 2']);
  });
});

describe('the deadline', () => {
  const DEADLINE = 10 * MINUTE;
  const hasty = workflow([[step('a')], [step('b')]], { deadlineMs: DEADLINE });
  const code = 'ORCH_DEADLINE_EXCEEDED';

  it('turns back a job that waits to try again', () => {
    const parked = given(hasty).when(turn(), ok('a'), answered('b', notApplied('EXT_X', 60 * MINUTE)));
    const moment = given(parked).when(later(DEADLINE), turn(), turn(), undone('a'));
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back', stoppedReason: code });
  });

  it('turns back a job whose step is out, and waits for that before it undoes', () => {
    const out = given(hasty).when(turn(), ok('a', 1, { byMessage: true }), later(DEADLINE - SECOND), turn());
    const turned = given(out).when(later(SECOND), turn(), turn());
    expect([turned.job.state, callsOf(turned).at(-1)]).toEqual(['COMPENSATING', 'b do 1']);
    expect(callsOf(given(turned).when(later(15 * SECOND), turn())).at(-1)).toBe('b undo 1');
  });

  it('ends a job that has done nothing yet', () => {
    const moment = given(hasty).when(later(DEADLINE), turn());
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back', lastErrorCode: code });
    expect(moment.calls).toEqual([]);
  });

  it('does not count while the job is taken back', () => {
    const back = given(hasty).when(turn(), ok('a'), refused('b'), later(DEADLINE), turn(), undone('a'));
    expect(back.job).toMatchObject({ state: 'FAILED', stoppedReason: 'DQ_BAD_EMAIL' });
  });

  it('keeps the error that was there as the cause', () => {
    const parked = given(hasty).when(turn(), ok('a'), answered('b', notApplied('EXT_X', 60 * MINUTE)));
    expect(given(parked).when(later(DEADLINE), turn()).job).toMatchObject({
      lastErrorCode: 'EXT_X',
      stoppedReason: code,
    });
  });
});
