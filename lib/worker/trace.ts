/**
 * Trace context of one invocation, and the one event told about it. A valid `traceparent` is joined; anything else
 * starts a fresh trace: a bad header costs the correlation, never the call.
 */
import { randomUUID } from 'node:crypto';

export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** To be sent on by a handler that calls others, with `tracestate` if there is one. */
  readonly traceparent: string;
  readonly tracestate: string | null;
}

export interface TraceEvent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly service: string;
  readonly topic: string;
  readonly status: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly correlationId?: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export function traceOf(header: string | null, state: string | null = null): Trace {
  const [, version, traceId = '', parentId = '', flags = ''] = TRACEPARENT.exec(header ?? '') ?? [];
  const spanId = hex32().slice(16);
  const joins = version !== undefined && version !== 'ff' && !isZero(traceId) && !isZero(parentId);
  if (joins) {
    const traceparent = `00-${traceId}-${spanId}-${flags}`;
    return { traceId, spanId, parentSpanId: parentId, traceparent, tracestate: state };
  }
  // The state belongs to the trace that could not be joined.
  const fresh = hex32();
  return { traceId: fresh, spanId, parentSpanId: null, traceparent: `00-${fresh}-${spanId}-01`, tracestate: null };
}

/** Node draws chance for UUIDs in advance, which random bytes wait for at each call; 122 bits of it are enough. */
function hex32(): string {
  return randomUUID().replaceAll('-', '');
}

function isZero(hex: string): boolean {
  return /^0*$/.test(hex);
}
