/**
 * A small client of the HTTP API. It hides nothing: an answer is its status, headers and body, and the case says what it
 * expects of them.
 */
import assert from 'node:assert/strict';
import { signatureHeaders } from './sign.ts';
import type { HistoryEntry, Job, Page } from './wire.ts';

/** More than the longest `Prefer: wait`; a request beyond it hangs. */
const REQUEST_MS_MAX = 40_000;

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

export interface Caller {
  id: string;
  role?: 'submitter';
}

export interface Request {
  headers?: Record<string, string>;
  /** sent as JSON */
  body?: unknown;
  /** sent as it is, in place of `body` */
  raw?: string;
  as?: Caller;
  signal?: AbortSignal;
}

export interface Submission extends Omit<Request, 'body'> {
  /** null: none, so that the product derives one */
  key?: string | null;
  /** seconds, or what a clumsy caller writes there */
  wait?: number | string;
  query?: string;
}

export class Api {
  readonly base: string;

  constructor(base: string) {
    this.base = base.replace(/\/+$/, '');
  }

  async call(method: string, path: string, request: Request = {}): Promise<Answer> {
    const body = request.raw ?? (request.body === undefined ? null : JSON.stringify(request.body));
    const timeout = AbortSignal.timeout(REQUEST_MS_MAX);
    const headers = {
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...authorization(),
      ...callerHeaders(request.as),
      ...request.headers,
    };
    const response = await fetch(this.base + path, {
      method,
      body,
      headers: { ...headers, ...signatureHeaders(method, this.base + path, body, headers) },
      signal: request.signal ? AbortSignal.any([request.signal, timeout]) : timeout,
    });
    const text = await response.text();
    const isJson = text !== '' && /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  submit(type: string, input: unknown, { key, wait, query, headers, ...request }: Submission = {}): Promise<Answer> {
    return this.call('POST', `/workflows/${type}/jobs${query ?? ''}`, {
      body: input,
      ...request,
      headers: {
        ...(key == null ? {} : { 'idempotency-key': key }),
        ...(wait === undefined ? {} : { prefer: `wait=${wait}` }),
        ...headers,
      },
    });
  }

  async job(jobId: string): Promise<Job> {
    return (await this.read(`/jobs/${jobId}`)) as Job;
  }

  async history(jobId: string): Promise<HistoryEntry[]> {
    return ((await this.read(`/jobs/${jobId}/history`)) as { items: HistoryEntry[] }).items;
  }

  async jobs(query: Record<string, string | number>, as?: Caller): Promise<Page<Job>> {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
    );
    return (await this.read(`/jobs?${search}`, as)) as Page<Job>;
  }

  act(jobId: string, verb: string, body: unknown, as?: Caller): Promise<Answer> {
    return this.call('POST', `/jobs/${jobId}/${verb}`, { body, ...(as && { as }) });
  }

  /** GET of something that is there. */
  async read(path: string, as?: Caller): Promise<unknown> {
    const answer = await this.call('GET', path, as && { as });
    assert.equal(answer.status, 200, `GET ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

/** The job in an answer that carries one. */
export function jobIn(answer: Answer, ...statuses: number[]): Job {
  const expected = statuses.length > 0 ? statuses : [200, 201, 202];
  assert.ok(
    expected.includes(answer.status),
    `expected ${expected.join(' or ')}, got ${answer.status}: ${JSON.stringify(answer.body)}`,
  );
  return answer.body as Job;
}

/** A deployment behind a JWT authorizer: the whole header value, from the environment so that it is in no argument list. */
function authorization(): Record<string, string> {
  const value = process.env.DACAPO_AUTHORIZATION;
  return value ? { authorization: value } : {};
}

function callerHeaders(caller: Caller | undefined): Record<string, string> {
  if (!caller) return {};
  return { 'x-caller-id': caller.id, ...(caller.role && { 'x-caller-role': caller.role }) };
}
