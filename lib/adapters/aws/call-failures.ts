/**
 * What it means for an effect when the way to a participant fails. A refusal of the service, and a connection that
 * never came about, say that this attempt has not applied; everything else may have.
 */
import { type Failure as FailedAnswer, failure } from '../../core/answers.ts';
import { failureOf, isNotConnected, isThrottled, isUnanswered } from './failures.ts';

/** Without credentials nothing is signed, and without that nothing is sent. */
const NOT_SENT = new Set(['CredentialsProviderError', 'TokenProviderError']);
/** The payload is over the service's limit: the same call would be refused again. */
const TOO_LARGE = new Set(['RequestTooLargeException', 'RequestEntityTooLargeException', 'MessageTooLong']);

const APPLIED_MAYBE = true;
const NOT_APPLIED = false;

/** @param way what was called, for messages: `function tenant` */
export function answerOfFailure(error: unknown, way: string): FailedAnswer {
  const found = failureOf(error);
  if (found === null) return failure('EXT_UNEXPECTED', `the call of ${way} failed`, APPLIED_MAYBE);
  const { name } = found;
  const status = found.$metadata?.httpStatusCode ?? 0;
  if (TOO_LARGE.has(name) || status === 413) return tooLarge(way);
  if (isThrottled(found)) {
    return failure('EXT_THROTTLED', `${way} was called too often (${name})`, NOT_APPLIED, retryAfterMs(found));
  }
  if (NOT_SENT.has(name) || isNotConnected(found)) {
    return failure('EXT_UNAVAILABLE', `${way} could not be reached (${name})`, NOT_APPLIED);
  }
  if (status >= 400 && status < 500) {
    return failure('EXT_UNAVAILABLE', `the service refused the call of ${way} (${name})`, NOT_APPLIED);
  }
  if (name === 'AbortError' || name === 'TimeoutError') {
    return failure('EXT_TIMEOUT', `${way} did not answer in time`, APPLIED_MAYBE);
  }
  const broken = status >= 500 || isUnanswered(found);
  return failure(broken ? 'EXT_UNAVAILABLE' : 'EXT_UNEXPECTED', `the call of ${way} broke (${name})`, APPLIED_MAYBE);
}

export function tooLarge(way: string): FailedAnswer {
  const message = `the input for ${way} is larger than a call can carry: store the bulk elsewhere and send a reference`;
  return failure('ORCH_PAYLOAD_TOO_LARGE', message, NOT_APPLIED);
}

/** Lambda says it in seconds, as text. */
function retryAfterMs(found: object): number {
  const seconds = 'retryAfterSeconds' in found ? Number(found.retryAfterSeconds) : 0;
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
}
