/** Answers that come late, twice, or out of turn: what they still change, and what they never do. */
import { describe, expect, it } from 'vitest';
import { openEffects } from '../../lib/core/effects.ts';
import { lastEntry } from '../../lib/core/job.ts';
import {
  accepted,
  answered,
  callOf,
  callsOf,
  cancelled,
  failed,
  given,
  later,
  lost,
  type Moment,
  notApplied,
  OUT_MS_MAX,
  ok,
  pathOf,
  promised,
  queryOf,
  refusal,
  refused,
  revoked,
  SECOND,
  stateOf,
  statusOf,
  step,
  success,
  together,
  turn,
  undoAnswered,
  undone,
  workflow,
} from './support.ts';

const one = workflow([[step('a')]]);
const pair = workflow([[step('a'), step('b')]]);
const readsBeside = workflow([[step('a', { kind: 'readOnly' }), step('b')]]);
const NON_FENCING = { nonFencing: ['a'] };

/** a is called and falls silent; b refuses, so the job turns back while a may stand. */
const turnedBackInDoubt = (options = {}): Moment =>
  given(pair, options).when(turn(), refused('b'), later(15 * SECOND), turn({ remainingMs: 0 }));

describe('a success', () => {
  it('of an earlier attempt settles the step whose newer attempt is out', () => {
    const moment = given(one).when(turn(), lost('a'), later(SECOND), turn(), ok('a', { id: 9 }, { attempt: 1 }));
    expect(moment.job.state).toBe('COMPLETED');
    expect(stateOf(moment, 'a').output?.data).toEqual({ id: 9 });
  });

  it('of an earlier attempt settles the step that waits to try again', () => {
    const moment = given(one).when(
      turn(),
      answered('a', notApplied('EXT_X', 5 * SECOND)),
      ok('a', 1, { byMessage: true }),
    );
    expect(pathOf(moment.job)).toEqual([
      'PENDING',
      'VALIDATING',
      'PROCESSING',
      'RETRY_SCHEDULED',
      'PROCESSING',
      'COMPLETED',
    ]);
  });

  it('settles the step that nobody knows about, and the one that is being asked about', () => {
    const silent = given(one).when(turn(), lost('a', undefined), ok('a'));
    expect(silent.job.state).toBe('COMPLETED');
    const asked = workflow([[step('a', { onUnknown: 'query', query: queryOf('a') })]]);
    const moment = given(asked).when(turn(), lost('a'), ok('a'));
    expect(callsOf(moment)).toEqual(['a do 1', 'a query 1']);
    expect(moment.job.state).toBe('COMPLETED');
  });

  it('said twice is a duplicate', () => {
    const two = workflow([[step('a')], [step('b')]]);
    const moment = given(two).when(turn(), ok('a'), ok('a', { id: 2 }));
    expect(moment.decision).toEqual({ status: 'ignored', reason: 'duplicate' });
  });

  it('past the deadline still completes a job that has nothing else to do', () => {
    const hasty = workflow([[step('a')]], { deadlineMs: 5 * SECOND });
    expect(given(hasty).when(turn(), later(9 * SECOND), ok('a', 1, { byMessage: true })).job.state).toBe('COMPLETED');
  });

  it('of an operation that was never called is none', () => {
    const two = workflow([[step('a')], [step('b')]]);
    const moment = given(two).when(turn(), ok('b'));
    expect(moment.decision).toEqual({ status: 'ignored', reason: 'unknown_operation' });
  });

  it.each(['not-an-operation', ''])('under the id %j is nobody’s', (operationId) => {
    const moment = given(one).when(turn(), ok('a', 1, { operationId }));
    expect(moment.decision).toEqual({ status: 'ignored', reason: 'unknown_operation' });
  });

  it('that comes with a failure of a later attempt, in one write, leaves nothing behind', () => {
    const again = given(one).when(turn(), lost('a'), later(SECOND), turn());
    const moment = given(again).when(together(['a', refusal()], ['a', success({ id: 5 }), { attempt: 1 }]), turn());
    expect(callOf(moment, 'a', 'undo').body).toMatchObject({ output: { id: 5 } });
  });
});

describe('a success on the way back', () => {
  it('of a step that nobody knew about becomes its undo, which is given the output', () => {
    const moment = given(turnedBackInDoubt()).when(ok('a', { id: 4 }), turn());
    expect(callOf(moment, 'a', 'undo').body).toEqual({ input: { of: 'a', seen: [] }, output: { id: 4 } });
  });

  it('of a step that is still out becomes its undo', () => {
    const moment = given(pair).when(turn(), refused('b'), ok('a'), turn(), undone('a'));
    expect(callsOf(moment)).toEqual(['a do 1', 'b do 1', 'a undo 1']);
    expect(moment.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });

  it('of a step that had failed becomes its undo', () => {
    const back = given(pair).when(turn(), refused('b'), ok('b'), ok('a'), turn());
    expect(callsOf(back).slice(2)).toEqual(['b undo 1']);
    expect(given(back).when(undone('b'), turn(), undone('a')).job.outcome).toBe('rolled_back');
  });

  it('of a step that was left out becomes its undo, though each attempt had said that it did not apply', () => {
    const waiting = answered('a', notApplied('EXT_X', 5 * SECOND));
    const back = given(workflow([[step('a'), step('b'), step('c')]])).when(turn(), waiting, ok('c'), refused('b'));
    expect([statusOf(back, 'a'), back.job.state]).toEqual(['skipped', 'COMPENSATING']);
    const moment = given(back).when(later(SECOND), ok('a'), turn());
    expect(callsOf(moment).at(-1)).toBe('a undo 1');
  });

  it('while its undo is out is known to it from then on, where the participant fences', () => {
    const moment = given(turnedBackInDoubt()).when(turn(), ok('a', { id: 4 }));
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'compensating', output: { data: { id: 4 } } });
    expect(callsOf(given(moment).when(undone('a'))).filter((call) => call.startsWith('a undo'))).toEqual(['a undo 1']);
  });

  it('after its undo at a participant that does not fence is undone again, under a new id', () => {
    const undoneOnce = given(turnedBackInDoubt(NON_FENCING)).when(later(OUT_MS_MAX), turn());
    const first = callOf(undoneOnce, 'a', 'undo').operationId;
    const moment = given(undoneOnce).when(ok('a', { id: 4 }), turn());
    const second = callOf(moment, 'a', 'undo');
    expect([first, second.operationId]).toEqual([`${moment.job.jobId}.a.undo`, `${moment.job.jobId}.a.undo.2`]);
    expect(second).toMatchObject({ attempt: 1, body: { output: { id: 4 } } });
    const late = given(moment).when(undone('a', { operationId: first }));
    expect(late.decision).toEqual({ status: 'ignored', reason: 'unknown_operation' });
    expect(given(moment).when(undone('a')).job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });

  it('that was confirmed as undone where the participant fences is evidence only', () => {
    const triple = workflow([[step('a'), step('b'), step('c')]]);
    const silent = given(triple).when(turn(), ok('c'), refused('b'), later(15 * SECOND), turn(), undone('a'));
    expect([statusOf(silent, 'a'), silent.job.state]).toEqual(['compensated', 'COMPENSATING']);
    expect(given(silent).when(ok('a')).decision).toEqual({ status: 'ignored', reason: 'late' });
  });

  it('of a step that only reads changes nothing', () => {
    const moment = given(readsBeside).when(turn(), refused('a'), ok('a'));
    expect(moment.decision).toEqual({ status: 'ignored', reason: 'late' });
  });
});

describe('a success after the end', () => {
  const ended = (): Moment => given(pair).when(turn(), failed('a', 'EXT_X'), refused('b'), later(15 * SECOND));

  it('is an entry of its own and an open effect; state and outcome stay', () => {
    const quarantined = given(one, { source: 'sqs' }).when(turn(), refused('a'));
    expect(quarantined.job.state).toBe('DEAD_LETTERED');
    const moment = given(quarantined).when(ok('a'));
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back' });
    expect(lastEntry(moment.job)).toMatchObject({ from: 'DEAD_LETTERED', to: 'DEAD_LETTERED', step: 'a' });
    expect(openEffects(moment.job, moment.plan)).toMatchObject([{ step: 'a', state: 'applied' }]);
    expect(given(moment).when(ok('a')).decision).toEqual({ status: 'ignored', reason: 'duplicate' });
  });

  it('calls nothing, whoever brings it', () => {
    const moment = given(ended()).when(ok('b'), turn());
    expect(moment.calls.filter((call) => call.direction === 'undo' && call.step === 'b')).toEqual([]);
  });

  it('of a step undone without a fence is an open effect', () => {
    const closed = given(one, NON_FENCING).when(turn(), refused('a'), ok('a'));
    expect(openEffects(closed.job, closed.plan)).toMatchObject([{ step: 'a', state: 'applied' }]);
  });

  it('of a completed job is nothing', () => {
    const done = given(one).when(turn(), ok('a'), ok('a', { id: 2 }));
    expect(done.decision).toEqual({ status: 'ignored', reason: 'terminal' });
  });
});

describe('a failure', () => {
  it('of an earlier attempt moves nothing and is written down once', () => {
    const again = given(one).when(turn(), lost('a'), later(SECOND), turn());
    const moment = given(again).when(refused('a', 'DQ_LATE', { attempt: 1 }));
    expect(statusOf(moment, 'a')).toBe('dispatched');
    expect(moment.job.errorLog.at(-1)).toMatchObject({
      attempt: 1,
      errorCode: 'DQ_LATE',
      message: expect.stringContaining('late'),
    });
    const twice = given(moment).when(refused('a', 'DQ_LATE', { attempt: 1 }));
    expect(twice.decision).toEqual({ status: 'ignored', reason: 'late' });
  });

  it('never takes back a success', () => {
    const two = workflow([[step('a')], [step('b')]]);
    expect(statusOf(given(two).when(turn(), ok('a'), refused('a')), 'a')).toBe('succeeded');
  });

  it('that is definitive does not clear the doubt an expired lease has raised', () => {
    const silent = given(one).when(turn(), later(15 * SECOND), turn({ remainingMs: 0 }), refused('a'));
    expect(stateOf(silent, 'a')).toMatchObject({ status: 'unknown', mayHaveApplied: true });
  });

  it('that says a tombstone stands clears the doubt', () => {
    const moment = given(one).when(turn(), lost('a', 'EXT_X'), later(SECOND), turn(), answered('a', revoked));
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'failed', mayHaveApplied: false });
    expect(moment.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });

  it('that says so late clears it too, whichever attempt it answers', () => {
    const silent = given(pair).when(turn(), refused('b'), later(15 * SECOND), turn({ remainingMs: 0 }));
    const moment = given(silent).when(answered('a', revoked, { byMessage: true }));
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'failed', mayHaveApplied: false });
    expect(moment.job.state).toBe('FAILED');
  });
});

describe('a promise of an answer', () => {
  it('counts from the current attempt only', () => {
    const again = given(one).when(turn(), lost('a'), later(SECOND), turn());
    expect(given(again).when(accepted('a', { attempt: 1 })).decision).toEqual({
      status: 'ignored',
      reason: 'stale_attempt',
    });
    expect(statusOf(given(again).when(accepted('a')), 'a')).toBe('waiting');
  });

  it('may turn out as a success, a refusal, or a failure worth another attempt', () => {
    const waiting = given(one).when(turn(), accepted('a'));
    expect(given(waiting).when(ok('a')).job.state).toBe('COMPLETED');
    expect(given(waiting).when(refused('a')).job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
    const again = given(waiting).when(failed('a'), later(SECOND), turn());
    expect(callsOf(again)).toEqual(['a do 1', 'a do 2']);
  });

  it('that nobody keeps leaves the step unknown, or asked again where it only reads', () => {
    const DAY_LATER = later(86_400_000);
    const late = given(workflow([[step('a')]], { deadlineMs: 5 * 86_400_000 })).when(turn(), accepted('a'), DAY_LATER);
    expect(statusOf(given(late).when(turn({ remainingMs: 0 })), 'a')).toBe('unknown');
    const reads = workflow([[step('a', { kind: 'readOnly' })]], { deadlineMs: 5 * 86_400_000 });
    const retried = given(reads).when(turn(), accepted('a'), DAY_LATER, turn(), later(SECOND), turn());
    expect(callsOf(retried)).toEqual(['a do 1', 'a do 2']);
  });

  it('is not waited for on the way back: an effect is undone, a reading left out', () => {
    const effect = given(pair).when(turn(), accepted('a'), refused('b'), turn());
    expect(callsOf(effect).at(-1)).toBe('a undo 1');
    const effects = workflow([[step('a', { kind: 'readOnly' }), step('b'), step('c')]]);
    const reading = given(effects).when(turn(), ok('c'), accepted('a'), refused('b'));
    expect(stateOf(reading, 'a')).toMatchObject({ status: 'skipped', mayHaveApplied: false });
    const afterTurn = given(effects).when(turn(), ok('c'), refused('b'), accepted('a'));
    expect(stateOf(afterTurn, 'a')).toMatchObject({ status: 'skipped', mayHaveApplied: false });
  });

  it('counts as a doubt in a job that is cancelled meanwhile', () => {
    const moment = given(one).when(turn(), answered('a', promised), cancelled());
    expect(moment.job.state).toBe('COMPENSATING');
    expect(given(moment).when(turn(), undone('a')).job).toMatchObject({ state: 'CANCELLED', outcome: 'rolled_back' });
  });
});

describe('an answer to an undo', () => {
  const undoing = (): Moment => given(workflow([[step('a')], [step('b')]])).when(turn(), ok('a'), refused('b'), turn());

  it('counts as a success from any attempt, as a failure from the current one', () => {
    const again = given(undoing()).when(undoAnswered('a', notApplied()), later(SECOND), turn());
    expect(given(again).when(undoAnswered('a', refusal(), { attempt: 1 })).decision).toEqual({
      status: 'ignored',
      reason: 'stale_attempt',
    });
    expect(given(again).when(undone('a', { attempt: 1 })).job.state).toBe('FAILED');
  });

  it('that confirms one that had been given up settles it, and the job stays with the person', () => {
    const given_up = given(undoing()).when(undoAnswered('a', refusal()));
    expect([statusOf(given_up, 'a'), given_up.job.state]).toEqual(['compensation_failed', 'NEEDS_REVIEW']);
    const moment = given(given_up).when(undone('a'));
    expect([statusOf(moment, 'a'), moment.job.state]).toEqual(['compensated', 'NEEDS_REVIEW']);
  });

  it('that says it again is a duplicate', () => {
    const both = given(workflow([[step('a')], [step('b'), step('c')]])).when(turn(), ok('a'), ok('c'), refused('b'));
    const moment = given(both).when(turn(), undone('c'), undone('c'));
    expect(moment.decision).toEqual({ status: 'ignored', reason: 'duplicate' });
  });

  it('is nobody’s before the next undo was called, though its id is known', () => {
    const again = given(turnedBackInDoubt(NON_FENCING)).when(
      later(OUT_MS_MAX),
      turn(),
      ok('a', { id: 4 }, { byMessage: true }),
    );
    expect(stateOf(again, 'a').undo).toMatchObject({ generation: 1, attempts: 0 });
    expect(given(again).when(undone('a', { byMessage: true })).decision).toEqual({
      status: 'ignored',
      reason: 'unknown_operation',
    });
  });

  it('is nobody’s before the undo was called', () => {
    const moment = given(workflow([[step('a')], [step('b')]])).when(turn(), ok('a'), undone('a'));
    expect(moment.decision).toEqual({ status: 'ignored', reason: 'unknown_operation' });
  });
});
