/**
 * The model, explored whole, and the code held against it: the same answer to every question that comes up on the way,
 * and no edge that the tables do not have.
 */
import { describe, expect, it } from 'vitest';
import { STEP_TRANSITIONS } from '../../lib/core/step-transitions.ts';
import { JOB_TRANSITIONS } from '../../lib/core/transitions.ts';
import { abstract, callsIn, decideReally } from './concrete.ts';
import { EVERY_GUARD, explore, type WorldGuards } from './explore.ts';
import { isEnd } from './job-model.ts';

const whole = explore(EVERY_GUARD);

describe('the model', () => {
  it('comes to no bad place, in any order of anything', () => {
    expect(whole.violation).toBeNull();
    expect(whole.configurations).toBeGreaterThan(100_000);
  });

  it('can always come to an end', () => {
    expect(whole.stuck).toBe(0);
  });

  it.each(Object.keys(EVERY_GUARD) as (keyof WorldGuards)[])('needs its guard: %s', (guard) => {
    expect(explore({ ...EVERY_GUARD, [guard]: false }).violation?.at(-1)).toMatch(/^BROKEN/);
  });
});

describe('the code', () => {
  it('decides as the model does, whatever it is asked', () => {
    const others = [];
    for (const { job, event, decision } of whole.asked.values()) {
      const real = decideReally(job, event);
      const answer = {
        job: real.status === 'changed' ? abstract(real.job) : job,
        calls: callsIn(real),
        refused: real.status === 'refused',
      };
      const wanted = { job: decision?.job ?? job, calls: decision?.calls ?? [], refused: decision === null };
      if (JSON.stringify(answer) !== JSON.stringify(wanted)) others.push({ job, event, wanted, answer });
    }
    expect(others.slice(0, 3)).toEqual([]);
    expect(whole.asked.size).toBeGreaterThan(10_000);
  });

  it('has every edge of the model in its tables', () => {
    const jobEdges = new Set(JOB_TRANSITIONS.map(({ from, to }) => `${from} ${to}`));
    const stepEdges = new Set(STEP_TRANSITIONS.map(({ from, to }) => `${from} ${to}`));
    expect([...whole.jobEdges].filter((edge) => !jobEdges.has(edge))).toEqual([]);
    expect([...whole.stepEdges].filter((edge) => !stepEdges.has(edge))).toEqual([]);
  });

  it('has no edge between what the model knows that the model does not take, but for what it leaves out', () => {
    const states = new Set([...whole.jobEdges].flatMap((edge) => edge.split(' ')));
    const statuses = new Set([...whole.stepEdges].flatMap((edge) => edge.split(' ')));
    const jobRows = JOB_TRANSITIONS.filter(({ from, to }) => from !== null && states.has(from) && states.has(to));
    const missing = jobRows.filter(
      ({ from, to, on }) => !whole.jobEdges.has(`${from} ${to}`) && !LEFT_OUT.includes(on),
    );
    expect(missing).toEqual([]);
    const stepRows = STEP_TRANSITIONS.filter(({ from, to }) => statuses.has(from) && statuses.has(to));
    const others = stepRows.filter(
      ({ from, to, on }) => !whole.stepEdges.has(`${from} ${to}`) && !LEFT_OUT.includes(on),
    );
    expect(others.map(({ from, to }) => `${from} ${to}`)).toEqual(UNREACHED);
    expect([...states].filter((state) => isEnd(state as Parameters<typeof isEnd>[0])).length).toBe(4);
  });
});

/** What the model has no word for: persons, quarantine, what a definition cannot call, participants that do not fence. */
const LEFT_OUT: readonly string[] = [
  'operator_resume',
  'operator_retry_compensation',
  'operator_retry_undo',
  'operator_resolve',
  'operator_close',
  'operator_force_close',
  'not_callable',
  'signal_received',
  'approval_requested',
  'approval_reminder',
  'approval_decided',
  'operator_migrate',
  'undecidable',
  'late_success',
  'review_reminder',
  'new_round',
  'deadline_exceeded',
  'effect_unknown',
];

/** Edges that take more than the model has: */
const UNREACHED: readonly string[] = [
  // a definition that cannot call what it could call before,
  'retry_scheduled failed',
  // a third attempt,
  'retry_scheduled compensating',
  // a participant that did what it had said it did not.
  'skipped compensating',
];
