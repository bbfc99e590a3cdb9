/**
 * The error taxonomy as data: what each code means, which HTTP status it has, and by prefix how it is retried.
 * Retry, HTTP answers, quarantine and documentation all read these tables. A participant's own codes pass through and
 * are judged by their prefix.
 */
export interface ErrorMeaning {
  readonly http: number;
  readonly meaning: string;
}

export const ERRORS = {
  CONTRACT_VALIDATION_ERROR: { http: 422, meaning: 'the participant found the input invalid' },
  CONTRACT_BAD_REQUEST: { http: 422, meaning: 'the participant could not read the request' },
  CONTRACT_UNAUTHORIZED: { http: 422, meaning: 'the participant did not accept our credentials' },
  CONTRACT_FORBIDDEN: { http: 422, meaning: 'the participant does not allow this' },
  CONTRACT_NOT_FOUND: { http: 404, meaning: 'the participant does not know what was named' },
  CONTRACT_CONFLICT: { http: 409, meaning: 'the participant holds something that contradicts the request' },
  CONTRACT_NOT_IMPLEMENTED: { http: 422, meaning: 'the participant does not offer this' },
  LEGAL_APPROVAL_DECLINED: { http: 422, meaning: 'a person who had to approve declined' },
  LEGAL_APPROVAL_EXPIRED: { http: 422, meaning: 'a person who had to approve did not decide in time' },
  CONTRACT_INPUT_INVALID: { http: 422, meaning: "the input does not fit the workflow's schema" },
  CONTRACT_OUTPUT_INVALID: { http: 500, meaning: "a participant's answer does not fit the step's schema" },
  CONTRACT_UNKNOWN_TOPIC: { http: 500, meaning: 'the participant the topic is routed to does not serve it' },
  CONTRACT_OPERATION_REVOKED: { http: 422, meaning: 'a forward call came after its undo' },
  EXT_THROTTLED: { http: 429, meaning: 'the dependency asked for fewer calls' },
  EXT_TIMEOUT: { http: 504, meaning: 'no answer in time' },
  EXT_UNAVAILABLE: { http: 503, meaning: 'the dependency could not be reached or is down' },
  EXT_UNEXPECTED: { http: 503, meaning: 'the dependency failed in a way it does not explain' },
  EXT_IN_PROGRESS: { http: 503, meaning: 'the participant is still working on this operation' },
  ORCH_MALFORMED_REQUEST: { http: 400, meaning: 'the request is not what the interface takes' },
  ORCH_UNAUTHENTICATED: { http: 401, meaning: 'no caller is known' },
  ORCH_FORBIDDEN: { http: 403, meaning: 'the caller has no right to this' },
  ORCH_UNKNOWN_WORKFLOW: { http: 404, meaning: 'no workflow of this type or version' },
  ORCH_UNKNOWN_JOB: { http: 404, meaning: 'no such job, or it belongs to another caller' },
  ORCH_UNKNOWN_DEAD_LETTER: { http: 404, meaning: 'no such dead letter' },
  ORCH_UNKNOWN_SCHEDULE: { http: 404, meaning: 'no such schedule' },
  ORCH_NOT_FOUND: { http: 404, meaning: 'no such resource' },
  ORCH_METHOD_NOT_ALLOWED: { http: 405, meaning: 'the resource does not take this method' },
  ORCH_DUPLICATE_IDEMPOTENCY_KEY: { http: 409, meaning: 'the key was used with another payload' },
  ORCH_INVALID_STATE_TRANSITION: { http: 409, meaning: 'the job is not in a state that allows this' },
  ORCH_CANCELLED: { http: 409, meaning: 'the job was cancelled' },
  ORCH_RETRY_BUDGET_EXHAUSTED: { http: 503, meaning: 'retries are used up' },
  ORCH_DEADLINE_EXCEEDED: { http: 504, meaning: 'the time for the job is used up' },
  ORCH_DEAD_LETTER_REQUIRED: { http: 409, meaning: 'only a dead-lettered job can be replayed' },
  ORCH_STATE_MACHINE_INVARIANT_BROKEN: { http: 500, meaning: 'what is stored contradicts the rules' },
  ORCH_REPLAY_CONTEXT_MISSING: { http: 409, meaning: 'the original envelope or trace context is gone' },
  ORCH_ADDRESS_FORBIDDEN: { http: 500, meaning: 'a call was not made because of where it would have gone' },
  ORCH_UNROUTED_TOPIC: { http: 500, meaning: 'a topic has no route to a participant' },
  ORCH_MAPPING_FAILED: { http: 500, meaning: "the definition's own mapping failed on the data it was given" },
  ORCH_DEPENDENCY_UNAVAILABLE: { http: 503, meaning: 'the dependency is known to be down and has no alternative' },
  ORCH_OUTCOME_UNKNOWN: { http: 500, meaning: 'whether an effect was applied cannot be established' },
  ORCH_COMPENSATION_FAILED: { http: 500, meaning: 'an effect could not be undone' },
  ORCH_PAYLOAD_TOO_LARGE: { http: 413, meaning: 'over the limit even by reference' },
  ORCH_TOKEN_INVALID: { http: 401, meaning: 'the callback token is not one of ours' },
  ORCH_TOKEN_EXPIRED: { http: 410, meaning: 'the callback came too late' },
  ORCH_TOKEN_USED: { http: 410, meaning: 'the callback was already made' },
  ORCH_TOKEN_STALE: { http: 409, meaning: 'the callback belongs to an earlier attempt' },
  ORCH_UNKNOWN_SIGNAL: { http: 404, meaning: 'the workflow waits for no signal of this name' },
  ORCH_INTERNAL_ERROR: { http: 500, meaning: 'the orchestrator failed in a way it did not foresee' },
  ORCH_RETRYABLE_THROTTLED: { http: 429, meaning: 'our own infrastructure asked for fewer calls' },
  ORCH_RETRYABLE_STORE: { http: 503, meaning: 'our own store failed for the moment' },
} as const satisfies Record<string, ErrorMeaning>;

export type ErrorCode = keyof typeof ERRORS;

export interface RetryPolicy {
  readonly retryable: boolean;
  /** All calls of one operation, the first included. */
  readonly maxAttempts: number;
  readonly backoffBaseSeconds: number;
  readonly backoffMultiplier: number;
  readonly maxBackoffSeconds: number;
  readonly jitter: 'full' | 'none';
  readonly deadLetterOnExhaustion: boolean;
}

const never: RetryPolicy = {
  retryable: false,
  maxAttempts: 1,
  backoffBaseSeconds: 1,
  backoffMultiplier: 2,
  maxBackoffSeconds: 60,
  jitter: 'full',
  deadLetterOnExhaustion: true,
};
const transient: RetryPolicy = { ...never, retryable: true, maxAttempts: 5 };

/** Longest prefix wins; `''` stands for codes we do not know. HTTP is the status when a waiting caller is answered. */
export const PREFIX_POLICIES: readonly {
  readonly prefix: string;
  readonly http: number;
  readonly policy: RetryPolicy;
}[] = [
  { prefix: 'ORCH_RETRYABLE_', http: 503, policy: transient },
  { prefix: 'CONTRACT_', http: 422, policy: never },
  { prefix: 'LEGAL_', http: 422, policy: never },
  { prefix: 'ORCH_', http: 500, policy: never },
  { prefix: 'EXT_', http: 503, policy: transient },
  { prefix: 'DQ_', http: 422, policy: never },
  { prefix: '', http: 500, policy: never },
];

/** An undo matters more than a forward step: it is tried longer before a person is called. */
export const UNDO_POLICY: RetryPolicy = {
  ...transient,
  maxAttempts: 10,
  maxBackoffSeconds: 300,
};

/** The whole again is costly and its causes take longer to pass: fewer rounds, further apart. */
export const SAGA_POLICY: RetryPolicy = {
  ...transient,
  maxAttempts: 3,
  backoffBaseSeconds: 60,
  maxBackoffSeconds: 3_600,
};

export function prefixOf(code: string): (typeof PREFIX_POLICIES)[number] {
  const found = PREFIX_POLICIES.find((row) => code.startsWith(row.prefix));
  if (found === undefined) throw new Error('the prefix table lost its last row');
  return found;
}

export function httpStatusOf(code: string): number {
  return isErrorCode(code) ? ERRORS[code].http : prefixOf(code).http;
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

export type PolicyOverride = Partial<RetryPolicy>;

/** Overrides by code or by prefix (a name that ends in `_`), the narrowest scope last. */
export interface PolicyOverrides {
  readonly [codeOrPrefix: string]: PolicyOverride;
}

/** The policy for a code: prefix defaults, then each scope's override for the prefix, then for the code itself. */
export function policyFor(code: string, scopes: readonly PolicyOverrides[]): RetryPolicy {
  const { prefix, policy } = prefixOf(code);
  let result = policy;
  for (const scope of scopes) {
    const byPrefix = Object.hasOwn(scope, prefix) ? scope[prefix] : undefined;
    const byCode = Object.hasOwn(scope, code) ? scope[code] : undefined;
    if (byPrefix !== undefined || byCode !== undefined) result = { ...result, ...byPrefix, ...byCode };
  }
  return result;
}

/** Refusals that answer the caller's own request: not our failure, so not quarantined when cleanly rolled back. */
export function isBusinessRefusal(code: string): boolean {
  return code.startsWith('DQ_') || code.startsWith('LEGAL_') || code.startsWith('CONTRACT_');
}
