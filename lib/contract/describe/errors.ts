/** The error taxonomy: how an answer is read, how each code is treated, and how long retrying takes, worked out. */
import { STATUSES, type StatusMeaning } from '../../core/answers.ts';
import { OUR_OWN_CONTRACT_ERRORS } from '../../core/ends.ts';
import {
  ERRORS,
  isBusinessRefusal,
  PREFIX_POLICIES,
  policyFor,
  type RetryPolicy,
  SAGA_POLICY,
  UNDO_POLICY,
} from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import { backoffMs, planRetry } from '../../core/retry.ts';
import { code, facts, type Part, span, table, text } from './document.ts';

const CLASSES: Readonly<Record<StatusMeaning['class'], string>> = {
  success: 'succeeded; the body is the output',
  accepted: 'goes on; a callback or a result message follows',
  refused: 'failed, not retried; did not apply',
  not_applied: 'retried; this attempt did not apply',
  may_have_applied: 'retried under the same operation; **may have applied**',
};

export function answers(): Part {
  const rows = Object.entries(STATUSES);
  return {
    name: 'answers',
    title: 'How an answer is read',
    blocks: [
      table(
        ['status of the participant', 'taken as', 'code if the body gives none'],
        rows.map(([status, meaning]) => [
          code(status),
          CLASSES[meaning.class],
          meaning.code === null ? '' : code(meaning.code),
        ]),
      ),
      text(
        'Any other status, a function error, a broken connection and no answer in time may have applied. A body that says',
        '`code` and `applied` decides both for its attempt. A step that only reads is never in doubt: it is asked again.',
      ),
    ],
    facts: facts(STATUSES),
  };
}

/** What is known of codes in general, from the longest prefix that fits to the last row for all others. */
export function errorMatrix(): Part {
  const codes = Object.entries(ERRORS);
  return {
    name: 'errors',
    title: 'Error policy matrix',
    blocks: [
      text(
        'The longest prefix that fits a code decides, unless `errors.json` or a definition overrides it: for a prefix, for a',
        'code, for a workflow or for one step. An undo and a whole saga are retried by policies of their own.',
      ),
      table(
        ['policy', 'retried', 'attempts', 'base', 'multiplier', 'cap', 'jitter', 'dead letter when used up', 'HTTP'],
        policies().map(({ name, http, policy }) => policyRow(name, http, policy)),
      ),
      table(
        ['code', 'meaning', 'HTTP', 'retried', 'business refusal'],
        codes.map(([name, { http, meaning }]) => [
          code(name),
          meaning,
          String(http),
          policyFor(name, []).retryable ? 'yes' : '',
          answersItsCaller(name) ? 'yes' : '',
        ]),
      ),
      text(
        'A *business refusal* that was rolled back cleanly answers its caller and is not quarantined. HTTP is the status for a',
        'caller who waited.',
      ),
    ],
    facts: facts({
      policies: policies(),
      codes: codes.map(([name, meaning]) => ({
        code: name,
        ...meaning,
        policy: policyFor(name, []),
        business_refusal: answersItsCaller(name),
      })),
    }),
  };
}

/** Some of our own codes bear a participant's prefix; no participant refused anything with them. */
function answersItsCaller(name: string): boolean {
  return isBusinessRefusal(name) && !OUR_OWN_CONTRACT_ERRORS.includes(name);
}

interface NamedPolicy {
  readonly name: string;
  readonly http: number | null;
  readonly policy: RetryPolicy;
}

function policies(): NamedPolicy[] {
  return [
    ...PREFIX_POLICIES.map(({ prefix, http, policy }) => ({
      name: prefix === '' ? 'any other' : prefix,
      http,
      policy,
    })),
    { name: 'an undo', http: null, policy: UNDO_POLICY },
    { name: 'a saga as a whole', http: null, policy: SAGA_POLICY },
  ];
}

function policyRow(name: string, http: number | null, policy: RetryPolicy): string[] {
  const shown = /[A-Z]_$/.test(name) ? code(name) : name;
  const numbers = policy.retryable
    ? [
        String(policy.maxAttempts),
        `${policy.backoffBaseSeconds} s`,
        `× ${policy.backoffMultiplier}`,
        `${policy.maxBackoffSeconds} s`,
        policy.jitter,
      ]
    : ['1', '', '', '', ''];
  return [
    shown,
    policy.retryable ? 'yes' : 'no',
    ...numbers,
    policy.deadLetterOnExhaustion ? 'yes' : 'no',
    http === null ? '' : String(http),
  ];
}

export interface WorkedDelay {
  readonly after_attempt: number;
  /** With full jitter anything from 0 to this. */
  readonly delay_ms_max: number;
  readonly total_ms_max: number;
}

/** Every wait between the attempts a policy grants, as `planRetry` would plan it at its longest. */
export function workedDelays(policy: RetryPolicy): WorkedDelay[] {
  const delays: WorkedDelay[] = [];
  let total = 0;
  for (let index = 0; planRetry(policy, index, 0).again; index += 1) {
    const most = backoffMs(policy, index);
    total += most;
    delays.push({ after_attempt: index + 1, delay_ms_max: most, total_ms_max: total });
  }
  return delays;
}

export function retryPlan(): Part {
  const retried = policies().filter(({ policy }) => policy.retryable);
  const alike = new Map<string, NamedPolicy[]>();
  for (const one of retried) {
    const key = JSON.stringify(workedDelays(one.policy));
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  const shown = [...alike.values()].flatMap((group) => (group[0] === undefined ? [] : [{ group, first: group[0] }]));
  return {
    name: 'retries',
    title: 'Retry plan',
    blocks: [
      text(
        'delay = min(cap, base × multiplier^index), index from 0; full jitter then takes anything from 0 to that, and a',
        "participant's longer `retry-after` wins.",
        `A wait of ${span(LIMITS.parkThresholdMs)} or more is parked: the job is \`RETRY_SCHEDULED\`, and a timer and the watchdog both wake it.`,
        `A job has ${LIMITS.maxRetriesDefault} retries for all its steps together and ${span(LIMITS.jobDeadlineMsDefault)} in all, unless its definition says otherwise.`,
      ),
      ...shown.flatMap(({ group, first }) => [
        text(`**${group.map(({ name }) => name).join(', ')}**: ${first.policy.maxAttempts} attempts.`),
        table(
          ['after attempt', 'waits at most', 'waited in all at most'],
          workedDelays(first.policy).map((one) => [
            String(one.after_attempt),
            span(one.delay_ms_max),
            span(one.total_ms_max),
          ]),
        ),
      ]),
    ],
    facts: facts({
      park_threshold_ms: LIMITS.parkThresholdMs,
      max_retries: LIMITS.maxRetriesDefault,
      deadline_ms: LIMITS.jobDeadlineMsDefault,
      policies: retried.map(
        ({ name, policy }): JsonObject => facts({ name, delays: workedDelays(policy) }) as JsonObject,
      ),
    }),
  };
}
