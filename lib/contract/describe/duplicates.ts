/** When two submits are the same one, what a duplicate is answered, and what the same operation means to a participant. */
import { type ErrorCode, httpStatusOf } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { isTerminal, JOB_STATES, type JobState } from '../../core/states.ts';
import { code, facts, type Part, span, table, text } from './document.ts';

const refusal = (name: ErrorCode): string => `${httpStatusOf(name)} ${code(name)}`;

/** Where the key of a submit comes from when its caller gives none. */
const KEYS: readonly (readonly [door: string, key: string])[] = [
  ['HTTP, `Idempotency-Key`', 'the header'],
  [
    'HTTP without it',
    `caller, workflow type and canonical input, for ${span(LIMITS.keylessWindowMs)} from the first such submit`,
  ],
  ['queue', 'the message id'],
  ['bus', 'the event id'],
  ['batch', 'each item names its own'],
  ['replay', 'the dead letter: a second replay finds the first one'],
];

const CASES: readonly (readonly [what: string, answer: string])[] = [
  ['a new key', 'a new job'],
  ['the same key, the same payload', 'the job that is there, with `Idempotency-Replayed: true`'],
  [
    'the same key, another payload',
    `${refusal('ORCH_DUPLICATE_IDEMPOTENCY_KEY')}, naming where they differ and never a value; valid or not`,
  ],
  [
    'an input that does not fit the schema',
    `${refusal('CONTRACT_INPUT_INVALID')}; no job is made, the key stays unused`,
  ],
  ['the same key from another caller', 'a job of its own: keys are scoped by caller and workflow type'],
  ["the same key after its job failed, `onFailed: 'rerun'`", 'a linked job runs it again, if nothing was left behind'],
];

export interface DuplicateAnswer {
  readonly state: JobState;
  readonly plain: number;
  /** A status, or `error`: the one the job ended with. */
  readonly waiting: number | 'error' | 'waits';
}

/** What a duplicate is told about a job in each state, if it waits and if it does not. */
export function duplicateAnswers(): DuplicateAnswer[] {
  return JOB_STATES.map((state) => {
    const plain = isTerminal(state) ? 200 : 202;
    if (state === 'COMPLETED') return { state, plain, waiting: 201 };
    if (state === 'NEEDS_REVIEW') return { state, plain, waiting: 500 };
    return { state, plain, waiting: isTerminal(state) ? 'error' : 'waits' };
  });
}

const WAITING = { error: 'the error it ended with', waits: 'waits like the first, 202 when the time is over' } as const;

export function duplicates(): Part {
  return {
    name: 'idempotency',
    title: 'Idempotency and duplicates',
    blocks: [
      text(
        "A job's id is derived from caller, workflow type and key, so one conditional write both creates the job and finds",
        'the one that was there.',
      ),
      table(['comes by', 'its key'], KEYS),
      table(['what comes', 'what it gets'], CASES),
      table(
        ['a duplicate finds the job in', 'without waiting', 'with `Prefer: wait`'],
        duplicateAnswers().map(({ state, plain, waiting }) => [
          code(state),
          String(plain),
          typeof waiting === 'number' ? String(waiting) : WAITING[waiting],
        ]),
      ),
      text(
        'Towards participants: the same logical operation has the same id over retries, crashes and redelivery, different',
        'operations never share one. After a definitive refusal an operator’s retry is a new operation (`.r<n>`, `.undo.<n>`);',
        'after an unknown or transient end it is the same one. A success of any attempt settles the operation, a failure counts',
        'only from the current attempt.',
      ),
    ],
    facts: facts({
      keys: KEYS.map(([door, key]) => ({ door, key })),
      keyless_window_ms: LIMITS.keylessWindowMs,
      cases: CASES.map(([what, answer]) => ({ what, answer })),
      duplicates: duplicateAnswers(),
    }),
  };
}
