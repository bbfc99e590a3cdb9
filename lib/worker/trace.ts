/**
 * Trace context of one invocation, and the one event told about it. A valid `traceparent` is joined; anything else
 * starts a fresh trace: a bad header costs the correlation, never the call.
 */
import { randomBytes } from 'node:crypto';

export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** To be sent on by a handler that calls others. */
  readonly traceparent: string;
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

export function traceOf(header: string | null): Trace {
  const [, version, traceId = '', parentId = '', flags = ''] = TRACEPARENT.exec(header ?? '') ?? [];
  const spanId = randomBytes(8).toString('hex');
  const joins = version !== undefined && version !== 'ff' && !isZero(traceId) && !isZero(parentId);
  if (joins) return { traceId, spanId, parentSpanId: parentId, traceparent: `00-${traceId}-${spanId}-${flags}` };
  const fresh = randomBytes(16).toString('hex');
  return { traceId: fresh, spanId, parentSpanId: null, traceparent: `00-${fresh}-${spanId}-01` };
}

function isZero(hex: string): boolean {
  return /^0*$/.test(hex);
}
