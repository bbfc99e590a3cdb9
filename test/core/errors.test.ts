/** The error taxonomy against the contract's table, and what a participant's answer is taken as. */
import { describe, expect, it } from 'vitest';
import { failure, isStatus, readAnswer, STATUSES } from '../../lib/core/answers.ts';
import { ERRORS, httpStatusOf, isBusinessRefusal, isErrorCode } from '../../lib/core/errors.ts';

/** Codes that have an HTTP status in the contract, grouped by it. */
const HTTP: Readonly<Record<number, readonly string[]>> = {
  400: ['ORCH_MALFORMED_REQUEST'],
  401: ['ORCH_UNAUTHENTICATED', 'ORCH_TOKEN_INVALID'],
  403: ['ORCH_FORBIDDEN'],
  404: ['ORCH_UNKNOWN_WORKFLOW', 'ORCH_UNKNOWN_JOB', 'CONTRACT_NOT_FOUND'],
  409: [
    'CONTRACT_CONFLICT',
    'ORCH_DUPLICATE_IDEMPOTENCY_KEY',
    'ORCH_INVALID_STATE_TRANSITION',
    'ORCH_CANCELLED',
    'ORCH_DEAD_LETTER_REQUIRED',
    'ORCH_REPLAY_CONTEXT_MISSING',
    'ORCH_TOKEN_STALE',
  ],
  410: ['ORCH_TOKEN_EXPIRED', 'ORCH_TOKEN_USED'],
  413: ['ORCH_PAYLOAD_TOO_LARGE'],
  422: ['CONTRACT_INPUT_INVALID', 'CONTRACT_VALIDATION_ERROR', 'DQ_ANY', 'LEGAL_ANY', 'CONTRACT_ANY'],
  429: ['EXT_THROTTLED', 'ORCH_RETRYABLE_THROTTLED'],
  500: [
    'CONTRACT_OUTPUT_INVALID',
    'ORCH_STATE_MACHINE_INVARIANT_BROKEN',
    'ORCH_UNROUTED_TOPIC',
    'ORCH_OUTCOME_UNKNOWN',
    'ORCH_COMPENSATION_FAILED',
    'ORCH_ANY',
    'NOBODY_KNOWS',
  ],
  503: [
    'EXT_UNAVAILABLE',
    'EXT_ANY',
    'ORCH_RETRYABLE_STORE',
    'ORCH_RETRYABLE_ANY',
    'ORCH_DEPENDENCY_UNAVAILABLE',
    'ORCH_RETRY_BUDGET_EXHAUSTED',
  ],
  504: ['EXT_TIMEOUT', 'ORCH_DEADLINE_EXCEEDED'],
};

describe('the error codes', () => {
  it.each(Object.entries(HTTP).flatMap(([http, codes]) => codes.map((code) => [code, Number(http)] as const)))(
    '%s is answered with %i',
    (code, http) => {
      expect(httpStatusOf(code)).toBe(http);
    },
  );

  it('say what they mean, each in its own words', () => {
    const meanings = Object.values(ERRORS).map((error) => error.meaning);
    expect(new Set(meanings).size).toBe(meanings.length);
    expect(meanings.filter((meaning) => meaning.length < 10)).toEqual([]);
  });

  it('know their own from anything else', () => {
    expect(isErrorCode('EXT_TIMEOUT')).toBe(true);
    expect(['DQ_ANY', 'toString', '__proto__', ''].filter(isErrorCode)).toEqual([]);
  });

  it('take data quality, law and contract as refusals of the request itself', () => {
    expect(['DQ_X', 'LEGAL_X', 'CONTRACT_X'].every(isBusinessRefusal)).toBe(true);
    expect(['EXT_X', 'ORCH_X', 'X_DQ_', ''].some(isBusinessRefusal)).toBe(false);
  });
});

type Class = 'success' | 'accepted' | 'refused' | 'not applied' | 'may have applied';

/** The contract's table of answers. */
const ANSWERS: readonly (readonly [Class, readonly string[]])[] = [
  ['success', ['ok', 'created', 'updated', 'deleted', 'ignored']],
  ['accepted', ['accepted']],
  [
    'refused',
    ['validation-error', 'bad-request', 'unauthorized', 'forbidden', 'not-found', 'conflict', 'not-implemented'],
  ],
  ['not applied', ['too-many-requests']],
  ['may have applied', ['timeout', 'service-unavailable', 'unexpected-error', 'something-new', '']],
];

function classOf(status: string): Class {
  const answer = readAnswer(status, { id: 1 }, {});
  if (answer.kind !== 'failure') return answer.kind;
  if (answer.mayHaveApplied) return 'may have applied';
  return httpStatusOf(answer.code) === 429 ? 'not applied' : 'refused';
}

describe('an answer', () => {
  it.each(ANSWERS.flatMap(([meaning, statuses]) => statuses.map((status) => [status, meaning] as const)))(
    '%j is taken as %s',
    (status, meaning) => {
      expect(classOf(status)).toBe(meaning);
    },
  );

  it('has every status of the vocabulary in that table', () => {
    expect(Object.keys(STATUSES).sort()).toEqual(
      ANSWERS.flatMap(([, statuses]) => statuses)
        .filter(isStatus)
        .sort(),
    );
  });

  it('gives its body as the output of a success', () => {
    expect(readAnswer('created', { id: 7 }, {})).toEqual({ kind: 'success', output: { id: 7 } });
  });

  it('is overruled by what its body says about this attempt', () => {
    const said = (status: string, applied: boolean) =>
      readAnswer(status, null, { applied, code: 'DQ_X', message: 'm' });
    expect(said('timeout', false)).toMatchObject({ code: 'DQ_X', message: 'm', mayHaveApplied: false });
    expect(said('validation-error', true)).toMatchObject({ code: 'DQ_X', mayHaveApplied: true });
  });

  it('is a tombstone when the code says so, and then did not apply whatever else it says', () => {
    const code = 'CONTRACT_OPERATION_REVOKED';
    expect(readAnswer('conflict', null, { code })).toMatchObject({ fenced: true, mayHaveApplied: false });
    expect(readAnswer('timeout', null, { code, applied: true })).toMatchObject({ fenced: true, mayHaveApplied: false });
    expect(failure('CONTRACT_CONFLICT', '', false).fenced).toBe(false);
  });

  it('keeps the wish to be left alone for a while, and that nothing was found', () => {
    expect(readAnswer('too-many-requests', null, { retryAfterMs: 5_000 })).toMatchObject({ retryAfterMs: 5_000 });
    expect(readAnswer('not-found', null, {})).toMatchObject({ notFound: true });
    expect(readAnswer('conflict', null, {})).toMatchObject({ notFound: false });
  });
});
