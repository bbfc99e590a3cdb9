/** When a job wants attention, where the watchdog finds it, and what a driver does that has nothing in flight. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../lib/core/limits.ts';
import { type Outlook, outlook } from '../../lib/core/outlook.ts';
import { bucketOf, driverKindOf, isUnpublished } from '../../lib/core/schedule.ts';
import {
  accepted,
  answered,
  cancelled,
  DAY,
  doubt,
  driverFor,
  given,
  happens,
  later,
  lost,
  MINUTE,
  type Moment,
  notApplied,
  ok,
  refusal,
  refused,
  SECOND,
  start,
  step,
  T0,
  turn,
  undoAnswered,
  undone,
  type When,
  workflow,
} from './support.ts';

const one = workflow([[step('a')]]);
const two = workflow([[step('a')], [step('b')]]);
const wake = ({ job }: Moment): number => (job.nextActionAt ?? Number.NaN) - T0;

/** A failure that asks for another attempt after this time. */
const failsFor = (name: string, ms: number): When => answered(name, notApplied('EXT_THROTTLED', ms));

describe('the next action', () => {
  it.each([
    ['of a new job: its hint may be lost', one, [], MINUTE],
    ['of a call that is out: its lease may end in silence', one, [turn()], 15 * SECOND],
    ['of a retry far away', one, [turn(), failsFor('a', 30 * SECOND)], 30 * SECOND],
    ['of a promised result: its time, or the deadline of the job', one, [turn(), later(SECOND), accepted('a')], DAY],
    ['of a step that nobody has called yet', two, [turn(), later(5), ok('a', 1, { byMessage: true })], MINUTE + 5],
    ['of an undo that nobody has called yet', two, [turn(), ok('a'), later(7), refused('b')], MINUTE + 7],
    ['of an undo that is out', two, [turn(), ok('a'), refused('b'), later(9), turn()], 15 * SECOND + 9],
    ['of a review: a reminder', two, [turn(), ok('a'), refused('b'), turn(), undoAnswered('a', refusal())], DAY],
  ] as [string, typeof one, When[], number][])('%s', (_name, plan, whens, at) => {
    expect(wake(given(plan).when(...whens))).toBe(at);
  });

  it('is the deadline when that comes first', () => {
    const hasty = workflow([[step('a')]], { deadlineMs: 20 * SECOND });
    expect(wake(given(hasty).when(turn(), failsFor('a', MINUTE)))).toBe(20 * SECOND);
  });

  it('is not the deadline while an irreversible step is out: it waits for that', () => {
    const plan = workflow([[step('a', { kind: 'irreversible' })]], { deadlineMs: 5 * SECOND });
    expect(wake(given(plan).when(turn()))).toBe(15 * SECOND);
  });

  it('is none once a job has ended', () => {
    expect(given(one).when(turn(), ok('a')).job.nextActionAt).toBeNull();
  });

  it('waits for what is in flight before a person is asked, and is not due meanwhile', () => {
    const plan = workflow([[step('a', { onUnknown: 'review' }), step('b')]]);
    expect(wake(given(plan).when(turn(), later(SECOND), lost('a')))).toBe(15 * SECOND);
  });
});

describe('the bucket', () => {
  const bucket = ({ job }: Moment): number => (job.bucket ?? Number.NaN) - T0;

  it('is the five minutes in which the next action falls', () => {
    expect(bucketOf(T0 + LIMITS.bucketMs - 1)).toBe(T0);
    expect(bucketOf(T0 + LIMITS.bucketMs)).toBe(T0 + LIMITS.bucketMs);
  });

  it('stays as it is while a job works: a short one touches the index twice', () => {
    const moment = given(two).when(later(299 * SECOND), turn());
    expect(wake(moment)).toBe(314 * SECOND);
    expect(bucket(moment)).toBe(0);
  });

  it('moves later when the job parks', () => {
    expect(bucket(given(one).when(turn(), failsFor('a', 11 * MINUTE)))).toBe(10 * MINUTE);
  });

  it('moves later at once where nothing but a wait is left', () => {
    expect(bucket(given(one).when(turn(), accepted('a')))).toBe(DAY);
    const beside = given(workflow([[step('a'), step('b')]])).when(turn(), accepted('a'));
    expect(bucket(beside)).toBe(0);
  });

  it('moves later when the watchdog asks, and else only then', () => {
    const working = given(two).when(later(299 * SECOND), turn());
    expect(bucket(working)).toBe(0);
    const refiled = happens(working, { type: 'refile' });
    expect(bucket(refiled)).toBe(300 * SECOND);
    expect(happens(refiled, { type: 'refile' }).decision).toEqual({ status: 'ignored', reason: 'nothing_due' });
  });

  it('moves earlier at once', () => {
    const parked = given(one).when(turn(), failsFor('a', 60 * MINUTE));
    expect(bucket(parked)).toBe(60 * MINUTE);
    expect(bucket(given(parked).when(later(MINUTE), cancelled()))).toBe(0);
  });

  it('keeps a stopped job due until its news are out, then lets it go', () => {
    const ended = given(one).when(turn(), later(20 * MINUTE), ok('a'));
    expect([isUnpublished(ended.job), bucket(ended)]).toEqual([true, 0]);
    const told = happens(ended, { type: 'published', upTo: 3, trimTo: 0 });
    expect([isUnpublished(told.job), told.job.bucket]).toEqual([false, null]);
  });

  it('is not moved away under a review whose news are owed', () => {
    const plan = workflow([[step('a', { onUnknown: 'review' })]]);
    const review = given(plan).when(turn(), lost('a'));
    expect(review.job.state).toBe('NEEDS_REVIEW');
    expect(happens(review, { type: 'refile' }).decision).toEqual({ status: 'ignored', reason: 'nothing_due' });
    const told = happens(review, { type: 'published', upTo: 3, trimTo: 0 });
    expect(bucket(told)).toBe(DAY);
  });
});

describe('publishing', () => {
  const ended = given(one).when(turn(), ok('a'));

  it('moves the cursor forward only', () => {
    const told = happens(ended, { type: 'published', upTo: 2, trimTo: 0 });
    expect(told.job.publishedSeq).toBe(2);
    const again = happens(told, { type: 'published', upTo: 1, trimTo: 0 });
    expect(again.decision).toEqual({ status: 'ignored', reason: 'already_published' });
  });

  it('takes out what is stored apart, never what is not published, never the last entry', () => {
    const told = happens(ended, { type: 'published', upTo: 1, trimTo: 99 });
    expect(told.job.history.map((entry) => entry.seq)).toEqual([2, 3]);
    const all = happens(ended, { type: 'published', upTo: 99, trimTo: 99 });
    expect(all.job.history.map((entry) => entry.seq)).toEqual([3]);
    expect(all.job.publishedSeq).toBe(3);
  });
});

describe('the outlook of a driver with nothing in flight', () => {
  const see = (moment: Moment, over: Parameters<typeof driverFor>[1] = {}): Outlook =>
    outlook(moment.job, moment.plan, moment.rules, driverFor(moment.job, over), moment.now);

  it('ends with the job', () => {
    expect(see(given(one).when(turn(), ok('a')))).toEqual({ next: 'ended' });
  });

  it('sleeps through a short wait, if time is left for it', () => {
    const moment = given(one).when(turn(), failsFor('a', 1_900));
    expect(see(moment)).toEqual({ next: 'sleep', until: T0 + 1_900 });
    expect(see(moment, { remainingMs: 3_000 })).toEqual({ next: 'park', until: T0 + 1_900, to: 'forward' });
  });

  it('parks for a long one', () => {
    const moment = given(one).when(turn(), failsFor('a', 2_000));
    expect(see(moment)).toEqual({ next: 'park', until: T0 + 2_000, to: 'forward' });
  });

  it('hands over what is due and it cannot do: for want of time, or of the other kind', () => {
    const moment = given(two).when(turn(), ok('a', 1, { byMessage: true }));
    expect(see(moment, { remainingMs: 0 })).toEqual({ next: 'hand_over', to: 'forward' });
    const back = given(two).when(turn(), ok('a'), refused('b'));
    expect(see(back, { kind: 'forward' })).toEqual({ next: 'hand_over', to: 'recovery' });
  });

  it('leaves a job that another driver holds, also while that waits to ask for a review', () => {
    const moment = given(one).when(turn({ owner: 'p1:other' }));
    expect(see(moment)).toEqual({ next: 'leave' });
    const plan = workflow([[step('a', { onUnknown: 'review' }), step('b')]]);
    expect(see(given(plan).when(turn({ owner: 'p1:other' }), lost('a')))).toEqual({ next: 'leave' });
  });

  it('does not sleep for an undo that is not its kind of work', () => {
    const steps = given(two).when(turn(), ok('a'), refused('b'), turn(), undoAnswered('a', doubt()));
    const kind = driverKindOf(steps.job);
    expect(kind).toBe('recovery');
    expect(see(steps, { kind: 'forward' })).toMatchObject({ next: 'park', to: 'recovery' });
  });

  it('parks a review until its reminder', () => {
    const plan = workflow([[step('a', { onUnknown: 'review' })]]);
    expect(see(given(plan).when(turn(), lost('a')))).toEqual({ next: 'park', until: T0 + DAY, to: 'forward' });
  });

  it('is the same when it is asked again', () => {
    const moment = given(two).when(turn(), ok('a'), refused('b'), turn(), undone('a'));
    expect(see(moment)).toEqual(see(moment));
    expect(start(one).job.bucket).toBe(T0);
  });
});
