/** A released version never changes unseen, and whoever changes one is told what differs and what to do. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { WorkflowPlan } from '../../lib/core/plan.ts';
import { step, workflow } from '../../lib/definition/index.ts';
import { checkLock, lockOf } from '../../lib/definition/lock.ts';

const none = z.strictObject({});
const plan = (version: number, topic = 'a:make', deadline: '1 h' | '2 h' = '1 h'): WorkflowPlan =>
  workflow('trip', version)
    .input(none)
    .stage(step('a', { topic, input: () => ({}), output: none, undo: 'a:drop' }))
    .deadline(deadline)
    .output(() => null).plan;
const lock = lockOf([plan(1)]);

describe('the lock of released definitions', () => {
  it('has nothing against what it holds', () => {
    expect(checkLock(lock, [plan(1)])).toEqual({ problems: [], unreleased: [] });
  });

  it('names what has changed, and the number that the new one should have', () => {
    const { problems } = checkLock(lockOf([plan(1), plan(2)]), [plan(1, 'a:build', '2 h'), plan(2)]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^trip 1 is released and has changed in rules, step a: .* as version 3$/);
  });

  it('lets a new version stand beside the old one, and says that it is not released yet', () => {
    const { problems, unreleased } = checkLock(lock, [plan(1), plan(2, 'a:build')]);
    expect([problems, unreleased.map(({ version }) => version)]).toEqual([[], [2]]);
  });

  it('misses a version that is gone', () => {
    expect(checkLock(lock, []).problems).toEqual([expect.stringMatching(/^trip 1 is released and gone from the code/)]);
  });

  it('knows no type by the names that every object has', () => {
    const odd = { ...plan(1), type: 'constructor' };
    expect(checkLock(lock, [plan(1), odd]).unreleased).toEqual([odd]);
  });
});
