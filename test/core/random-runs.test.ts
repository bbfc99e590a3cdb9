/** Random plans under random events: whatever happens, in whatever order, every decision keeps every rule. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { action } from './arbitrary-actions.ts';
import { trial } from './arbitrary-plan.ts';
import { play, RUNS } from './random-run.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('a job under anything', () => {
  it('breaks no rule in any decision', () => {
    fc.assert(
      fc.property(
        trial,
        fc.array(action, { minLength: 5, maxLength: 60, size: 'max' }),
        random,
        (plan, actions, luck) => {
          expect(play(plan, actions, luck).broken).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
