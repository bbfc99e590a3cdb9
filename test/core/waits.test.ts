/**
 * A wait ends once: by what it waits for, by its time, or left out when the job turns back. A guard is asked when its
 * stage is entered, and what it leaves out is never called.
 */
import { describe, expect, it } from 'vitest';
import type { StepPlan, StepWork } from '../../lib/core/plan.ts';
import {
  callsOf,
  cancelled,
  DAY,
  given,
  later,
  MINUTE,
  ok,
  refused,
  stateOf,
  statusOf,
  step,
  T0,
  turn,
  undone,
  workflow,
} from './support.ts';

const wait = (name: string, work: StepWork, over: Partial<StepPlan> = {}): StepPlan =>
  step(name, { kind: 'readOnly', work, topic: null, ...over });
const pause = (name: string, ms = DAY / 2): StepPlan => wait(name, { type: 'timer', due: (_seen, now) => now + ms });
const listen = (name: string, onTimeout: { fail: string } | { output: string }): StepPlan =>
  wait(name, { type: 'signal', signal: name, withinMs: MINUTE, onTimeout });

describe('a timer', () => {
  const plan = workflow([[step('a')], [pause('nap')], [step('b')]]);

  it('has an end that is computed once and stored', () => {
    const moment = given(plan).when(turn(), ok('a'));
    expect(statusOf(moment, 'nap')).toBe('waiting');
    expect(stateOf(moment, 'nap').deadlineAt).toBe(T0 + DAY / 2);
    expect(moment.job.state).toBe('PROCESSING');
    expect(moment.job.nextActionAt).toBe(T0 + DAY / 2);
    const looked = given(moment).when(later(MINUTE), turn());
    expect(looked.decision).toEqual({ status: 'ignored', reason: 'nothing_due' });
  });

  it('ends at its time, also when nobody looked for long, and the next stage begins', () => {
    const moment = given(plan).when(turn(), ok('a'), later(DAY / 2 + MINUTE), turn());
    expect(statusOf(moment, 'nap')).toBe('succeeded');
    expect(callsOf(moment)).toEqual(['a do 1', 'b do 1']);
  });

  it('that is over before it begins is no wait', () => {
    const moment = given(workflow([[pause('nap', -MINUTE)], [step('b')]])).when(turn());
    expect(callsOf(moment)).toEqual(['b do 1']);
  });

  it('is left out when the job turns back', () => {
    const moment = given(plan).when(turn(), ok('a'), cancelled(), turn(), undone('a'));
    expect(statusOf(moment, 'nap')).toBe('skipped');
    expect(moment.job.state).toBe('CANCELLED');
  });

  it('whose moment cannot be computed turns the job back', () => {
    const broken = wait('nap', {
      type: 'timer',
      due: () => {
        throw new Error('no such day');
      },
    });
    const moment = given(workflow([[step('a')], [broken]])).when(turn(), ok('a'), turn(), undone('a'));
    expect(stateOf(moment, 'nap')).toMatchObject({ status: 'failed', errorCode: 'ORCH_MAPPING_FAILED' });
    expect(moment.job.state).toBe('DEAD_LETTERED');
  });

  it('beside a call ends while the call is still out', () => {
    const moment = given(workflow([[step('a'), pause('nap', 1)]])).when(turn(), later(10), turn());
    expect([statusOf(moment, 'a'), statusOf(moment, 'nap')]).toEqual(['dispatched', 'succeeded']);
    expect(given(moment).when(ok('a')).job.state).toBe('COMPLETED');
  });
});

describe('a signal that does not come', () => {
  it('fails its step with the declared code, which turns the job back', () => {
    const plan = workflow([[step('a')], [listen('word', { fail: 'DQ_NO_WORD' })]]);
    const moment = given(plan).when(turn(), ok('a'), later(MINUTE), turn(), turn(), undone('a'));
    expect(stateOf(moment, 'word')).toMatchObject({ status: 'failed', errorCode: 'DQ_NO_WORD' });
    expect(moment.job).toMatchObject({ state: 'FAILED', lastErrorCode: 'DQ_NO_WORD' });
  });

  it('is replaced by the declared output', () => {
    const plan = workflow([[listen('word', { output: 'none' })]]);
    const moment = given(plan).when(turn(), later(MINUTE), turn());
    expect(stateOf(moment, 'word').output?.data).toBe('none');
    expect(moment.job.state).toBe('COMPLETED');
  });
});

describe('a guard', () => {
  it('that says no leaves the step out, and later mappers do not see it', () => {
    const plan = workflow([[step('a', { when: () => false }), step('b')], [step('c')]]);
    const moment = given(plan).when(turn(), ok('b'));
    expect(statusOf(moment, 'a')).toBe('skipped');
    expect(moment.calls.find((call) => call.step === 'c')?.body).toEqual({ of: 'c', seen: ['b'] });
  });

  it('sees the outputs of earlier stages', () => {
    const seen: unknown[] = [];
    const when: StepPlan['when'] = ({ outputs }) => seen.push(Object.keys(outputs)) > 0;
    given(workflow([[step('a')], [step('b', { when })]])).when(turn(), ok('a'));
    expect(seen).toEqual([['a']]);
  });

  it('of a whole stage leads on to the next, and of the last to the end', () => {
    const no = { when: () => false };
    const moment = given(workflow([[step('a', no)], [step('b', no)]])).when(turn());
    expect(moment.job.state).toBe('COMPLETED');
    expect(moment.calls).toEqual([]);
  });

  it('is not asked again once the step was called', () => {
    let asked = 0;
    const when = (): boolean => {
      asked += 1;
      return asked === 1;
    };
    const moment = given(workflow([[step('a', { when })]])).when(turn(), refused('a'));
    expect(statusOf(moment, 'a')).toBe('failed');
    expect(asked).toBe(1);
  });

  it('that throws fails the step', () => {
    const when = (): boolean => {
      throw new Error('cannot tell');
    };
    const moment = given(workflow([[step('a')], [step('b', { when })]])).when(turn(), ok('a'), turn(), undone('a'));
    expect(stateOf(moment, 'b')).toMatchObject({ status: 'failed', errorCode: 'ORCH_MAPPING_FAILED' });
    expect(moment.job.state).toBe('DEAD_LETTERED');
  });
});
