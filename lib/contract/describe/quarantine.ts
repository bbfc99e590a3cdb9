/** Which jobs are quarantined and why, and what is to be checked before a dead letter is replayed or discarded. */
import { type ErrorCode, httpStatusOf, isBusinessRefusal, PREFIX_POLICIES } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { DEAD_LETTER_REASONS } from '../requests.ts';
import { code, facts, list, type Part, span, table, text } from './document.ts';

type Reason = (typeof DEAD_LETTER_REASONS)[number];

const REASONS: Readonly<Record<Reason, string>> = {
  max_retries_exceeded: 'retries, the retry budget or the deadline are used up',
  unrecoverable_error: 'an error that is not retried',
  compensation_failed: 'an undo failed for good, or an effect showed up after the job had stopped',
  invariant_broken: 'what is stored contradicts the rules',
  poison_message: 'a message that is no submit; its raw text is the payload',
};

interface Check {
  readonly what: string;
  /** The refusal that dacapo itself answers with; null where only a person can know. */
  readonly refused: ErrorCode | null;
}

const BEFORE_REPLAY: readonly Check[] = [
  { what: 'The job has ended: one in review is settled and closed first', refused: 'ORCH_INVALID_STATE_TRANSITION' },
  {
    what: 'The dead letter is open: each is replayed once, a second request answers the same job',
    refused: 'ORCH_INVALID_STATE_TRANSITION',
  },
  { what: 'The original input and trace context are there', refused: 'ORCH_REPLAY_CONTEXT_MISSING' },
  {
    what: 'An edited input fits the schema; where it differs is recorded with the new job',
    refused: 'CONTRACT_INPUT_INVALID',
  },
  { what: 'A reason is given', refused: 'ORCH_MALFORMED_REQUEST' },
  { what: 'Whoever asks is an operator', refused: 'ORCH_FORBIDDEN' },
  {
    what: 'The cause is gone: read `failure_summary` and `error_log`, then look at the dependency or correct the input',
    refused: null,
  },
  {
    what: '`open_effects` is empty, or what it names was settled by hand: the replay has new operations and meets none of the old ones',
    refused: null,
  },
  { what: 'The caller still wants it: time has passed, and it was told that the job failed', refused: null },
];

const BEFORE_DISCARD: readonly Check[] = [
  { what: 'The job has ended', refused: 'ORCH_INVALID_STATE_TRANSITION' },
  { what: 'The dead letter is open', refused: 'ORCH_INVALID_STATE_TRANSITION' },
  { what: 'A reason is given, by an operator', refused: 'ORCH_MALFORMED_REQUEST' },
  {
    what: 'Nothing is left behind that nobody else knows of: discarding ends the last reminder of `open_effects`',
    refused: null,
  },
  { what: 'The caller knows that nothing more will come', refused: null },
];

export function quarantine(): Part {
  const refusals = PREFIX_POLICIES.filter(({ prefix }) => isBusinessRefusal(prefix)).map(({ prefix }) => code(prefix));
  return {
    name: 'dead-letters',
    title: 'Dead letters and replay',
    blocks: [
      text(
        'A job that failed is quarantined, with an alert, unless all of this holds: it was rolled back cleanly, its last error',
        `is a refusal (${refusals.join(', ')}), and it came by \`api\` or \`batch\`, so that its caller has the answer.`,
        "A workflow that says `quarantine: 'always'` quarantines those too, and a policy with `deadLetterOnExhaustion: false`",
        'keeps a job out whose retries are used up.',
      ),
      table(
        ['reason', 'means'],
        DEAD_LETTER_REASONS.map((reason) => [code(reason), REASONS[reason]]),
      ),
      text('Nothing is ever replayed or discarded by itself.', '**Before a replay:**'),
      list(BEFORE_REPLAY.map(checkItem)),
      text('**Before a discard:**'),
      list(BEFORE_DISCARD.map(checkItem)),
      text(
        `A dead letter lives as long as its job, ${span(LIMITS.jobRetentionMs)} after its end. Who replayed or discarded it, when and why, is in the record and in the audit.`,
      ),
    ],
    facts: facts({
      business_refusals: PREFIX_POLICIES.filter(({ prefix }) => isBusinessRefusal(prefix)).map(({ prefix }) => prefix),
      reasons: REASONS,
      before_replay: BEFORE_REPLAY,
      before_discard: BEFORE_DISCARD,
      retention_ms: LIMITS.jobRetentionMs,
    }),
  };
}

function checkItem({ what, refused }: Check): string {
  return `[ ] ${what} — ${refused === null ? '**yours to check**' : `else refused, ${httpStatusOf(refused)} ${code(refused)}`}`;
}
