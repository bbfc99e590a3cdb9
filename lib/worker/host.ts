/**
 * Runs a service: an envelope in, an envelope out. Routes by topic, traces, and turns whatever goes wrong into an
 * answer. Invariant: it never throws, and every routed call gives exactly one trace event.
 */
import { randomUUID } from 'node:crypto';
import {
  type EnvelopeRequest,
  type EnvelopeResponse,
  HEADERS,
  HEALTH_TOPIC,
  headerOf,
  problemResponse,
  UNKNOWN_TOPIC,
} from '../contract/envelope.ts';
import { parseJson } from '../contract/json.ts';
import { identityOf, readCall } from './call.ts';
import { type Explain, Refusal, refused, unexplained } from './refusal.ts';
import { logged, type Running, run } from './run.ts';
import type { OperationStore } from './store.ts';
import type { Service } from './topics.ts';
import { type Trace, type TraceEvent, traceOf } from './trace.ts';

export interface HostOptions {
  readonly store: OperationStore;
  readonly now: () => number;
  /** The longest a handler can be at work; after that another attempt may start. A call may name its own. */
  readonly leaseMs?: number;
  /** What errors of libraries mean: whether the dependency throttled, was down, or refused for good. */
  readonly explain?: Explain;
  readonly onTrace?: (event: TraceEvent) => void;
  /** What a handler or the store threw: for the log, never for the wire. */
  readonly onError?: (error: unknown, topic: string) => void;
}

/** @param leaseMs for this call, where its end is known: the time that a function has left */
export type Host = (request: EnvelopeRequest, leaseMs?: number) => Promise<EnvelopeResponse>;

/** Far beyond the default step timeout of 10 s: a lease outlives every call that somebody still waits for. */
const LEASE_MS_DEFAULT = 60_000;

export function host(service: Service, options: HostOptions): Host {
  const { store, now, onTrace, onError, explain } = options;
  return async (request, leaseMs = options.leaseMs ?? LEASE_MS_DEFAULT) => {
    if (request.topic === '') return problemResponse('validation-error', { detail: 'the envelope names no topic' });
    if (request.topic === HEALTH_TOPIC && !service.topics.has(HEALTH_TOPIC)) return healthy(service);
    const startedAt = now();
    const trace = traceOf(
      headerOf(request.headers, HEADERS.traceparent),
      headerOf(request.headers, HEADERS.tracestate),
    );
    const reportError = (error: unknown): void => onError?.(error, request.topic);
    const running: Running = { store, now, leaseMs, owner: randomUUID(), onError: reportError, explain };
    const response = await answer(running, service, request, trace);
    onTrace?.(traceEvent(service, request, response, trace, startedAt, now()));
    return response;
  };
}

/** Asked each minute by the orchestrator: no operation, so nothing of it is kept or traced. A service may serve the topic itself. */
function healthy({ name }: Service): EnvelopeResponse {
  const body = JSON.stringify({ isHealthy: true, healthChecks: { [name]: { status: 'Healthy' } } });
  return { statusCode: 'ok', isSuccessful: true, headers: { 'content-type': 'application/json' }, body };
}

async function answer(
  running: Running,
  service: Service,
  request: EnvelopeRequest,
  trace: Trace,
): Promise<EnvelopeResponse> {
  try {
    const topic = service.topics.get(request.topic);
    if (topic === undefined) throw unserved(service, request.topic);
    const body = parseJson(request.body);
    if (!body.ok) throw new Refusal('bad-request', { applied: false, detail: 'the body is not JSON; send JSON text' });
    return await run(running, topic, readCall(request, topic.kind, body.value, trace));
  } catch (error) {
    if (!(error instanceof Refusal)) running.onError(error);
    const response = error instanceof Refusal ? refused(error) : unexplained();
    await log(running, request, response);
    return response;
  }
}

/** The store may be what failed: then the call is missing in its log, and the answer stands all the same. */
async function log(running: Running, request: EnvelopeRequest, response: EnvelopeResponse): Promise<void> {
  try {
    await running.store.log(logged(identityOf(request), response, running.now()));
  } catch (error) {
    running.onError(error);
  }
}

function unserved(service: Service, topic: string): Refusal {
  const detail = `${service.name} does not serve ${topic}; it serves ${[...service.topics.keys()].join(', ')}`;
  return new Refusal('not-found', { code: UNKNOWN_TOPIC, applied: false, detail });
}

function traceEvent(
  service: Service,
  request: EnvelopeRequest,
  response: EnvelopeResponse,
  trace: Trace,
  startedAt: number,
  endedAt: number,
): TraceEvent {
  const correlationId = headerOf(request.headers, HEADERS.correlationId);
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    ...(trace.parentSpanId === null ? {} : { parentSpanId: trace.parentSpanId }),
    service: service.name,
    topic: request.topic,
    status: response.statusCode,
    startedAt: new Date(startedAt).toISOString(),
    durationMs: endedAt - startedAt,
    ...(correlationId === null ? {} : { correlationId }),
  };
}
