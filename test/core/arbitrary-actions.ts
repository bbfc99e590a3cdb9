/**
 * Anything that may happen to a job, right or wrong, early, late or twice, as small numbers that mean something only
 * against a moment: which call is answered, and how. So a failing run shrinks.
 */
import fc from 'fast-check';
import type { Answer } from '../../lib/core/answers.ts';
import type {
  Direction,
  Driver,
  DriverKind,
  JobEvent,
  OperatorAct,
  Resolution,
  Result,
} from '../../lib/core/events.ts';
import { forwardOperationId, lastEntry, undoOperationId } from '../../lib/core/job.ts';
import { driverKindOf } from '../../lib/core/schedule.ts';
import {
  BAD_OUTPUT,
  DAY,
  doubt,
  MINUTE,
  type Moment,
  notApplied,
  notFound,
  promised,
  refusal,
  revoked,
  SECOND,
  success,
} from './support.ts';

interface DriverSpec {
  readonly kind: DriverKind | null;
  readonly owner: number;
  readonly remainingMs: number;
}

interface AnswerSpec {
  /** Counted from the newest call. */
  readonly call: number;
  readonly how: number;
}

interface Forgery {
  readonly step: number;
  readonly direction: Direction;
  readonly attempt: number;
  readonly operation: 'own' | 'undo' | 'undo.2' | 'r1' | 'strange';
  readonly how: number;
}

interface ActSpec {
  readonly action: OperatorAct['action'];
  readonly step: number;
  readonly resolution: Resolution;
  readonly withOutput: boolean;
}

/** What is wrong with a token; null: nothing, it is the step's own. */
type Forged = 'attempt' | 'round' | 'salt' | 'expiry' | null;

export type Action =
  | { readonly do: 'turn'; readonly driver: DriverSpec }
  | { readonly do: 'answer'; readonly answers: readonly AnswerSpec[]; readonly driver: DriverSpec | null }
  | { readonly do: 'forge'; readonly forgery: Forgery; readonly driver: DriverSpec | null }
  | { readonly do: 'cancel'; readonly revision: 'any' | 'right' | 'wrong' }
  | { readonly do: 'operate'; readonly act: ActSpec }
  | { readonly do: 'callback'; readonly step: number; readonly how: number; readonly forged: Forged }
  | { readonly do: 'signal'; readonly step: number; readonly key: number; readonly word: number }
  | { readonly do: 'published'; readonly back: number; readonly trim: number }
  | { readonly do: 'refile' }
  | { readonly do: 'wait'; readonly ms: number }
  /** Until the job's own next action. */
  | { readonly do: 'skip' }
  /** A restart of the one process: every lease before it is dead. */
  | { readonly do: 'restart' };

const DO_ANSWERS: readonly Answer[] = [
  ...Array.from({ length: 16 }, () => success()),
  success(BAD_OUTPUT),
  promised,
  refusal(),
  refusal('CONTRACT_CONFLICT'),
  notApplied(),
  notApplied('EXT_UNAVAILABLE', 3 * SECOND),
  doubt(),
  doubt('EXT_UNEXPECTED'),
  doubt('STRANGE_CODE'),
  revoked,
  notFound,
];

const QUERY_ANSWERS: readonly Answer[] = [
  success({ state: 'applied', output: { id: 1 } }),
  success({ state: 'applied', output: BAD_OUTPUT }),
  success({ state: 'applied' }),
  success({ state: 'not_applied' }),
  success({ state: 'not_applied', fenced: true }),
  success({ state: 'running' }),
  success({ state: 'unknown' }),
  success('nonsense'),
  promised,
  refusal(),
  doubt(),
];

export function answerAt(direction: Direction, how: number): Answer {
  const answers = direction === 'query' ? QUERY_ANSWERS : DO_ANSWERS;
  return answers[how % answers.length] ?? success();
}

const driver: fc.Arbitrary<DriverSpec> = fc.record({
  /** null: the kind that the job needs now. */
  kind: fc.constantFrom<(DriverKind | null)[]>(null, null, null, 'forward', 'recovery'),
  owner: fc.nat({ max: 2 }),
  remainingMs: fc.constantFrom(115 * SECOND, 115 * SECOND, 115 * SECOND, 900 * SECOND, 900 * SECOND, SECOND, 0),
});
const how = fc.nat({ max: DO_ANSWERS.length * QUERY_ANSWERS.length - 1 });
/** Mostly the calls that are out now, sometimes one of long ago. */
const call = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 2 }) }, { weight: 1, arbitrary: fc.nat({ max: 12 }) });

const forgery: fc.Arbitrary<Forgery> = fc.record({
  step: fc.nat({ max: 11 }),
  direction: fc.constantFrom<Direction[]>('do', 'do', 'undo', 'query'),
  attempt: fc.nat({ max: 7 }),
  operation: fc.constantFrom<Forgery['operation'][]>('own', 'own', 'own', 'undo', 'undo.2', 'r1', 'strange'),
  how,
});

const act: fc.Arbitrary<ActSpec> = fc.record({
  action: fc.constantFrom<OperatorAct['action'][]>(
    'resume',
    'resume',
    'retry_compensation',
    'retry_compensation',
    'resolve',
    'resolve',
    'resolve',
    'close',
    'close',
    'force_close',
    'approve',
    'approve',
  ),
  step: fc.nat({ max: 11 }),
  resolution: fc.constantFrom<Resolution[]>('applied', 'not_applied', 'compensated'),
  withOutput: fc.boolean(),
});

const forged = fc.constantFrom<Forged[]>(null, null, null, null, 'attempt', 'round', 'salt', 'expiry');

const WAITS = [
  1,
  200,
  SECOND,
  SECOND,
  2 * SECOND,
  2 * SECOND,
  6 * SECOND,
  6 * SECOND,
  15 * SECOND,
  MINUTE,
  10 * MINUTE,
];
const revision = fc.constantFrom<('any' | 'right' | 'wrong')[]>('any', 'right', 'wrong');

/** One kind of action with its members. */
function doing<K extends Action['do'], M extends object>(kind: K, members: { [N in keyof M]: fc.Arbitrary<M[N]> }) {
  return fc.record(members).map((drawn) => ({ do: kind, ...drawn }));
}

export const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 12, arbitrary: doing('turn', { driver }) },
  {
    weight: 20,
    arbitrary: doing('answer', {
      answers: fc.array(fc.record({ call, how }), { minLength: 1, maxLength: 3 }),
      driver: fc.option(driver, { freq: 4 }),
    }),
  },
  { weight: 4, arbitrary: doing('forge', { forgery, driver: fc.option(driver) }) },
  { weight: 1, arbitrary: doing('cancel', { revision }) },
  { weight: 3, arbitrary: doing('operate', { act }) },
  { weight: 3, arbitrary: doing('callback', { step: fc.nat({ max: 11 }), how, forged }) },
  {
    weight: 2,
    arbitrary: doing('signal', { step: fc.nat({ max: 11 }), key: fc.nat({ max: 1 }), word: fc.nat({ max: 2 }) }),
  },
  { weight: 2, arbitrary: doing('published', { back: fc.nat({ max: 4 }), trim: fc.nat({ max: 40 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'refile' } as const) },
  { weight: 6, arbitrary: doing('wait', { ms: fc.constantFrom(...WAITS) }) },
  { weight: 1, arbitrary: doing('wait', { ms: fc.constantFrom(3_600_000, DAY) }) },
  { weight: 4, arbitrary: fc.constant({ do: 'skip' } as const) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' } as const) },
);

/** How often the process was started so far: owners carry it, as those of embedded mode do. */
export interface Boots {
  count: number;
}

export function eventOf(action: Action, moment: Moment, boots: Boots): JobEvent | null {
  const driverOf = (spec: DriverSpec | null): Driver | null => (spec === null ? null : toDriver(spec, moment, boots));
  switch (action.do) {
    case 'turn':
      return { type: 'turn', driver: toDriver(action.driver, moment, boots) };
    case 'answer': {
      const results = action.answers.flatMap((one) => toResult(one, moment));
      return results.length === 0 ? null : { type: 'results', results, driver: driverOf(action.driver) };
    }
    case 'forge':
      return { type: 'results', results: [forge(action.forgery, moment)], driver: driverOf(action.driver) };
    case 'cancel': {
      const expectedRevision =
        action.revision === 'any' ? null : moment.job.revision + (action.revision === 'right' ? 0 : 1);
      return { type: 'cancel', actor: 'caller:caller', reason: 'enough', expectedRevision };
    }
    case 'operate':
      return { type: 'operate', ...BY_ANN, act: toAct(action.act, moment) };
    case 'callback':
      return callbackBy(action, moment);
    case 'signal':
      return signalBy(action, moment);
    case 'published':
      return publishedBy(action, moment);
    case 'refile':
      return { type: 'refile' };
    case 'wait':
    case 'skip':
    case 'restart':
      return null;
  }
}

/** With the step's own token, or with one that is wrong in one place. */
function callbackBy({ step, how, forged }: Extract<Action, { do: 'callback' }>, { job }: Moment): JobEvent | null {
  const state = job.steps[step % job.steps.length];
  if (state?.callback == null) return null;
  const { salt, attempt, expiresAt } = state.callback;
  const token = { step: state.name, round: state.round, salt, attempt, expiresAt };
  const wrong = {
    attempt: { attempt: attempt - 1 },
    round: { round: state.round + 1 },
    salt: { salt: `${salt.slice(1)}x` },
    expiry: { expiresAt: expiresAt + 1 },
  };
  const answers = [null, success({ decision: 'approved' }), success({ decision: 'declined' }), answerAt('do', how)];
  const answer = answers[how % answers.length] ?? null;
  // Nobody promises by callback: it is the answer.
  if (answer?.kind === 'accepted') return null;
  return { type: 'callback', token: forged === null ? token : { ...token, ...wrong[forged] }, answer };
}

function signalBy({ step, key, word }: Extract<Action, { do: 'signal' }>, { job }: Moment): JobEvent {
  const payload = word === 2 ? BAD_OUTPUT : { word };
  const signal = job.steps[step % job.steps.length]?.name ?? '';
  return { type: 'signal', actor: 'caller:caller', signal, key: `k${key}`, print: String(word), payload };
}

const BY_ANN = { actor: 'operator:ann', reason: 'looked into it', evidence: null, expectedRevision: null } as const;

function toAct({ action, step, resolution, withOutput }: ActSpec, { job }: Moment): OperatorAct {
  const name = job.steps[step % job.steps.length]?.name ?? '';
  if (action === 'approve') return { action, step: name, decision: withOutput ? 'approved' : 'declined' };
  if (action !== 'resolve') return { action };
  return { action, step: name, resolution, output: withOutput ? { id: 1 } : undefined };
}

/** As `publish` does it: up to an entry that exists, and moving out only what is published and older than the newest. */
function publishedBy({ back, trim }: { back: number; trim: number }, { job }: Moment): JobEvent {
  const first = job.history[0]?.seq ?? 0;
  const upTo = Math.max(-1, lastEntry(job).seq - back);
  const movable = Math.min(upTo + 1, lastEntry(job).seq);
  return { type: 'published', upTo, trimTo: Math.max(first, Math.min(first + trim, movable)) };
}

function toDriver({ kind, owner, remainingMs }: DriverSpec, { job }: Moment, boots: Boots): Driver {
  return { kind: kind ?? driverKindOf(job), owner: `p${boots.count}:${owner}`, remainingMs };
}

function toResult({ call: back, how: chosen }: AnswerSpec, { calls, now }: Moment): Result[] {
  const made = calls.at(-1 - (back % Math.max(1, calls.length)));
  if (made === undefined) return [];
  const { step, direction, operationId, attempt } = made;
  return [{ step, direction, operationId, attempt, at: now, answer: answerAt(direction, chosen) }];
}

function forge({ step, direction, attempt, operation, how: chosen }: Forgery, { job, now }: Moment): Result {
  const state = job.steps[step % job.steps.length] ?? job.steps[0];
  if (state === undefined) throw new Error('a plan without steps');
  const own = direction === 'undo' ? undoOperationId(job, state) : forwardOperationId(job, state);
  const ids = {
    own,
    undo: `${own}.undo`,
    'undo.2': `${forwardOperationId(job, state)}.undo.2`,
    r1: `${own}.r1`,
    strange: 'x',
  };
  return {
    step: operation === 'strange' ? 'no-such-step' : state.name,
    direction,
    operationId: ids[operation],
    attempt,
    at: now,
    answer: answerAt(direction, chosen),
  };
}
