/**
 * An HTTP response as an answer of the envelope. The status says what became of the call; the body counts only where it
 * is what was asked for, whole and JSON. What cannot be understood may have applied.
 */
import { type EnvelopeResponse, HEADERS, problemResponse } from '../contract/envelope.ts';
import { parseJson } from '../contract/json.ts';
import { isSuccess, statusOfHttp } from '../contract/status.ts';
import { ForbiddenDestination, UnresolvedHost } from './destination.ts';
import { Broken, NotSent, type Received, TimedOut } from './exchange.ts';

/** Said where a call was not made because of where it would have gone. */
export const FORBIDDEN = 'ORCH_ADDRESS_FORBIDDEN';

export function answerOfHttp(received: Received, now: number): EnvelopeResponse {
  const { status, headers, body } = received;
  const statusCode = statusOfHttp(status);
  if (status >= 300 && status < 400) return unclear(`it answered ${status}, which is no answer to a call`);
  if (isSuccess(statusCode)) {
    if (body === null) return tooLarge();
    if (body !== '' && !isJson(received)) return unclear(`it answered ${status} with something that is not JSON`);
    return {
      statusCode,
      isSuccessful: true,
      headers: { [HEADERS.contentType]: 'application/json' },
      body: body || 'null',
    };
  }
  const retryAfter = retryAfterSeconds(headers['retry-after'], headers.date, now);
  return {
    statusCode,
    isSuccessful: false,
    headers: {
      [HEADERS.contentType]: 'application/json',
      ...(retryAfter === null ? {} : { [HEADERS.retryAfter]: String(retryAfter) }),
    },
    body: body !== null && isJson(received) ? body : JSON.stringify({ detail: `it answered ${status}` }),
  };
}

/** What was thrown on the way; null: nothing that the way throws. */
export function answerOfBreakdown(error: unknown): EnvelopeResponse | null {
  const told = (status: string, code: string | undefined, applied: boolean | undefined, detail: string) =>
    problemResponse(status, { code, applied, detail });
  if (error instanceof ForbiddenDestination) return told('forbidden', FORBIDDEN, false, error.message);
  if (error instanceof UnresolvedHost || error instanceof NotSent) {
    return told('service-unavailable', undefined, false, error.message);
  }
  if (error instanceof TimedOut) return told('timeout', undefined, undefined, error.message);
  if (error instanceof Broken) return told('service-unavailable', undefined, undefined, error.message);
  return null;
}

function unclear(detail: string): EnvelopeResponse {
  return problemResponse('unexpected-error', { detail });
}

/** It said that it was done, so it was. */
function tooLarge(): EnvelopeResponse {
  const detail = 'it succeeded with an answer that is larger than a call can carry: answer with a reference';
  return problemResponse('unexpected-error', { code: 'ORCH_PAYLOAD_TOO_LARGE', applied: true, detail });
}

function isJson({ headers, body }: Received): boolean {
  const type = headers['content-type'] ?? '';
  const plain = (headers['content-encoding'] ?? 'identity') === 'identity';
  return plain && /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type) && body !== null && parseJson(body).ok;
}

/** In seconds, or as a date by the clock of whoever wrote it. */
function retryAfterSeconds(given: string | undefined, date: string | undefined, now: number): number | null {
  if (given === undefined) return null;
  if (/^\d{1,8}$/.test(given.trim())) return Number(given);
  const at = Date.parse(given);
  const sentAt = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - (Number.isNaN(sentAt) ? now : sentAt)) / 1_000));
}
