/**
 * One request and its answer over fetch. What may be repeated is repeated a few times, further and further apart;
 * what may not is asked once, since a second answer would be about the repetition. Invariant: it returns an answer of
 * success, or throws one of the two errors of errors.ts, or the reason of the caller's own abort.
 */
import type { Json } from '../contract/json.ts';
import type { Problem } from '../contract/problem.ts';
import { ProblemError, UnreachableError } from './errors.ts';

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface ClientOptions {
  /** Where the API is, with its stage if it has one: `https://abc.execute-api.eu-west-1.amazonaws.com/prod`. */
  readonly url: string;
  /** Headers that prove who calls, asked for anew at each attempt: a SigV4 signature, or a bearer token. */
  readonly sign?: (request: Outgoing) => Promise<Readonly<Record<string, string>>>;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of one request, the first included. Default 5. */
  readonly attempts?: number;
  /** For one attempt. Default 35 s: more than the longest wait the server grants, and than API Gateway's own limit. */
  readonly timeoutMs?: number;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  readonly sleep?: (ms: number) => Promise<void>;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly now?: () => number;
}

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the root of the API, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** A second time would change nothing more. */
  readonly repeatable: boolean;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export type Send = (ask: Ask) => Promise<Answer>;

const ATTEMPTS_DEFAULT = 5;
const TIMEOUT_MS_DEFAULT = 35_000;
/** The pauses are at most 0.2, 0.4, 0.8 and 1.6 s: a restart of the server fits in, a person does not wonder yet. */
const PAUSE_MS_BASE = 200;
const PAUSE_MS_MAX = 5_000;
/** A server's wish to be left alone is followed so far; after that whoever called should decide. */
const RETRY_AFTER_MS_MAX = 30_000;

export function transport(options: ClientOptions): Send {
  const { attempts = ATTEMPTS_DEFAULT, sleep = pause, random = Math.random } = options;
  const base = options.url.replace(/\/+$/, '');
  return async (ask) => {
    for (let attempt = 1; ; attempt += 1) {
      const result = await once(options, base, ask);
      if ('answer' in result) return result.answer;
      if (!result.again || attempt >= attempts) throw result.error;
      const most = Math.min(PAUSE_MS_MAX, PAUSE_MS_BASE * 2 ** (attempt - 1));
      await sleep(Math.max(result.retryAfterMs, Math.floor(most * random())));
      ask.signal?.throwIfAborted();
    }
  };
}

type Result =
  | { readonly answer: Answer }
  | { readonly error: Error; readonly again: boolean; readonly retryAfterMs: number };

async function once(options: ClientOptions, base: string, ask: Ask): Promise<Result> {
  const { timeoutMs = TIMEOUT_MS_DEFAULT, fetch = globalThis.fetch } = options;
  const outgoing = outgoingOf(options, base, ask);
  const signed = (await options.sign?.(outgoing)) ?? {};
  const late = AbortSignal.timeout(timeoutMs);
  const signal = ask.signal === undefined ? late : AbortSignal.any([late, ask.signal]);
  try {
    const { method, body, headers } = outgoing;
    const init: RequestInit = { method, body, headers: { ...headers, ...signed }, signal, redirect: 'error' };
    const response = await fetch(outgoing.url, init);
    return judged(ask, response, await response.text());
  } catch (error) {
    ask.signal?.throwIfAborted();
    const why = late.aborted ? `gave no answer within ${timeoutMs} ms` : `cannot be reached (${reasonOf(error)})`;
    return { ...unreachable(ask, `${base} ${why}`, error), again: ask.repeatable, retryAfterMs: 0 };
  }
}

function outgoingOf({ headers }: ClientOptions, base: string, ask: Ask): Outgoing {
  const given = Object.entries(ask.query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  const body = ask.body === undefined ? null : JSON.stringify(ask.body);
  return {
    method: ask.method,
    url: `${base}${ask.path}${query}`,
    headers: {
      accept: 'application/json',
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...headers,
      ...ask.headers,
    },
    body,
  };
}

function judged(ask: Ask, response: Response, text: string): Result {
  const { status, headers } = response;
  const body = parsed(text);
  if (response.ok && body !== undefined) return { answer: { status, headers, body } };
  const retryAfterMs = retryAfterOf(headers.get('retry-after'));
  const problem = problemIn(body);
  const again = isTransient(status, problem) && (ask.repeatable || status === 429);
  if (problem !== null) return { error: new ProblemError(problem), again, retryAfterMs };
  const { error } = unreachable(
    ask,
    `the server answered ${status} without a document of the API: ${adviceOn(status)}`,
  );
  return { error, again, retryAfterMs };
}

/** An authorizer in front of the API speaks for itself. */
function adviceOn(status: number): string {
  return status === 401 || status === 403 ? 'sign the request or send a token that is let in' : 'check the address';
}

/** A problem that names a job is how that job ended; asking again would change nothing about it. */
function isTransient(status: number, problem: Problem | null): boolean {
  return [429, 502, 503, 504].includes(status) && problem?.job_id === undefined;
}

function unreachable(ask: Ask, message: string, cause?: unknown): { error: UnreachableError } {
  return { error: new UnreachableError(message, { idempotencyKey: ask.idempotencyKey ?? null, cause }) };
}

function problemIn(body: unknown): Problem | null {
  if (typeof body !== 'object' || body === null || !('code' in body) || !('detail' in body)) return null;
  return typeof body.code === 'string' && typeof body.detail === 'string' ? (body as Problem) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function retryAfterOf(header: string | null): number {
  return header !== null && /^\d{1,8}$/.test(header) ? Math.min(Number(header) * 1_000, RETRY_AFTER_MS_MAX) : 0;
}

/** What fetch throws says only that it failed; why is in its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return String(cause);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
