/**
 * One call as a handler sees it, read from the envelope's headers. A call that has an effect must say which operation
 * it is, and an undo or a query which one it is about: without that it is refused before anything happens.
 */
import { type EnvelopeRequest, HEADERS, headerOf } from '../contract/envelope.ts';
import { type Json, sha256Hex } from '../contract/json.ts';
import { Refusal } from './refusal.ts';
import type { Trace } from './trace.ts';

export type TopicKind = 'readOnly' | 'forward' | 'localForward' | 'undo' | 'localUndo' | 'query';

export interface Call<I = Json> {
  readonly input: I;
  readonly topic: string;
  readonly operationId: string;
  readonly attempt: number;
  readonly jobId: string | null;
  readonly correlationId: string | null;
  /** Nobody waits for the answer any longer after this. */
  readonly deadlineAt: number | null;
  readonly callbackToken: string | null;
  readonly trace: Trace;
  /** A name for what this operation makes, the same at every attempt: `ten_9f3a…`. */
  newId(prefix: string): string;
}

/** As the kit sees it: an undo or a query is about another operation, everything else about itself. */
export interface Invocation extends Call {
  readonly about: string;
  readonly fence: boolean;
}

export type CallIdentity = Pick<Call, 'topic' | 'operationId' | 'attempt'>;

export function identityOf({ topic, headers }: EnvelopeRequest): CallIdentity {
  const attempt = Number(headerOf(headers, HEADERS.attempt));
  const operationId = headerOf(headers, HEADERS.operationId) ?? '';
  return { topic, operationId, attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : 1 };
}

export function readCall(request: EnvelopeRequest, kind: TopicKind, input: Json, trace: Trace): Invocation {
  const header = (name: string): string | null => headerOf(request.headers, name);
  const identity = identityOf(request);
  const deadlineAt = Date.parse(header(HEADERS.deadlineAt) ?? '');
  const about = aboutOf(request, kind, identity.operationId);
  return {
    ...identity,
    input,
    about,
    fence: header(HEADERS.fence) === 'true',
    jobId: header(HEADERS.jobId),
    correlationId: header(HEADERS.correlationId),
    deadlineAt: Number.isNaN(deadlineAt) ? null : deadlineAt,
    callbackToken: header(HEADERS.callbackToken),
    trace,
    newId: (prefix) => `${prefix}_${sha256Hex(about).slice(0, ID_CHARACTERS)}`,
  };
}

/** 96 bits: no two operations of one service meet. */
const ID_CHARACTERS = 24;

function aboutOf(request: EnvelopeRequest, kind: TopicKind, operationId: string): string {
  if (kind === 'readOnly') return operationId;
  const name = kind === 'query' ? HEADERS.queryOf : kind === 'undo' || kind === 'localUndo' ? HEADERS.undoOf : null;
  const about = name === null ? operationId : headerOf(request.headers, name);
  if (operationId !== '' && about !== null && about !== '') return about;
  const missing = operationId === '' ? HEADERS.operationId : name;
  throw new Refusal('bad-request', { applied: false, detail: `${request.topic} needs the header ${missing}` });
}
