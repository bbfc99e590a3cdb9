/** What follows from history: one outcome a write, each consequence once, ids that never change. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consequencesOf, outcomeEventId } from '../../lib/core/outbox.ts';
import { action } from './arbitrary-actions.ts';
import { trial } from './arbitrary-plan.ts';
import { play } from './random-run.ts';
import {
  cancelled,
  given,
  lost,
  type Moment,
  ok,
  refusal,
  refused,
  step,
  turn,
  undoAnswered,
  undone,
  type When,
  workflow,
} from './support.ts';

const two = workflow([[step('a')], [step('b')]]);

/** `4 failed review dead`, one a consequence, with what it supersedes. */
function told({ job }: Moment, after = -1): string[] {
  return consequencesOf(job, job.history, after).map(({ entry, outcome, supersedes, review, deadLetter }) =>
    [entry.seq, outcome, review && 'review', deadLetter && 'dead', supersedes && `for ${supersedes.split('.')[1]}`]
      .filter((word) => word !== null && word !== false)
      .join(' '),
  );
}

describe('what follows from', () => {
  it.each([
    ['a job on its way', [turn(), ok('a')], []],
    ['a completion', [turn(), ok('a'), ok('b')], ['3 completed']],
    ['a failure', [turn(), refused('a')], ['3 failed']],
    ['a cancel', [cancelled()], ['1 failed']],
    ['a rollback', [turn(), ok('a'), refused('b'), turn(), undone('a')], ['4 failed']],
    [
      'a rollback that failed',
      [turn(), ok('a'), refused('b'), turn(), undoAnswered('a', refusal())],
      ['4 failed review dead'],
    ],
    ['news after the end', [turn(), refused('a'), ok('a')], ['3 failed', '4 dead']],
  ] as [string, When[], string[]][])('%s', (_name, whens, expected) => {
    expect(told(given(two).when(...whens))).toEqual(expected);
  });

  it('a quarantine is one outcome, told with the last entry of its write', () => {
    expect(told(given(two, { source: 'sqs' }).when(turn(), refused('a')))).toEqual(['4 failed dead']);
  });

  it('a review that is no failed undo is no outcome yet', () => {
    const plan = workflow([[step('a', { onUnknown: 'review' })]]);
    expect(told(given(plan).when(turn(), lost('a')))).toEqual(['3 review']);
  });

  it('a recovery job is told by the job it recovers; only its failure is news of its own', () => {
    const source = 'recovery';
    expect(told(given(two, { source }).when(turn(), ok('a'), ok('b')))).toEqual([]);
    expect(told(given(two, { source }).when(turn(), refused('a')))).toEqual(['4 dead']);
  });

  it('what is published already is not told again, but named by what replaces it', () => {
    const review = given(two).when(turn(), ok('a'), refused('b'), turn(), undoAnswered('a', refusal()));
    const { job } = review;
    const last = job.history.at(-1);
    const closed = { ...last, seq: 5, from: 'NEEDS_REVIEW', to: 'FAILED', mark: 'another1' } as NonNullable<
      typeof last
    >;
    const [only, ...others] = consequencesOf(job, [...job.history, closed], 4);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ outcome: 'failed', supersedes: outcomeEventId(job.jobId, 4) });
  });

  it('an event is known by job and entry', () => {
    expect(outcomeEventId('j1', 4)).toBe('j1.4.outcome');
  });
});

describe('of any job, after anything,', () => {
  const run = fc.tuple(trial, fc.array(action, { minLength: 5, maxLength: 40, size: 'max' }));
  const histories = run.map(([plan, actions]) => {
    // Entries that were moved out are read together with the rest before anything is told.
    const kept = actions.filter((one) => one.do !== 'published');
    return play(plan, kept, 0.5).moment.job;
  });

  it('what follows is the same however often and in however many parts it is told', () => {
    fc.assert(
      fc.property(histories, fc.nat({ max: 30 }), (job, cut) => {
        const whole = consequencesOf(job, job.history, -1);
        const parts = [
          ...consequencesOf(job, job.history.slice(0, lastOfWrite(job, cut) + 1), -1),
          ...consequencesOf(job, job.history, lastOfWrite(job, cut)),
        ];
        expect(parts).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  it('no completion follows a failure, and no write tells two outcomes', () => {
    fc.assert(
      fc.property(histories, (job) => {
        const outcomes = consequencesOf(job, job.history, -1).filter((one) => one.outcome !== null);
        const words = outcomes.map((one) => one.outcome);
        expect(words.slice(words.indexOf('failed') + 1).includes('completed') && words.includes('failed')).toBe(false);
        const marks = outcomes.map((one) => one.entry.mark);
        expect(new Set(marks).size).toBe(marks.length);
        const replaced = outcomes.slice(1).map((one) => one.supersedes);
        expect(replaced).toEqual(outcomes.slice(0, -1).map((one) => outcomeEventId(job.jobId, one.entry.seq)));
      }),
      { numRuns: 200 },
    );
  });
});

/** Publishing reads whole writes: the cursor stands at the last entry of one. */
function lastOfWrite(job: Moment['job'], cut: number): number {
  const mark = job.history[Math.min(cut, job.history.length - 1)]?.mark;
  return job.history.findLast((entry) => entry.mark === mark)?.seq ?? -1;
}
