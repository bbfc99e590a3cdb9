/** With faults stopped, every job comes to its end, or to a person, by its own wake-ups, within a time that is known. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../lib/core/limits.ts';
import { action } from './arbitrary-actions.ts';
import { trial } from './arbitrary-plan.ts';
import { comesToRest, settle, type Word } from './cooperative-world.ts';
import { newWitness } from './ledger.ts';
import { play, RUNS } from './random-run.ts';
import { MINUTE, OUT_MS_MAX, start } from './support.ts';

const luck = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const word = fc.constantFrom<Word[]>('applied', 'not_applied', 'fenced');

describe('a job left alone with a world that works', () => {
  it('completes when nothing ever went wrong', () => {
    fc.assert(
      fc.property(trial, luck, ({ plan, options }, random) => {
        const sound = { ...plan, steps: plan.steps.map((step) => ({ ...step, map: () => null })), output: () => null };
        const { moment, broken } = settle(start(sound, { ...options, random }), newWitness(), 'applied');
        expect(broken).toEqual([]);
        expect(moment.job.history.filter(({ from, to }) => from !== to).map(({ to }) => to)).toEqual([
          'PENDING',
          'VALIDATING',
          'PROCESSING',
          'COMPLETED',
        ]);
      }),
      { numRuns: RUNS / 4 },
    );
  });

  it('rests after any trouble, no later than its deadline, its undos and the waits of what may still run', () => {
    fc.assert(
      fc.property(
        trial,
        fc.array(action, { maxLength: 40, size: 'max' }),
        luck,
        word,
        (plan, actions, random, says) => {
          const troubled = play(plan, actions, random);
          const { moment, broken } = settle(troubled.moment, troubled.witness, says);
          expect(broken).toEqual([]);
          expect(comesToRest(moment) || moment.job.state).toBe(true);
          const { deadlineAt } = troubled.moment.job;
          const patience = LIMITS.waitMsDefault + plan.plan.undoDeadlineMs + OUT_MS_MAX + 30 * MINUTE;
          expect(moment.now).toBeLessThanOrEqual(Math.max(deadlineAt, troubled.moment.now) + patience);
        },
      ),
      { numRuns: RUNS / 4 },
    );
  });
});
