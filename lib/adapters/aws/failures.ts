/**
 * What the SDK throws, told apart: asked for fewer calls, failed for the moment, or a mistake of ours. The first two
 * become the store's own errors, after the SDK's retries have run out; a mistake stays what it is, for retrying it
 * would only repeat it. Messages name the call and the error, never what was sent.
 */
import { StoreError, ThrottledError } from '../../core/store-error.ts';

/** What errors of the SDK and of Node's sockets carry, as far as anything here looks at it. */
interface Failure {
  readonly name: string;
  /** Of the socket or the resolver. */
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
  readonly $retryable?: { readonly throttling?: boolean };
}

const THROTTLED = new Set([
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'ServiceQuotaExceededException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);

/** The connection never came about, so nothing was sent. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
/** The connection broke on the way. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED']);
const NO_ANSWER = new Set(['TimeoutError', 'RequestTimeout', 'RequestTimeoutException', 'AbortError']);

export function failureOf(error: unknown): Failure | null {
  return error instanceof Error ? error : null;
}

export function isThrottled(failure: Failure): boolean {
  const { name, $metadata, $retryable } = failure;
  return THROTTLED.has(name) || $metadata?.httpStatusCode === 429 || $retryable?.throttling === true;
}

export function isNotConnected(failure: Failure): boolean {
  return typeof failure.code === 'string' && NOT_CONNECTED.has(failure.code);
}

export function isUnanswered(failure: Failure): boolean {
  return NO_ANSWER.has(failure.name) || (typeof failure.code === 'string' && BROKEN.has(failure.code));
}

function isTransient(failure: Failure): boolean {
  return isNotConnected(failure) || isUnanswered(failure) || (failure.$metadata?.httpStatusCode ?? 0) >= 500;
}

/** Makes a call and names it in what it throws. */
export async function calling<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw mapped(what, error);
  }
}

function mapped(what: string, error: unknown): unknown {
  const failure = failureOf(error);
  if (failure === null) return error;
  const attempts = failure.$metadata?.attempts ?? 1;
  if (isThrottled(failure)) {
    const advice = 'raise the quota, or send less at once';
    return new ThrottledError(`${what} was throttled ${attempts} times (${failure.name}): ${advice}`, { cause: error });
  }
  if (isTransient(failure)) {
    return new StoreError(`${what} failed ${attempts} times (${failure.name}): repeat it later`, { cause: error });
  }
  return error;
}
