/** The way back: in which order, one at a time or not, how patiently, and what an undo that fails does not stop. */
import { describe, expect, it } from 'vitest';
import { lastEntry } from '../../lib/core/job.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import {
  answered,
  callOf,
  callsOf,
  DAY,
  doubt,
  given,
  HOUR,
  later,
  lost,
  MAX_RUN_MS,
  MINUTE,
  type Moment,
  notApplied,
  notFound,
  OUT_MS_MAX,
  ok,
  promised,
  refusal,
  refused,
  SECOND,
  stateOf,
  statusOf,
  step,
  turn,
  undoAnswered,
  undoBy,
  undone,
  until,
  type When,
  workflow,
} from './support.ts';

const three = workflow([[step('a')], [step('b'), step('c')], [step('d')]]);
const toD: When[] = [turn(), ok('a'), ok('c'), later(SECOND), ok('b')];
const undosOf = (moment: Moment) => callsOf(moment).filter((call) => call.includes('undo'));
const toNextUndo = until(({ job }) => Math.max(...job.steps.map((one) => one.undo?.nextAttemptAt ?? 0)));

describe('undos come', () => {
  const backwards: When[] = ['b', 'c', 'a'].flatMap((name) => [turn(), undone(name)]);

  it('last completed first, one after another', () => {
    const moment = given(three).when(...toD, refused('d'), ...backwards);
    expect(undosOf(moment)).toEqual(['b undo 1', 'c undo 1', 'a undo 1']);
    expect(moment.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });

  it('first of what may be at work until now', () => {
    const moment = given(three).when(...toD, lost('d', 'UNKNOWN_CODE'), turn());
    expect(undosOf(moment)).toEqual(['d undo 1']);
  });

  it('in the order that the definition gives', () => {
    const declared = workflow([[step('a')], [step('b'), step('c')], [step('d')]], { recovery: ['c', 'a', 'd', 'b'] });
    const moment = given(declared).when(...toD, refused('d'), turn(), undone('c'), turn(), undone('a'), turn());
    expect(undosOf(moment)).toEqual(['c undo 1', 'a undo 1', 'b undo 1']);
  });

  it('all at once where the definition says so', () => {
    const concurrent = workflow([[step('a')], [step('b'), step('c')], [step('d')]], { concurrentUndo: true });
    const moment = given(concurrent).when(...toD, refused('d'), turn());
    expect(undosOf(moment).sort()).toEqual(['a undo 1', 'b undo 1', 'c undo 1']);
  });

  it('one at a time also when late news would change the order', () => {
    const moment = given(three).when(...toD, refused('d'), turn(), later(SECOND), ok('d'), turn());
    expect(undosOf(moment)).toEqual(['b undo 1']);
    expect(undosOf(given(moment).when(undone('b'), turn()))).toEqual(['b undo 1', 'd undo 1']);
  });

  it('never while a forward call is out', () => {
    const moment = given(three).when(turn(), ok('a'), refused('b'), turn(), later(14 * SECOND), turn());
    expect(undosOf(moment)).toEqual([]);
    expect(undosOf(given(moment).when(later(SECOND), turn()))).toEqual(['c undo 1']);
  });

  it('at once when the process that made the call is known to be gone', () => {
    const out = given(three, { livingOwners: 'p1:' }).when(turn(), ok('a'), refused('b'));
    const restarted = { ...out, rules: { ...out.rules, livingOwners: 'p2:' } };
    expect(undosOf(given(restarted).when(turn({ owner: 'p2:x' })))).toEqual(['c undo 1']);
  });

  it('from drivers of the way back only', () => {
    expect(undosOf(given(three).when(...toD, refused('d'), turn({ kind: 'forward' })))).toEqual([]);
  });
});

describe('where nothing fences, an undo waits for what may still be at work', () => {
  const one = workflow([[step('a'), step('b')]]);

  it('as long as the route says, from the newest call on', () => {
    const again: When[] = [turn(), lost('a'), later(SECOND), turn(), lost('a')];
    const back = given(one, { nonFencing: ['a'] }).when(...again, refused('b'), later(OUT_MS_MAX - SECOND), turn());
    expect(undosOf(back)).toEqual([]);
    expect(back.job.nextActionAt).toBe(back.now + SECOND);
    expect(undosOf(given(back).when(later(SECOND), turn()))).toEqual(['a undo 1']);
  });

  it('no longer than that where one process serves all: there is one clock', () => {
    const back = given(one, { nonFencing: ['a'], livingOwners: 'p1:' }).when(
      turn({ owner: 'p1:x' }),
      lost('a'),
      refused('b'),
    );
    const oneClock = given(back).when(later(OUT_MS_MAX - 2 * LIMITS.clockSkewMsMax), turn({ owner: 'p1:y' }));
    expect(undosOf(oneClock)).toEqual(['a undo 1']);
  });

  it('and does not clear the doubt: a person looks at the end', () => {
    const moment = given(one, { nonFencing: ['a'] }).when(
      turn(),
      lost('a'),
      refused('b'),
      later(OUT_MS_MAX),
      turn(),
      undone('a'),
    );
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'compensated', mayHaveApplied: true });
    expect(moment.job).toMatchObject({ state: 'NEEDS_REVIEW', outcome: null, stoppedReason: 'ORCH_OUTCOME_UNKNOWN' });
  });

  it('also when a later attempt has succeeded: the first could apply once more behind the undo', () => {
    const back = given(one, { nonFencing: ['a'] }).when(
      turn(),
      lost('a'),
      later(SECOND),
      turn(),
      ok('a'),
      refused('b'),
      later(MAX_RUN_MS),
      turn(),
    );
    expect(undosOf(back)).toEqual([]);
    expect(undosOf(given(back).when(later(OUT_MS_MAX - MAX_RUN_MS), turn()))).toEqual(['a undo 1']);
  });

  it('but not for what has succeeded at once', () => {
    const moment = given(one, { nonFencing: ['a'] }).when(turn(), ok('a'), refused('b'), turn(), undone('a'));
    expect(moment.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });
});

describe('an undo is called', () => {
  it('under one id, about the forward operation, with what that was sent and answered', () => {
    const moment = given(three).when(...toD, refused('d'), turn());
    expect(callOf(moment, 'b')).toMatchObject({
      topic: 'b:undo',
      operationId: `${moment.job.jobId}.b.undo`,
      about: `${moment.job.jobId}.b`,
      body: { input: { of: 'b', seen: ['a'] }, output: { id: 1 } },
      attempt: 1,
    });
  });

  it('by the topic and with the body that the definition chooses', () => {
    const undo = undoBy('a:refund', {
      topics: ['a:cancel', 'a:refund'],
      choose: (output) => (output === null ? 'a:cancel' : 'a:refund'),
      map: (input, output) => ({ input, paid: output }),
    });
    const plan = workflow([[step('a', { undo }), step('b')]]);
    const known = given(plan).when(turn(), ok('a'), refused('b'), turn());
    expect(callOf(known, 'a')).toMatchObject({ topic: 'a:refund', body: { paid: { id: 1 } } });
    const unknown = given(plan).when(turn(), lost('a'), refused('b'), turn());
    expect(callOf(unknown, 'a')).toMatchObject({ topic: 'a:cancel', body: { paid: null } });
  });

  it.each([
    [
      'cannot be mapped',
      {
        map: () => {
          throw new Error('no way');
        },
      },
      'ORCH_MAPPING_FAILED',
    ],
    [
      'cannot be chosen',
      {
        choose: () => {
          throw new Error('no way');
        },
      },
      'ORCH_MAPPING_FAILED',
    ],
    ['leads nowhere', { choose: () => 'nobody:there' }, 'ORCH_UNROUTED_TOPIC'],
  ])('not at all when it %s: that is a failed undo', (_name, over, code) => {
    const plan = workflow([[step('a', { undo: undoBy('a:undo', over) })], [step('b')]]);
    const moment = given(plan, { unrouted: ['nobody:there'] }).when(turn(), ok('a'), refused('b'), turn());
    expect([statusOf(moment, 'a'), stateOf(moment, 'a').undo?.errorCode]).toEqual(['compensation_failed', code]);
    expect(moment.job.state).toBe('NEEDS_REVIEW');
  });
});

describe('an undo that is answered', () => {
  const back = given(workflow([[step('a')], [step('b')]])).when(turn(), ok('a'), refused('b'), turn());

  it.each([
    ['with a success', undone('a')],
    ['that nothing was found', undoAnswered('a', notFound)],
  ])('%s is done', (_name, when) => {
    expect(given(back).when(when).job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });

  it.each([
    ['worth another attempt', undoAnswered('a', notApplied())],
    ['in doubt, whatever its code', undoAnswered('a', doubt('STRANGE_CODE'))],
    ['with silence', later(15 * SECOND)],
  ])('%s is called again under the same id', (_name, when) => {
    const moment = given(back).when(when, turn(), toNextUndo, turn());
    expect(undosOf(moment)).toEqual(['a undo 1', 'a undo 2']);
    expect(new Set(moment.calls.slice(2).map((call) => call.operationId)).size).toBe(1);
  });

  it('with a promise waits for the message that brings its end', () => {
    const waits = given(back).when(undoAnswered('a', promised));
    expect(undosOf(given(waits).when(turn(), later(2 * HOUR), turn()))).toEqual(['a undo 1']);
    expect(waits.job.nextActionAt).toBe(waits.now + DAY / 10);
    const done = given(waits).when(later(HOUR), undone('a', { byMessage: true }), turn());
    expect(done.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
    expect(given(done).when(undone('a', { byMessage: true })).decision).toMatchObject({ status: 'ignored' });
  });

  it('with a promise hears of trouble and of a refusal by message', () => {
    const waits = given(back).when(undoAnswered('a', promised));
    const trouble = given(waits).when(undoAnswered('a', notApplied(), { byMessage: true }), toNextUndo, turn());
    expect(undosOf(trouble)).toEqual(['a undo 1', 'a undo 2']);
    const refused = given(waits).when(undoAnswered('a', refusal('CONTRACT_CONFLICT'), { byMessage: true }));
    expect(statusOf(refused, 'a')).toBe('compensation_failed');
  });

  it('before its promise is on record is answered all the same, and the promise then comes too late', () => {
    const first = given(back).when(undone('a', { byMessage: true }));
    expect(statusOf(first, 'a')).toBe('compensated');
    expect(given(first).when(undoAnswered('a', promised)).decision).toMatchObject({ status: 'ignored' });
  });

  it('with a promise that nobody keeps is asked again under the same id, as long as the undo may take', () => {
    let moment = given(back).when(undoAnswered('a', promised));
    const silence: When[] = [later(DAY / 10), turn(), toNextUndo, turn()];
    moment = given(moment).when(...silence);
    expect(undosOf(moment)).toEqual(['a undo 1', 'a undo 2']);
    expect(new Set(moment.calls.slice(2).map((call) => call.operationId)).size).toBe(1);
    const answers = (at: Moment) => given(at).when(undoAnswered('a', promised), ...silence);
    for (let again = 0; again < 10 && statusOf(moment, 'a') === 'compensating'; again += 1) moment = answers(moment);
    expect(statusOf(moment, 'a')).toBe('compensation_failed');
  });

  it('with a definitive refusal has failed at once', () => {
    const moment = given(back).when(undoAnswered('a', refusal('CONTRACT_CONFLICT')));
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'compensation_failed', undo: { attempts: 1 } });
    expect(moment.job).toMatchObject({ state: 'NEEDS_REVIEW', outcome: 'partially_rolled_back' });
    expect(moment.job.stoppedReason).toBe('ORCH_COMPENSATION_FAILED');
    expect(lastEntry(moment.job)).toMatchObject({ step: 'a', errorCode: 'ORCH_COMPENSATION_FAILED' });
  });

  it('keeps the cause of the failure as the last error', () => {
    const moment = given(back).when(undoAnswered('a', refusal('CONTRACT_CONFLICT')));
    expect(moment.job.lastErrorCode).toBe('DQ_BAD_EMAIL');
  });

  it('with trouble is tried ten times, then has failed', () => {
    const failing: When[] = Array.from({ length: 10 }, () => [
      undoAnswered('a', notApplied()),
      toNextUndo,
      turn(),
    ]).flat();
    const moment = given(back).when(...failing);
    expect(undosOf(moment)).toHaveLength(10);
    expect([statusOf(moment, 'a'), moment.job.state]).toEqual(['compensation_failed', 'NEEDS_REVIEW']);
  });

  it('with silence is tried ten times, each written down, then has failed', () => {
    const silent: When[] = Array.from({ length: 10 }, () => [later(15 * SECOND), turn(), toNextUndo, turn()]).flat();
    const moment = given(back).when(...silent);
    expect(undosOf(moment)).toHaveLength(10);
    expect(statusOf(moment, 'a')).toBe('compensation_failed');
    expect(moment.job.errorLog.filter((entry) => entry.message.startsWith('undo:'))).toHaveLength(10);
  });

  it('is tried at its own pace and as often as it says, whatever the workflow says of its forward calls', () => {
    const undo = undoBy('a:undo', { retry: { jitter: 'none', backoffBaseSeconds: 7, maxAttempts: 3 } });
    const plan = workflow([[step('a', { undo })], [step('b')]], {
      retry: { EXT_: { maxAttempts: 1, backoffBaseSeconds: 600, maxBackoffSeconds: 600 } },
    });
    const moment = given(plan).when(turn(), ok('a'), refused('b'), turn(), undoAnswered('a', notApplied()));
    expect((stateOf(moment, 'a').undo?.nextAttemptAt ?? 0) - moment.now).toBe(7_000);
    const rest: When[] = [1, 2, 3].flatMap(() => [toNextUndo, turn(), undoAnswered('a', notApplied())]);
    expect(undosOf(given(moment).when(...rest))).toHaveLength(3);
  });

  it('too late for its own deadline has failed', () => {
    const plan = workflow([[step('a')], [step('b')]], { undoDeadlineMs: MINUTE });
    const moment = given(plan).when(
      turn(),
      ok('a'),
      refused('b'),
      turn(),
      later(MINUTE),
      undoAnswered('a', notApplied('EXT_X', SECOND)),
    );
    expect(statusOf(moment, 'a')).toBe('compensation_failed');
  });
});

describe('time in which nobody tries an undo', () => {
  const plan = workflow([[step('a')], [step('b')]], { undoDeadlineMs: DAY });
  const begun: When[] = [turn(), ok('a'), refused('b'), turn()];

  it('is not counted when its call was out as everything stopped', () => {
    const back = given(plan).when(...begun, later(3 * DAY), turn());
    expect(statusOf(back, 'a')).toBe('compensating');
    expect(undosOf(given(back).when(toNextUndo, turn()))).toEqual(['a undo 1', 'a undo 2']);
  });

  it('is not counted when it was due for another try as everything stopped', () => {
    const back = given(plan).when(...begun, undoAnswered('a', notApplied()), later(3 * DAY), turn());
    const again = given(back).when(undoAnswered('a', notApplied()));
    expect(statusOf(again, 'a')).toBe('compensating');
    expect(stateOf(again, 'a').undo?.startedAt).toBe(stateOf(given(plan).when(...begun), 'a').undo?.startedAt);
  });

  it('is counted as long as somebody comes: the deadline is for an undo that is tried', () => {
    const slow = undoAnswered('a', notApplied('EXT_X', DAY / 2));
    const moment = given(plan).when(...begun, slow, toNextUndo, turn(), slow, toNextUndo, turn(), slow);
    expect(statusOf(moment, 'a')).toBe('compensation_failed');
  });
});

describe('an undo that failed', () => {
  it('does not keep the others from being tried', () => {
    const failed = given(three).when(...toD, refused('d'), turn(), undoAnswered('b', refusal()), turn());
    const moment = given(failed).when(undone('c'), turn(), undone('a'));
    expect(undosOf(moment)).toEqual(['b undo 1', 'c undo 1', 'a undo 1']);
    expect(moment.job).toMatchObject({ state: 'NEEDS_REVIEW', outcome: 'partially_rolled_back' });
  });

  it('is brought back to mind every day until somebody looks', () => {
    const review = given(three).when(
      turn(),
      ok('a'),
      refused('b'),
      ok('c'),
      turn(),
      undone('c'),
      turn(),
      undoAnswered('a', refusal()),
    );
    expect(given(review).when(later(DAY - 1), turn()).decision?.status).toBe('ignored');
    const reminded = given(review).when(later(DAY), turn());
    expect(lastEntry(reminded.job)).toMatchObject({ from: 'NEEDS_REVIEW', to: 'NEEDS_REVIEW', step: null });
    expect(reminded.job.nextActionAt).toBe(reminded.now + DAY);
  });
});

describe('a way back without effects', () => {
  it('is none: the job ends in the write that turned it', () => {
    const moment = given(three).when(turn(), refused('a'));
    expect(moment.job.history.at(-1)?.from).toBe('PROCESSING');
    expect(answered('a', refusal())(moment).decision?.status).toBe('ignored');
  });

  it('does not wait for what only reads, and leaves no lease behind', () => {
    const reads = workflow([[step('r', { kind: 'readOnly' }), step('a')]]);
    const moment = given(reads).when(turn(), refused('a'));
    expect(moment.job.state).toBe('FAILED');
    expect(stateOf(moment, 'r')).toMatchObject({ status: 'failed', lease: null });
  });
});
