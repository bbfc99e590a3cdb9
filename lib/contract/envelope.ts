/**
 * The Benzene wire envelope: a request names a topic and carries its body as text, a response a status and its body.
 * Both ends build and read it here. Invariant: whatever comes back is read as *some* answer; what cannot be
 * understood may have applied.
 */
import * as z from 'zod';
import { type Answer, type FailureHints, readAnswer } from '../core/answers.ts';
import type { Call } from '../core/events.ts';
import { isObject } from '../core/json.ts';
import { parseJson } from './json.ts';
import { isStatus, isSuccess, statusOfHttp } from './status.ts';
import { isoTime } from './wire-time.ts';

export type { Answer, Call };

/** Written in lower case, read in any. */
export const HEADERS = {
  operationId: 'x-operation-id',
  attempt: 'x-attempt',
  jobId: 'x-job-id',
  workflowVersion: 'x-workflow-version',
  correlationId: 'x-correlation-id',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  deadlineAt: 'x-deadline-at',
  undoOf: 'x-undo-of',
  queryOf: 'x-query-of',
  fence: 'x-fence',
  callbackToken: 'x-callback-token',
  contentType: 'content-type',
  retryAfter: 'retry-after',
} as const;

const headers = z.record(z.string(), z.string());

export const envelopeRequest = z.object({ topic: z.string(), headers, body: z.string() });
export type EnvelopeRequest = z.output<typeof envelopeRequest>;

/** Services older than `isSuccessful` leave it out; their status then speaks alone. */
export const envelopeResponse = z
  .object({
    statusCode: z.string(),
    isSuccessful: z.boolean().optional(),
    headers: headers.default({}),
    body: z.string().default(''),
  })
  .transform((read) => ({ ...read, isSuccessful: read.isSuccessful ?? isSuccess(read.statusCode) }));
export type EnvelopeResponse = z.output<typeof envelopeResponse>;

export function headerOf(from: Readonly<Record<string, string>>, name: string): string | null {
  const exact = Object.hasOwn(from, name) ? from[name] : undefined;
  if (exact !== undefined) return exact;
  const other = Object.keys(from).find((key) => key.toLowerCase() === name);
  return other === undefined ? null : (from[other] ?? null);
}

/** One call with what travels beside it. */
export interface OutgoingCall {
  readonly call: Call;
  readonly jobId: string;
  readonly workflowVersion: number;
  readonly correlationId: string;
  readonly traceparent: string;
  readonly tracestate: string | null;
  readonly callbackToken?: string;
}

export function requestOf(outgoing: OutgoingCall): EnvelopeRequest {
  const { call } = outgoing;
  const about = call.about ?? call.operationId;
  return {
    topic: call.topic,
    headers: {
      [HEADERS.operationId]: call.operationId,
      [HEADERS.attempt]: String(call.attempt),
      [HEADERS.jobId]: outgoing.jobId,
      [HEADERS.workflowVersion]: String(outgoing.workflowVersion),
      [HEADERS.correlationId]: outgoing.correlationId,
      [HEADERS.traceparent]: outgoing.traceparent,
      ...(outgoing.tracestate === null ? {} : { [HEADERS.tracestate]: outgoing.tracestate }),
      [HEADERS.deadlineAt]: isoTime(call.deadlineAt),
      ...(isUndo(call) ? { [HEADERS.undoOf]: about } : {}),
      ...(call.direction === 'query' ? { [HEADERS.queryOf]: about } : {}),
      ...(call.fence ? { [HEADERS.fence]: 'true' } : {}),
      ...(outgoing.callbackToken === undefined ? {} : { [HEADERS.callbackToken]: outgoing.callbackToken }),
    },
    body: JSON.stringify(call.body),
  };
}

/** Of the job's own step, or as the one step of a recovery job. */
function isUndo({ direction, about }: Call): boolean {
  return direction === 'undo' || (direction === 'do' && about !== null);
}

export function successResponse(status: string, output: unknown): EnvelopeResponse {
  const json = { [HEADERS.contentType]: 'application/json' };
  return { statusCode: status, isSuccessful: true, headers: json, body: JSON.stringify(output ?? null) };
}

export interface ProblemParts {
  readonly code?: string | undefined;
  /** Whether this attempt took effect; absent where that is not known. */
  readonly applied?: boolean | undefined;
  readonly detail: string;
  readonly errors?: readonly { readonly message: string; readonly path?: string }[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** A failure as a problem document. Its `status` member stays free: over HTTP that one is a number. */
export function problemResponse(status: string, parts: ProblemParts): EnvelopeResponse {
  const { code, applied, detail, errors, retryAfterSeconds } = parts;
  const type = `https://benzene.app/problems/${status}`;
  const retryAfter = retryAfterSeconds === undefined ? {} : { [HEADERS.retryAfter]: String(retryAfterSeconds) };
  return {
    statusCode: status,
    isSuccessful: false,
    headers: { [HEADERS.contentType]: 'application/json', ...retryAfter },
    body: JSON.stringify({ type, benzeneStatus: status, code, applied, detail, errors }),
  };
}

/** Said where a topic is not served at all: unlike «nothing to undo», it must never pass for an undo done. */
export const UNKNOWN_TOPIC = 'CONTRACT_UNKNOWN_TOPIC';

/** Participants have codes of their own; ours only have to be able to print and store them. */
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/;
/** A detail is a sentence for people, kept with the job; more of it would only weigh. */
const DETAIL_CHARACTERS_MAX = 500;

export function answerOf(response: EnvelopeResponse): Answer {
  const parsed = parseJson(response.body);
  const status = effectiveStatus(response);
  // A text that is no JSON is still what was answered.
  const answer = readAnswer(status, parsed.ok ? parsed.value : response.body, hintsOf(response, parsed));
  const misrouted = answer.kind === 'failure' && answer.code === UNKNOWN_TOPIC;
  return misrouted ? { ...answer, notFound: false } : answer;
}

/** Reads what came back where a response was expected, whatever it is. */
export function answerOfUnknown(received: unknown): Answer {
  const read = envelopeResponse.safeParse(received);
  if (read.success) return answerOf(read.data);
  const message = 'the participant did not answer with an envelope {statusCode, isSuccessful, headers, body}';
  return readAnswer('unexpected-error', null, { message });
}

/**
 * Services may have statuses of their own, which only `isSuccessful` classifies, and older ones write HTTP numbers. A
 * success that says it was none is a contradiction, and so may have applied.
 */
function effectiveStatus({ statusCode, isSuccessful }: EnvelopeResponse): string {
  const status = /^[1-5]\d\d$/.test(statusCode) ? statusOfHttp(Number(statusCode)) : statusCode;
  if (!isStatus(status)) return isSuccessful ? 'ok' : status;
  return isSuccess(status) && !isSuccessful && status === statusCode ? 'unexpected-error' : status;
}

function hintsOf(response: EnvelopeResponse, parsed: ReturnType<typeof parseJson>): FailureHints {
  const problem = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const { code, applied, detail } = problem;
  return {
    code: typeof code === 'string' && CODE.test(code) ? code : undefined,
    applied: typeof applied === 'boolean' ? applied : undefined,
    message: typeof detail === 'string' && detail !== '' ? detail.slice(0, DETAIL_CHARACTERS_MAX) : undefined,
    retryAfterMs: retryAfterMs(headerOf(response.headers, HEADERS.retryAfter)),
  };
}

/** Seconds only: a date would need a clock that both sides share. */
function retryAfterMs(header: string | null): number | undefined {
  return header !== null && /^\d{1,8}$/.test(header.trim()) ? Number(header) * 1_000 : undefined;
}
