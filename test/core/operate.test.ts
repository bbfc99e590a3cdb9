/** What a named person may do to a job that cannot go on by itself, and what it means for its operations. */
import { describe, expect, it } from 'vitest';
import { openEffects } from '../../lib/core/effects.ts';
import type { Resolution } from '../../lib/core/events.ts';
import { lastEntry } from '../../lib/core/job.ts';
import {
  answered,
  BAD_OUTPUT,
  callOf,
  callsOf,
  doubt,
  failed,
  found,
  given,
  happens,
  later,
  lost,
  MINUTE,
  type Moment,
  notApplied,
  ok,
  operated,
  queryOf,
  refusal,
  refused,
  SECOND,
  stateOf,
  statusOf,
  step,
  together,
  turn,
  undoAnswered,
  undone,
  until,
  type When,
  workflow,
} from './support.ts';

const two = workflow([[step('a')], [step('b')]]);
const toNextUndo = until(({ job }) => Math.max(...job.steps.map((one) => one.undo?.nextAttemptAt ?? 0)));
const resume = operated({ action: 'resume' });
const retry = operated({ action: 'retry_compensation' });
const close = operated({ action: 'close' });
const forceClose = operated({ action: 'force_close' });
const resolved = (name: string, resolution: Resolution, output?: { id: number }): When =>
  operated({ action: 'resolve', step: name, resolution, output });

const undoRefused = given(two).when(turn(), ok('a'), refused('b'), turn(), undoAnswered('a', refusal()));
const inDoubt = given(workflow([[step('a', { onUnknown: 'review' })], [step('b')]])).when(turn(), lost('a'));
const pastPivot = given(workflow([[step('a', { kind: 'irreversible' })], [step('r', { kind: 'readOnly' })]])).when(
  turn(),
);

const isRefused = (moment: Moment): boolean => moment.decision?.status === 'refused';

describe('every action', () => {
  it('is an entry with who, why and the evidence, also when nothing moves', () => {
    const moment = given(inDoubt).when(resolved('a', 'not_applied'));
    expect(lastEntry(moment.job)).toMatchObject({ actor: 'operator:ann', evidence: 'ticket 7', step: 'a' });
    expect(lastEntry(moment.job).reason).toContain('looked into it');
    expect([lastEntry(moment.job).from, lastEntry(moment.job).to]).toEqual(['NEEDS_REVIEW', 'NEEDS_REVIEW']);
  });

  it('is refused when the job has moved since it was looked at', () => {
    const { revision } = undoRefused.job;
    expect(isRefused(given(undoRefused).when(operated({ action: 'retry_compensation' }, revision - 1)))).toBe(true);
    expect(isRefused(given(undoRefused).when(operated({ action: 'retry_compensation' }, revision)))).toBe(false);
  });
});

describe('resume', () => {
  const refusedPastPivot = given(pastPivot).when(ok('a'), refused('r'));

  it('calls what was refused as a new operation, with fresh attempts, deadline and retries', () => {
    const moment = given(refusedPastPivot).when(later(MINUTE), resume, turn());
    expect(moment.job).toMatchObject({ state: 'PROCESSING', stoppedReason: null, deadlineAt: moment.now + 86_400_000 });
    expect(callOf(moment, 'r')).toMatchObject({ operationId: `${moment.job.jobId}.r.r1`, attempt: 1 });
    expect(given(moment).when(ok('r')).job.state).toBe('COMPLETED');
  });

  it('calls what ended in trouble as the same operation, its attempts counted on', () => {
    const toNextAttempt = until(({ job }) => job.steps[1]?.nextAttemptAt);
    const failing: When[] = Array.from({ length: 5 }, () => [failed('r'), toNextAttempt, turn()]).flat();
    const stopped = given(pastPivot).when(ok('a'), ...failing);
    expect(stopped.job.state).toBe('NEEDS_REVIEW');
    const moment = given(stopped).when(resume, turn());
    expect(callOf(moment, 'r')).toMatchObject({ operationId: `${moment.job.jobId}.r`, attempt: 6 });
    expect(given(moment).when(failed('r')).job.state).toBe('PROCESSING');
  });

  it('never calls twice what stands behind an answer that did not fit: the same operation is asked again', () => {
    const moment = given(pastPivot).when(ok('a', BAD_OUTPUT), resume, turn());
    expect(callOf(moment, 'a')).toMatchObject({ operationId: `${moment.job.jobId}.a`, attempt: 2 });
    expect(openEffects(moment.job, moment.plan)).toMatchObject([{ step: 'a', state: 'unknown' }]);
    expect(given(moment).when(ok('a'), ok('r')).job.state).toBe('COMPLETED');
  });

  it('still hears of the operation that was refused: that it applied after all is an open effect', () => {
    const pair = workflow([[step('a', { undo: { none: 'why' }, onUnknown: 'review' }), step('b')]]);
    const stopped = given(pair).when(turn(), lost('a'), refused('b'), resolved('a', 'applied'), resume, turn());
    const old = `${stopped.job.jobId}.b`;
    expect(callOf(stopped, 'b').operationId).toBe(`${old}.r1`);
    const done = given(stopped).when(ok('b', { id: 3 }, { operationId: old, byMessage: true }), ok('b'));
    expect(done.job.state).toBe('COMPLETED');
    expect(openEffects(done.job, done.plan)).toMatchObject([{ step: 'b', operationId: old, state: 'applied' }]);
  });

  it('forgets no effect, should the job turn back before it is asked again', () => {
    const pair = workflow([[step('a', { undo: { none: 'why' }, onUnknown: 'review' }), step('b')]]);
    const review = given(pair).when(turn(), refused('b'), lost('a'), turn(), ok('b'), resolved('a', 'applied'));
    expect([review.job.state, stateOf(review, 'b').mayHaveApplied]).toEqual(['NEEDS_REVIEW', true]);
    const moment = given(review).when(resume, later(86_400_000), turn(), turn());
    expect(moment.job.stoppedReason).toBe('ORCH_DEADLINE_EXCEEDED');
    expect(callsOf(moment).at(-1)).toBe('b undo 1');
  });

  it('is refused once an undo was started, and while anything is unknown', () => {
    expect(isRefused(given(undoRefused).when(resume))).toBe(true);
    expect(isRefused(given(inDoubt).when(resume))).toBe(true);
    expect(given(inDoubt).when(resolved('a', 'applied', { id: 1 }), resume, turn()).job.state).toBe('PROCESSING');
  });
});

describe('resume after a fence', () => {
  it('is another operation, whatever code had made us ask: the fenced one can never apply', () => {
    const none = { none: 'nothing to undo' };
    const a = step('a', { query: queryOf('a'), onUnknown: 'query', undo: none });
    const plan = workflow([[a, step('e', { undo: none }), step('c', { undo: none })]]);
    const fenced = given(plan).when(
      turn(),
      together(['a', doubt()], ['e', doubt()], ['c', refusal()]),
      turn(),
      found('a', { state: 'not_applied', fenced: true }),
    );
    expect(stateOf(fenced, 'a')).toMatchObject({ status: 'failed', errorCode: 'EXT_TIMEOUT', fenced: true });
    expect(fenced.job.state).toBe('NEEDS_REVIEW');
    const resumed = given(fenced).when(resolved('e', 'not_applied'), resume, turn());
    expect(callOf(resumed, 'a', 'do').operationId).toMatch(/\.a\.r1$/);
    expect(callOf(resumed, 'e', 'do').operationId).toMatch(/\.e$/);
  });
});

describe('retry-compensation', () => {
  it('calls a refused undo as a new operation', () => {
    const moment = given(undoRefused).when(retry, turn());
    expect(moment.job).toMatchObject({ state: 'COMPENSATING', outcome: null });
    expect(callOf(moment, 'a')).toMatchObject({ operationId: `${moment.job.jobId}.a.undo.2`, attempt: 1 });
    expect(given(moment).when(undone('a')).job).toMatchObject({
      state: 'FAILED',
      outcome: 'rolled_back',
      stoppedReason: 'DQ_BAD_EMAIL',
    });
  });

  it.each([
    ['in trouble', notApplied()],
    ['in doubt, by a code that would not be retried otherwise', doubt('STRANGE_CODE')],
  ])('calls an undo that ended %s as the same operation, with ten attempts more', (_name, answer) => {
    const failing: When[] = Array.from({ length: 10 }, () => [toNextUndo, turn(), undoAnswered('a', answer)]).flat();
    const stopped = given(two).when(turn(), ok('a'), refused('b'), ...failing);
    expect(statusOf(stopped, 'a')).toBe('compensation_failed');
    const moment = given(stopped).when(retry, turn());
    expect(callOf(moment, 'a')).toMatchObject({ operationId: `${moment.job.jobId}.a.undo`, attempt: 11 });
    const again = given(moment).when(undoAnswered('a', answer), ...failing.slice(0, -3));
    expect(callsOf(again).filter((call) => call.startsWith('a undo'))).toHaveLength(20);
  });

  it('takes back a job that waited for a word about one effect', () => {
    const moment = given(inDoubt).when(retry, turn(), undone('a'));
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back' });
  });

  it('is refused past an irreversible step, and where nothing can be undone', () => {
    expect(isRefused(given(pastPivot).when(ok('a'), refused('r'), retry))).toBe(true);
    expect(isRefused(given(undoRefused).when(undone('a'), retry))).toBe(true);
  });
});

describe('resolve', () => {
  it('applied: later steps go on with the output that is told', () => {
    const moment = given(inDoubt).when(resolved('a', 'applied', { id: 5 }), resume, turn());
    expect(statusOf(moment, 'a')).toBe('succeeded');
    expect(callsOf(moment).at(-1)).toBe('b do 1');
  });

  it('not applied: nothing is left of it', () => {
    const moment = given(inDoubt).when(resolved('a', 'not_applied'));
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'failed', mayHaveApplied: false });
    expect(given(moment).when(close).job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });

  it('compensated: an undo that failed is settled, and the job ends as it would have', () => {
    const moment = given(undoRefused).when(resolved('a', 'compensated'), turn());
    expect(statusOf(moment, 'a')).toBe('compensated');
    expect(moment.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });

  it('is refused of a step that the job does not have, that only reads, or of which there is no doubt', () => {
    expect(isRefused(given(inDoubt).when(resolved('nobody', 'applied')))).toBe(true);
    expect(isRefused(given(inDoubt).when(resolved('b', 'applied')))).toBe(true);
    expect(isRefused(given(pastPivot).when(ok('a'), refused('r'), resolved('r', 'applied')))).toBe(true);
  });
});

describe('close', () => {
  it('is refused while anything is or may be applied', () => {
    expect(isRefused(given(undoRefused).when(close))).toBe(true);
    expect(isRefused(given(inDoubt).when(close))).toBe(true);
  });

  it('ends the job as rolled back and leaves it out of quarantine', () => {
    const moment = given(undoRefused).when(undone('a'), close);
    expect(moment.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back', nextActionAt: null });
  });
});

describe('force-close', () => {
  const out = given(workflow([[step('a'), step('b')]])).when(turn(), ok('a'));

  it.each([
    ['a job that is waiting for a person', undoRefused],
    ['a job on its way', out],
  ])('ends %s in one write, and says what it leaves', (_name, from) => {
    const moment = given(from).when(forceClose);
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'partially_rolled_back' });
    expect(lastEntry(moment.job)).toMatchObject({ from: 'NEEDS_REVIEW', evidence: expect.stringContaining('.a') });
    expect(lastEntry(moment.job).evidence).toContain('ticket 7');
    expect(openEffects(moment.job, moment.plan).length).toBeGreaterThan(0);
  });

  it('of a job without effects leaves nothing', () => {
    const moment = given(two).when(forceClose);
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back' });
    expect(lastEntry(moment.job).evidence).toContain('leaves nothing');
  });

  it('still listens to what was out, and touches nothing else', () => {
    const moment = given(out).when(forceClose, later(MINUTE), ok('b'));
    expect(statusOf(moment, 'b')).toBe('succeeded');
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'partially_rolled_back' });
    const wide = given(workflow([[step('a'), step('b')]])).when(turn(), forceClose, later(MINUTE), ok('b'));
    expect([statusOf(wide, 'a'), wide.job.state]).toEqual(['dispatched', 'DEAD_LETTERED']);
  });

  it('leaves nobody holding it, and no driver anything to do', () => {
    const moment = given(out).when(forceClose, turn());
    expect(moment.decision).toEqual({ status: 'ignored', reason: 'terminal' });
    expect(moment.job.steps.map((one) => one.lease)).toEqual([null, null]);
  });
});

describe('links', () => {
  it('to replays are kept once each, whatever the job is', () => {
    const link = (moment: Moment, replayedBy: string) => happens(moment, { type: 'linked', replayedBy });
    const linked = link(link(undoRefused, 'j1'), 'j2');
    expect(linked.job.lineage.replayedBy).toEqual(['j1', 'j2']);
    expect(link(linked, 'j1').decision).toEqual({ status: 'ignored', reason: 'duplicate' });
  });

  it('wait for nobody: a step asked meanwhile goes on', () => {
    const waiting = given(two).when(turn(), answered('a', notApplied('EXT_X', 5 * SECOND)));
    const linked = happens(waiting, { type: 'linked', replayedBy: 'j1' });
    expect(linked.job.nextActionAt).toBe(waiting.job.nextActionAt);
  });
});
