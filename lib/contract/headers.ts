/**
 * The request headers the interface reads. What identifies a request is refused when it is wrong; what only wishes
 * (`Prefer`) or accompanies (`traceparent`) is ignored when it makes no sense, as their specifications ask.
 */
import type { TraceContext } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import { malformed } from './problem.ts';

export interface HeaderReader {
  get(name: string): string | null;
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export function isVisibleText(text: string, charactersMax: number): boolean {
  return text.length <= charactersMax && VISIBLE_ASCII.test(text);
}

export function readIdempotencyKey(headers: HeaderReader): string | null {
  return readToken(headers, 'idempotency-key', LIMITS.idempotencyKeyCharactersMax);
}

export function readCorrelationId(headers: HeaderReader): string | null {
  return readToken(headers, 'x-correlation-id', LIMITS.correlationIdCharactersMax);
}

/** null when the header is absent; an empty one is a mistake, not an absence. */
export function readToken(headers: HeaderReader, name: string, charactersMax: number): string | null {
  const value = headers.get(name);
  if (value === null) return null;
  if (isVisibleText(value, charactersMax)) return value;
  const message = `write 1 to ${charactersMax} visible ASCII characters without spaces, or leave the header out`;
  throw malformed(`header ${name}: ${message}`, [{ path: `header:${name}`, message }]);
}

/** Seconds to wait, 0 for none. RFC 7240: the first `wait` counts, a value that is no whole number is no wish. */
export function readPreferWait(headers: HeaderReader): number {
  const prefer = headers.get('prefer');
  if (prefer === null) return 0;
  for (const preference of prefer.split(',')) {
    const [name, value] = (preference.split(';')[0] ?? '').split('=').map((part) => part.trim());
    if (name?.toLowerCase() !== 'wait') continue;
    const seconds = /^(?:"(\d+)"|(\d+))$/.exec(value ?? '');
    return seconds === null ? 0 : Math.min(Number(seconds[1] ?? seconds[2]), LIMITS.preferWaitSecondsMax);
  }
  return 0;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** W3C trace context: at least this much must be carried, more may be dropped. */
const TRACESTATE_CHARACTERS_MAX = 512;
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** null starts a new trace: that is what W3C asks for when the header cannot be read. */
export function readTrace(headers: HeaderReader): TraceContext | null {
  const traceparent = headers.get('traceparent');
  if (traceparent === null || !TRACEPARENT.test(traceparent)) return null;
  const state = headers.get('tracestate');
  const kept = state !== null && state.length <= TRACESTATE_CHARACTERS_MAX && PRINTABLE_ASCII.test(state);
  return { traceparent, tracestate: kept ? state : null };
}
