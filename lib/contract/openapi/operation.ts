/**
 * What the interface offers, one entry an operation: the catalogue that the OpenAPI document is made from. Requests are
 * described by the very schemas that read them; a test holds the router and this catalogue to the same list.
 */
import type * as z from 'zod';
import { type ErrorCode, httpStatusOf } from '../../core/errors.ts';

/** Groups of operations, in the order in which they are shown. */
export const TAGS = {
  jobs: 'Submit processes, read what became of them.',
  'operator actions': 'What a person may do to a job that cannot go on by itself.',
  waits: 'What jobs wait for: signals, answers by token, decisions of people.',
  'dead letters': 'Jobs in quarantine: replayed or discarded by a person.',
  schedules: 'Workflows that start by the clock.',
  dependencies: 'What the orchestrator calls: health, breakers, jobs that wait.',
  workflows: 'The definitions that this deployment runs.',
  pauses: 'What operators hold back on purpose, and how it is let go again.',
  audit: 'What people did and tried to do.',
  topology: 'Who calls whom, declared and observed.',
  documents: 'The interface describes itself.',
  benzene: 'dacapo as a service of the Benzene Cloud Service Profile.',
} as const satisfies Record<string, string>;
export type Tag = keyof typeof TAGS;

export interface ApiOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces. */
  readonly path: string;
  /** Unique; generated clients name their functions by it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** `operator`: other callers get 403. `token`: whoever holds the token of the address. `anyone`: needs no caller. */
  readonly allowed: 'caller' | 'operator' | 'token' | 'anyone';
  readonly query?: z.ZodObject;
  readonly headers?: readonly RequestHeader[];
  readonly body?: z.ZodType;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Answered from the code alone: no store that could fail. */
  readonly storeless?: true;
  /** Codes it refuses with, beside those that every operation can answer. */
  readonly problems: readonly ErrorCode[];
}

export interface Answer {
  readonly description: string;
  /** By media type. */
  readonly content: Readonly<Record<string, z.ZodType>>;
  readonly headers?: readonly ResponseHeader[];
}

export type RequestHeader = 'Idempotency-Key' | 'Prefer' | 'X-Correlation-Id' | 'traceparent' | 'tracestate';
export type ResponseHeader = 'Location' | 'Idempotency-Replayed' | 'Preference-Applied' | 'traceparent' | 'Retry-After';

export function answerOf(description: string, schema: z.ZodType, headers: readonly ResponseHeader[] = []): Answer {
  return { description, content: { 'application/json': schema }, headers };
}

/** What goes wrong whatever is asked: our own code, or the store behind it. */
const ALWAYS: readonly ErrorCode[] = ['ORCH_INTERNAL_ERROR'];
const STORE: readonly ErrorCode[] = ['ORCH_RETRYABLE_THROTTLED', 'ORCH_RETRYABLE_STORE'];

/** Codes by the status they are answered with. */
export function problemsOf(operation: ApiOperation): Map<number, ErrorCode[]> {
  const who: ErrorCode[] =
    operation.allowed === 'anyone' || operation.allowed === 'token' ? [] : ['ORCH_UNAUTHENTICATED'];
  const role: ErrorCode[] = operation.allowed === 'operator' ? ['ORCH_FORBIDDEN'] : [];
  const store = operation.storeless === true ? [] : STORE;
  const by = new Map<number, ErrorCode[]>();
  for (const code of new Set([...who, ...role, ...operation.problems, ...ALWAYS, ...store])) {
    const status = httpStatusOf(code);
    by.set(status, [...(by.get(status) ?? []), code]);
  }
  return new Map([...by].sort(([a], [b]) => a - b));
}
