/** Every state answers every event: it changes the job, ignores the event with a reason, or refuses it. None throws. */
import { describe, expect, it } from 'vitest';
import type { JobEvent } from '../../lib/core/events.ts';
import { JOB_STATES, type JobState } from '../../lib/core/states.ts';
import {
  answered,
  callsOf,
  cancelled,
  driverFor,
  given,
  happens,
  later,
  type Moment,
  notApplied,
  ok,
  pathOf,
  refusal,
  refused,
  resultOf,
  SECOND,
  start,
  stateOf,
  statusOf,
  step,
  success,
  T0,
  turn,
  undoAnswered,
  workflow,
} from './support.ts';

const plan = workflow([[step('a')], [step('b')]]);

/** A job that a driver left between looking at it and going on: never stored so, but nothing forbids it. */
function validating(): Moment {
  const moment = start(plan);
  const [first] = moment.job.history;
  if (first === undefined) throw new Error('a job without history');
  const entry = { ...first, seq: 1, from: 'PENDING', to: 'VALIDATING', reason: 'dispatched' } as const;
  return { ...moment, job: { ...moment.job, state: 'VALIDATING', history: [first, entry] } };
}

const JOBS: Readonly<Record<JobState, Moment>> = {
  PENDING: start(plan),
  VALIDATING: validating(),
  PROCESSING: given(plan).when(turn(), ok('a')),
  RETRY_SCHEDULED: given(plan).when(turn(), ok('a'), answered('b', notApplied('EXT_X', 60 * SECOND))),
  COMPENSATING: given(plan).when(turn(), ok('a'), refused('b'), turn()),
  NEEDS_REVIEW: given(plan).when(turn(), ok('a'), refused('b'), turn(), undoAnswered('a', refusal())),
  COMPLETED: given(plan).when(turn(), ok('a'), ok('b')),
  CANCELLED: given(plan).when(cancelled()),
  FAILED: given(plan).when(turn(), refused('a')),
  DEAD_LETTERED: given(plan, { source: 'sqs' }).when(turn(), refused('a')),
};

const operated = (action: 'resume' | 'retry_compensation' | 'close' | 'force_close'): JobEvent => ({
  type: 'operate',
  actor: 'operator:ann',
  reason: 'looked into it',
  evidence: null,
  expectedRevision: null,
  act: { action },
});

const STRANGE = { step: 'a', round: 0, attempt: 1, salt: 'none', expiresAt: Number.MAX_SAFE_INTEGER };

type Ask = (moment: Moment) => JobEvent;

const EVENTS: Readonly<Record<string, Ask>> = {
  'a turn': ({ job }) => ({ type: 'turn', driver: driverFor(job) }),
  'the success of b': (moment) => ({ type: 'results', results: [resultOf(moment, 'b', success())], driver: null }),
  'the refusal of b': (moment) => ({ type: 'results', results: [resultOf(moment, 'b', refusal())], driver: null }),
  'the undo of a': (moment) => ({
    type: 'results',
    results: [resultOf(moment, 'a', success(), { direction: 'undo' })],
    driver: null,
  }),
  'a strange result': (moment) => ({
    type: 'results',
    results: [{ ...resultOf(moment, 'a', success()), step: 'nobody' }],
    driver: driverFor(moment.job, { remainingMs: 0 }),
  }),
  'no result': () => ({ type: 'results', results: [], driver: null }),
  'a cancel': () => ({ type: 'cancel', actor: 'caller:c', reason: 'enough', expectedRevision: null }),
  'publishing all': ({ job }) => ({ type: 'published', upTo: job.history.length - 1, trimTo: 0 }),
  'publishing nothing': () => ({ type: 'published', upTo: -1, trimTo: 0 }),
  refiling: () => ({ type: 'refile' }),
  'a resume': () => operated('resume'),
  'a retry of the undo': () => operated('retry_compensation'),
  'a close': () => operated('close'),
  'a force-close': () => operated('force_close'),
  'a link to its replay': () => ({ type: 'linked', replayedBy: 'jother' }),
  'a recovery of what it did not leave': () => ({ type: 'recovered', step: 'a', round: 0, by: 'jother' }),
  'a token that is not its own': () => ({ type: 'callback', token: STRANGE, answer: success() }),
  'a signal nobody waits for': () => ({
    type: 'signal',
    actor: 'caller:c',
    signal: 'word',
    key: 'k',
    print: 'p',
    payload: null,
  }),
  'a gate that holds nothing of it': () => ({ type: 'released', gate: 'dependency:a', startAt: T0 }),
  'a decision that failed': () => ({ type: 'broken', message: 'the stored state contradicts the rules' }),
  'another version of the same': ({ plan: { version, ...same } }) => ({
    type: 'migrate',
    to: { ...same, version: version + 1 },
    actor: 'operator:ann',
    reason: 'a faster way',
    expectedRevision: null,
  }),
};

/** What comes of it: `-` is ignored, `!` refused, else the state that the job is in then. */
const ANSWERS: Readonly<Record<JobState, readonly string[]>> = {
  //                 turn            success of b     refusal of b      undo of a        strange      none
  PENDING: [
    'PROCESSING',
    '- unknown_operation',
    '- unknown_operation',
    '- unknown_operation',
    'PROCESSING',
    '- nothing_due',
  ],
  VALIDATING: ['PROCESSING', 'PROCESSING', 'PROCESSING', 'PROCESSING', 'PROCESSING', 'PROCESSING'],
  PROCESSING: ['- leased', 'COMPLETED', 'COMPENSATING', '- unknown_operation', '- unknown_operation', '- nothing_due'],
  RETRY_SCHEDULED: [
    '- nothing_due',
    'COMPLETED',
    'RETRY_SCHEDULED',
    '- unknown_operation',
    '- unknown_operation',
    '- nothing_due',
  ],
  COMPENSATING: ['- leased', 'COMPENSATING', '- late', 'FAILED', '- unknown_operation', '- nothing_due'],
  NEEDS_REVIEW: ['- nothing_due', 'NEEDS_REVIEW', '- late', 'NEEDS_REVIEW', '- unknown_operation', '- nothing_due'],
  COMPLETED: ['- terminal', '- terminal', '- terminal', '- terminal', '- unknown_operation', '- nothing_due'],
  CANCELLED: [
    '- terminal',
    '- unknown_operation',
    '- unknown_operation',
    '- unknown_operation',
    '- unknown_operation',
    '- nothing_due',
  ],
  FAILED: [
    '- terminal',
    '- unknown_operation',
    '- unknown_operation',
    '- unknown_operation',
    '- unknown_operation',
    '- nothing_due',
  ],
  DEAD_LETTERED: [
    '- terminal',
    '- unknown_operation',
    '- unknown_operation',
    '- unknown_operation',
    '- unknown_operation',
    '- nothing_due',
  ],
};

/** A job that cannot be decided about stops before it began, or waits for a person; one that has stopped, stays. */
const BROKEN: Readonly<Record<JobState, string>> = {
  PENDING: 'DEAD_LETTERED',
  VALIDATING: 'DEAD_LETTERED',
  PROCESSING: 'NEEDS_REVIEW',
  RETRY_SCHEDULED: 'NEEDS_REVIEW',
  COMPENSATING: 'NEEDS_REVIEW',
  NEEDS_REVIEW: '- nothing_due',
  COMPLETED: '- nothing_due',
  CANCELLED: '- nothing_due',
  FAILED: '- nothing_due',
  DEAD_LETTERED: '- nothing_due',
};

/** The rest, in the same order: cancel, publishing all and nothing, refile, four actions of a person, a link. */
const REST: Readonly<Record<JobState, readonly string[]>> = {
  PENDING: ['CANCELLED', 'PENDING', '- already_published', '- nothing_due', '!', '!', '!', 'DEAD_LETTERED', 'PENDING'],
  VALIDATING: [
    'CANCELLED',
    'VALIDATING',
    '- already_published',
    '- nothing_due',
    '!',
    '!',
    '!',
    'DEAD_LETTERED',
    'VALIDATING',
  ],
  PROCESSING: [
    'COMPENSATING',
    'PROCESSING',
    '- already_published',
    '- nothing_due',
    '!',
    '!',
    '!',
    'DEAD_LETTERED',
    'PROCESSING',
  ],
  RETRY_SCHEDULED: [
    'COMPENSATING',
    'RETRY_SCHEDULED',
    '- already_published',
    '- nothing_due',
    '!',
    '!',
    '!',
    'DEAD_LETTERED',
    'RETRY_SCHEDULED',
  ],
  COMPENSATING: [
    '!',
    'COMPENSATING',
    '- already_published',
    '- nothing_due',
    '!',
    '!',
    '!',
    'DEAD_LETTERED',
    'COMPENSATING',
  ],
  NEEDS_REVIEW: [
    '!',
    'NEEDS_REVIEW',
    '- already_published',
    '- nothing_due',
    '!',
    'COMPENSATING',
    '!',
    'DEAD_LETTERED',
    'NEEDS_REVIEW',
  ],
  COMPLETED: ['!', 'COMPLETED', '- already_published', '- nothing_due', '!', '!', '!', '!', 'COMPLETED'],
  CANCELLED: ['!', 'CANCELLED', '- already_published', '- nothing_due', '!', '!', '!', '!', 'CANCELLED'],
  FAILED: ['!', 'FAILED', '- already_published', '- nothing_due', '!', '!', '!', '!', 'FAILED'],
  DEAD_LETTERED: ['!', 'DEAD_LETTERED', '- already_published', '- nothing_due', '!', '!', '!', '!', 'DEAD_LETTERED'],
};

/** A job that is under way is moved only where both versions show that they are the same; these show nothing. */
const MIGRATED: Readonly<Record<JobState, string>> = {
  PENDING: 'PENDING',
  VALIDATING: 'VALIDATING',
  PROCESSING: '!',
  RETRY_SCHEDULED: '!',
  COMPENSATING: '!',
  NEEDS_REVIEW: '!',
  COMPLETED: '!',
  CANCELLED: '!',
  FAILED: '!',
  DEAD_LETTERED: '!',
};

function answerOf(moment: Moment): string {
  const { decision, job } = moment;
  if (decision?.status === 'ignored') return `- ${decision.reason}`;
  return decision?.status === 'refused' ? '!' : job.state;
}

describe('every state', () => {
  it('has a job to stand for it', () => {
    expect(JOB_STATES.map((state) => JOBS[state].job.state)).toEqual([...JOB_STATES]);
  });

  it('is asked about every type of event', () => {
    const types: Record<JobEvent['type'], true> = {
      turn: true,
      results: true,
      cancel: true,
      callback: true,
      signal: true,
      operate: true,
      published: true,
      linked: true,
      recovered: true,
      broken: true,
      refile: true,
      migrate: true,
      released: true,
    };
    const asked = new Set(Object.values(EVENTS).map((ask) => ask(JOBS.PROCESSING).type));
    expect([...asked].sort()).toEqual(Object.keys(types).sort());
  });

  const names = Object.keys(EVENTS);
  const rows = JOB_STATES.flatMap((state) =>
    names.map((name, index) => ({
      state,
      name,
      expected: [
        ...ANSWERS[state],
        ...REST[state],
        '- duplicate',
        '!',
        '!',
        '- nothing_due',
        BROKEN[state],
        MIGRATED[state],
      ][index],
    })),
  );
  it.each(rows)('$state: $name → $expected', ({ state, name, expected }) => {
    const moment = JOBS[state];
    const ask = EVENTS[name];
    if (ask === undefined) throw new Error(`no event ${name}`);
    const next = happens(moment, ask(moment));
    expect(answerOf(next)).toBe(expected);
    if (next.decision?.status === 'refused') {
      const own: Record<string, string> = { callback: 'ORCH_TOKEN_STALE', signal: 'ORCH_UNKNOWN_SIGNAL' };
      expect(next.decision.code).toBe(own[ask(moment).type] ?? 'ORCH_INVALID_STATE_TRANSITION');
    }
    if (next.decision?.status !== 'changed') expect(next.job).toBe(moment.job);
  });
});

describe('a job that is taken up', () => {
  it('is looked at, accepted and begun in one write', () => {
    const moment = given(plan).when(turn());
    expect(pathOf(moment.job)).toEqual(['PENDING', 'VALIDATING', 'PROCESSING']);
    expect([moment.job.revision, callsOf(moment)]).toEqual([1, ['a do 1']]);
    expect(new Set(moment.job.history.slice(1).map((entry) => entry.mark)).size).toBe(1);
  });

  it('starts the steps of a stage at once, and the next stage when all of them are settled', () => {
    const wide = workflow([[step('a'), step('b')], [step('c')]]);
    const half = given(wide).when(turn(), ok('b'));
    expect(callsOf(half)).toEqual(['a do 1', 'b do 1']);
    const moment = given(half).when(ok('a', { id: 2 }));
    expect(callsOf(moment).at(-1)).toBe('c do 1');
    expect(moment.calls.at(-1)?.body).toEqual({ of: 'c', seen: ['a', 'b'] });
  });

  it('shows no attempt of a step what its siblings answered meanwhile', () => {
    const wide = workflow([[step('a'), step('b')]]);
    const moment = given(wide).when(turn(), ok('b'), answered('a', notApplied()), later(SECOND), turn());
    expect(callsOf(moment).at(-1)).toBe('a do 2');
    expect(moment.calls.at(-1)?.body).toEqual(moment.calls[0]?.body);
  });

  it('ends with what the definition makes of its outputs', () => {
    const { job } = given(plan).when(turn(), ok('a'), ok('b'));
    expect(job).toMatchObject({ outcome: 'succeeded', output: { data: { done: ['a', 'b'] } }, nextActionAt: null });
  });

  it('fails before any call when a sibling cannot be mapped', () => {
    const throws = (): never => {
      throw new Error('no way');
    };
    const moment = given(workflow([[step('a'), step('b', { map: throws })]])).when(turn());
    expect(moment.calls).toEqual([]);
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', lastErrorCode: 'ORCH_MAPPING_FAILED' });
    expect(moment.job.errorLog.at(-1)).toMatchObject({ step: 'b', message: 'no way' });
  });

  it.each(['a:do', 'b:do', 'a:undo', 'b:find'])('fails before any call when %s leads nowhere', (topic) => {
    const asks = workflow([[step('a')], [step('b', { query: { topic: 'b:find' } })]]);
    const moment = given(asks, { unrouted: [topic] }).when(turn());
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', lastErrorCode: 'ORCH_UNROUTED_TOPIC' });
    expect([moment.calls.length, moment.job.lastErrorMessage]).toEqual([0, expect.stringContaining(topic)]);
  });

  it('keeps who holds a step, when it began, and the target that was chosen', () => {
    const moment = given(plan).when(later(3), turn());
    expect(stateOf(moment, 'a')).toMatchObject({ startedAt: T0 + 3, target: 'a', lease: { owner: 'p1:driver' } });
    expect(statusOf(moment, 'b')).toBe('pending');
  });
});
