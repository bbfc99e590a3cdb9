/**
 * Jobs in every state and in every way there is to be in it, made by the rules themselves, each with what a person may do
 * to it then and where that leads. Whatever is not named here is refused.
 */
import { SAGA_POLICY } from '../../lib/core/errors.ts';
import { JOB_STATES, type JobState } from '../../lib/core/states.ts';
import {
  answered,
  cancelled,
  DAY,
  failed,
  given,
  later,
  lost,
  type Moment,
  notApplied,
  ok,
  operated,
  refusal,
  refused,
  SECOND,
  start,
  step,
  turn,
  undoAnswered,
  undone,
  workflow,
} from '../core/support.ts';

export interface Situation {
  readonly name: string;
  readonly moment: Moment;
  /** By the name of the action, the state that the job is in afterwards. */
  readonly allowed: Readonly<Record<string, JobState>>;
  /** What may be done to its dead letter. */
  readonly deadLetter: 'none' | 'under review' | 'open';
}

const FORCE = { 'force-close': 'DEAD_LETTERED' } as const;
const resolving = (name: string, resolutions: readonly string[], to: JobState = 'NEEDS_REVIEW') =>
  Object.fromEntries(resolutions.map((resolution) => [`resolve ${name} ${resolution}`, to]));
const anyOf = (name: string) => resolving(name, ['applied', 'not_applied', 'compensated']);
const told = (name: string, resolution: 'applied' | 'not_applied' | 'compensated') =>
  operated({ action: 'resolve', step: name, resolution, output: { id: 1 } });

const irreversible = step('i', { kind: 'irreversible', onUnknown: 'review' });
const reader = step('r', { kind: 'readOnly' });
const pair = workflow([[step('a'), step('b')]]);
const two = workflow([[step('a')], [step('b')]]);
const guarded = workflow([[step('a')], [step('b', { onUnknown: 'review' })]]);
const lone = workflow([[step('b', { onUnknown: 'review' })]]);
const thenFinal = workflow([[step('a')], [irreversible]]);
const finalThen = workflow([[irreversible], [reader]]);
const noUndo = workflow([[step('a', { undo: { none: 'only a line in a log' } })]]);
const beside = workflow([[step('a', { onUnknown: 'review' }), step('b')]]);
const rounds = workflow([[step('a')], [step('b', { retry: { EXT_: { maxAttempts: 1 } } })]], {
  sagaRetry: { ...SAGA_POLICY, jitter: 'none' },
});

/** A job that a driver left between looking at it and going on: never stored so, but nothing forbids it. */
function validating(): Moment {
  const moment = start(two);
  const [first] = moment.job.history;
  if (first === undefined) throw new Error('a job without history');
  const entry = { ...first, seq: 1, from: 'PENDING', to: 'VALIDATING', reason: 'dispatched' } as const;
  return { ...moment, job: { ...moment.job, state: 'VALIDATING', history: [first, entry] } };
}

const farRetry = (name: string) => answered(name, notApplied('EXT_X', 60 * SECOND));
const undoFailed = given(two).when(turn(), ok('a'), refused('b'), turn(), undoAnswered('a', refusal()));
const cancelledUndoFailed = given(two).when(turn(), ok('a'), cancelled(), lost('b'), turn(), undone('b'), turn());
const doubt = given(guarded).when(turn(), ok('a'), lost('b'));
const doubtAlone = given(lone).when(turn(), lost('b'));
const failedClean = given(two).when(turn(), refused('a'));

type Row = readonly [name: string, moment: Moment, allowed: Record<string, JobState>, dead?: Situation['deadLetter']];

const ROWS: readonly Row[] = [
  ['has not begun', start(two), { cancel: 'CANCELLED', ...FORCE }],
  ['is looked at', validating(), { cancel: 'CANCELLED', ...FORCE }],
  ['has an effect and a call out', given(two).when(turn(), ok('a')), { cancel: 'COMPENSATING', ...FORCE }],
  ['only reads', given(workflow([[reader]])).when(turn()), { cancel: 'CANCELLED', ...FORCE }],
  ['has its irreversible call out', given(thenFinal).when(turn(), ok('a')), FORCE],
  ['goes on after an irreversible success', given(finalThen).when(turn(), ok('i')), FORCE],
  [
    'waits to retry over an effect',
    given(two).when(turn(), ok('a'), farRetry('b')),
    { cancel: 'COMPENSATING', ...FORCE },
  ],
  ['waits to retry without any effect', given(two).when(turn(), farRetry('a')), { cancel: 'CANCELLED', ...FORCE }],
  ['waits to retry after an irreversible success', given(finalThen).when(turn(), ok('i'), farRetry('r')), FORCE],
  [
    'waits for the next round of its saga',
    given(rounds).when(turn(), ok('a'), failed('b'), turn(), undone('a')),
    { cancel: 'CANCELLED', ...FORCE },
  ],
  ['turned back while a call is out', given(pair).when(turn(), refused('b')), FORCE],
  ['has an undo out', given(two).when(turn(), ok('a'), refused('b'), turn()), FORCE],
  [
    'waits to retry an undo',
    given(two).when(turn(), ok('a'), refused('b'), turn(), undoAnswered('a', notApplied('EXT_X', 60 * SECOND))),
    FORCE,
  ],
  [
    'has an undo that failed',
    undoFailed,
    { 'retry-compensation': 'COMPENSATING', ...resolving('a', ['compensated'], 'FAILED'), ...FORCE },
    'under review',
  ],
  [
    'was cancelled and has an undo that failed',
    given(cancelledUndoFailed).when(undoAnswered('a', refusal())),
    { 'retry-compensation': 'COMPENSATING', ...resolving('a', ['compensated'], 'CANCELLED'), ...FORCE },
    'under review',
  ],
  [
    'is in doubt about one effect',
    doubt,
    { 'retry-compensation': 'COMPENSATING', ...resolving('a', ['compensated']), ...anyOf('b'), ...FORCE },
  ],
  [
    'had a doubt that was no effect',
    given(doubt).when(told('b', 'not_applied')),
    {
      resume: 'PROCESSING',
      'retry-compensation': 'COMPENSATING',
      ...resolving('a', ['compensated']),
      ...FORCE,
    },
  ],
  [
    'had a doubt that was an effect',
    given(doubt).when(told('b', 'applied')),
    {
      resume: 'COMPLETED',
      'retry-compensation': 'COMPENSATING',
      ...resolving('a', ['compensated']),
      ...resolving('b', ['compensated']),
      ...FORCE,
    },
  ],
  [
    'had a doubt that somebody took back',
    given(doubt).when(told('b', 'compensated')),
    { 'retry-compensation': 'COMPENSATING', ...resolving('a', ['compensated'], 'DEAD_LETTERED'), ...FORCE },
  ],
  [
    'is in doubt about an irreversible effect',
    given(thenFinal).when(turn(), ok('a'), lost('i')),
    { ...resolving('a', ['compensated']), ...anyOf('i'), ...FORCE },
  ],
  [
    'met its deadline after an irreversible success',
    given(finalThen).when(turn(), ok('i'), later(DAY), turn()),
    { resume: 'PROCESSING', ...resolving('i', ['compensated']), ...FORCE },
  ],
  [
    'failed and has nothing open',
    given(doubtAlone).when(told('b', 'not_applied')),
    { resume: 'PROCESSING', close: 'FAILED', ...FORCE },
  ],
  [
    'was cancelled and has nothing open',
    given(noUndo).when(turn(), cancelled(), lost('a'), told('a', 'applied')),
    { resume: 'COMPLETED', close: 'CANCELLED', ...resolving('a', ['compensated']), ...FORCE },
  ],
  [
    'waits for a word about one effect while another is in doubt too',
    given(beside).when(turn(), lost('b'), later(SECOND), turn(), farRetry('b'), lost('a')),
    { 'retry-compensation': 'COMPENSATING', ...anyOf('a'), ...anyOf('b'), ...FORCE },
  ],
  ['is complete', given(two).when(turn(), ok('a'), ok('b')), {}],
  ['failed clean', failedClean, {}],
  ['failed, and an effect came to light', given(failedClean).when(ok('a')), {}, 'open'],
  ['was cancelled', given(two).when(cancelled()), {}],
  ['is quarantined', given(two, { source: 'sqs' }).when(turn(), refused('a')), {}, 'open'],
  ['was forced to close', given(doubt).when(operated({ action: 'force_close' })), {}, 'open'],
];

export const SITUATIONS: readonly Situation[] = ROWS.map(([name, moment, allowed, deadLetter = 'none']) => ({
  name: `${moment.job.state}: one that ${name}`,
  moment,
  allowed,
  deadLetter,
}));

export const COVERED_STATES = new Set(SITUATIONS.map(({ moment }) => moment.job.state));
export const ALL_STATES = new Set(JOB_STATES);

/** Every action a person can name, for the steps of this job. */
export function actionsOn({ job }: Moment): readonly string[] {
  const resolutions = job.steps.flatMap(({ name }) =>
    ['applied', 'not_applied', 'compensated'].map((resolution) => `resolve ${name} ${resolution}`),
  );
  return ['cancel', 'resume', 'retry-compensation', 'close', 'force-close', ...resolutions];
}
