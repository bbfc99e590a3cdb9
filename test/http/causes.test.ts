/**
 * From the cause to everything that is told of it: for every prefix and every listed code, by every door, with and without
 * the workflow's own wish: the end, why the job stopped, the dead letter and its reason, and what a waiting caller hears.
 */
import { describe, expect, it } from 'vitest';
import { deadLetterOf } from '../../lib/contract/wire-quarantine.ts';
import { ERRORS } from '../../lib/core/errors.ts';
import { type Job, type JobSource, lastEntry } from '../../lib/core/job.ts';
import { consequencesOf } from '../../lib/core/outbox.ts';
import { waitingAnswer } from '../../lib/http/waiting-answer.ts';
import {
  cancelled,
  DAY,
  given,
  later,
  type Moment,
  ok,
  refused,
  type StartOptions,
  step,
  turn,
  undone,
  until,
  type When,
  workflow,
} from '../core/support.ts';

/** As contracts.md §5 has them, written down a second time on purpose. */
const BY_PREFIX = [
  { prefix: 'EXT_', retryable: true, http: 503, business: false },
  { prefix: 'ORCH_RETRYABLE_', retryable: true, http: 503, business: false },
  { prefix: 'DQ_', retryable: false, http: 422, business: true },
  { prefix: 'LEGAL_', retryable: false, http: 422, business: true },
  { prefix: 'CONTRACT_', retryable: false, http: 422, business: true },
] as const;
const OTHER = { prefix: '', retryable: false, http: 500, business: false } as const;
const HTTP: Readonly<Record<string, number>> = {
  EXT_TIMEOUT: 504,
  EXT_THROTTLED: 429,
  ORCH_RETRYABLE_THROTTLED: 429,
  CONTRACT_CONFLICT: 409,
  CONTRACT_NOT_FOUND: 404,
  CONTRACT_OUTPUT_INVALID: 500,
  CONTRACT_UNKNOWN_TOPIC: 500,
};
/** They bear the prefix, but say that we are wrong, not the caller. */
const OURS = ['CONTRACT_INPUT_INVALID', 'CONTRACT_OUTPUT_INVALID', 'CONTRACT_UNKNOWN_TOPIC'];
const SOURCES: readonly JobSource[] = [
  'api',
  'batch',
  'sqs',
  'sns',
  'eventbridge',
  'schedule',
  'stream',
  'child',
  'replay',
];
const MADE_UP = [
  'EXT_WEATHER',
  'ORCH_RETRYABLE_MOON',
  'DQ_EMAIL',
  'LEGAL_AGE',
  'CONTRACT_SEAL',
  'CARD_EXPIRED',
  'card.lost',
];
const LISTED = Object.keys(ERRORS).filter((code) => BY_PREFIX.some(({ prefix }) => code.startsWith(prefix)));

const plans = (['default', 'always'] as const).map((quarantine) =>
  workflow([[step('a')], [step('b')]], { quarantine }),
);
const nextTry = until(({ job }) => job.steps[1]?.nextAttemptAt);

/** The second step is refused with the code until nobody tries any more, and the first is undone. */
function failsWith(code: string, plan: (typeof plans)[number], options: StartOptions): Moment {
  let moment = given(plan, options).when(turn(), ok('a'));
  for (let tries = 0; tries < 30 && moment.job.turnBack === null; tries += 1) {
    moment = given(moment).when(refused('b', code), nextTry, turn());
  }
  return given(moment).when(turn(), undone('a'));
}

function toldOf({ job, plan }: Moment) {
  const last = consequencesOf(job, job.history, -1).some(({ record }) => record);
  const record = last ? deadLetterOf(job, plan, job.history, lastEntry(job)) : null;
  const answer = waitingAnswer(job, plan);
  return {
    state: job.state,
    outcome: job.outcome,
    code: job.lastErrorCode,
    stopped: job.stoppedReason,
    reason: record?.reason ?? null,
    eligible: record?.body.replay_eligible ?? null,
    http: answer.kind === 'problem' ? answer.problem.status : answer.status,
    said: answer.kind === 'problem' ? answer.problem.code : null,
  };
}

describe.each([...LISTED, ...MADE_UP])('%s', (code) => {
  // The longest prefix is the one that counts.
  const meaning = BY_PREFIX.find(({ prefix }) => code.startsWith(prefix)) ?? OTHER;
  const rows = plans.flatMap((plan) => SOURCES.map((source) => ({ plan, source, quarantine: plan.quarantine })));

  it.each(rows)('by $source, quarantine $quarantine', ({ plan, source }) => {
    const answersTheCaller = meaning.business && !OURS.includes(code) && (source === 'api' || source === 'batch');
    const aside = !(answersTheCaller && plan.quarantine === 'default');
    const patience = meaning.retryable ? 'max_retries_exceeded' : 'unrecoverable_error';
    expect(toldOf(failsWith(code, plan, { source }))).toEqual({
      state: aside ? 'DEAD_LETTERED' : 'FAILED',
      outcome: 'rolled_back',
      code,
      stopped: meaning.retryable ? 'ORCH_RETRY_BUDGET_EXHAUSTED' : code,
      reason: aside ? patience : null,
      eligible: aside ? true : null,
      http: HTTP[code] ?? meaning.http,
      said: code,
    });
  });
});

describe('by the clock or by a person', () => {
  const [plan = workflow([])] = plans;
  const late: When[] = [turn(), ok('a'), later(DAY), turn(), turn(), undone('b'), turn(), undone('a')];

  it.each(SOURCES)('a deadline is patience that ran out, by %s', (source) => {
    expect(toldOf(given(plan, { source }).when(...late))).toEqual({
      state: 'DEAD_LETTERED',
      outcome: 'rolled_back',
      code: 'EXT_TIMEOUT',
      stopped: 'ORCH_DEADLINE_EXCEEDED',
      reason: 'max_retries_exceeded',
      eligible: true,
      http: 504,
      said: 'ORCH_DEADLINE_EXCEEDED',
    });
  });

  it.each(SOURCES)('a cancel is no failure and nothing to put aside, by %s', (source) => {
    const waits = given(plan, { source }).when(
      turn(),
      ok('a'),
      refused('b', 'EXT_X'),
      cancelled(),
      turn(),
      undone('a'),
    );
    const fresh = given(plan, { source }).when(cancelled());
    const told = {
      state: 'CANCELLED',
      outcome: 'rolled_back',
      stopped: 'ORCH_CANCELLED',
      reason: null,
      eligible: null,
    };
    const heard = { http: 409, said: 'ORCH_CANCELLED' };
    expect(toldOf(waits)).toEqual({ ...told, ...heard, code: 'EXT_X' });
    expect(toldOf(fresh)).toEqual({ ...told, ...heard, code: 'ORCH_CANCELLED' });
  });

  it('every end tells the same to whoever asks again later', () => {
    const { job }: { job: Job } = failsWith('EXT_WEATHER', plan, {});
    const again = { ...job, revision: job.revision + 5, publishedSeq: lastEntry(job).seq };
    expect(waitingAnswer(again, plan)).toEqual(waitingAnswer(job, plan));
  });
});
