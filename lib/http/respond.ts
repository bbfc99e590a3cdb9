/**
 * Answers as they leave: JSON, or a problem of RFC 9457, never cached and never sniffed for another type.
 */
import { type Problem, type ProblemExtras, problemOf } from '../contract/problem.ts';
import { type WireJob, wireJob } from '../contract/wire-job.ts';
import type { Job } from '../core/job.ts';
import { type Engine, planFor } from '../operations/engine.ts';
import { PAGE_POLICY } from './approval-page.ts';

export type Headers = Readonly<Record<string, string>>;

const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8', ...ALWAYS } as const;
const PROBLEM_TYPE = { 'content-type': 'application/problem+json; charset=utf-8', ...ALWAYS } as const;

export function json(status: number, body: unknown, headers: Headers = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...JSON_TYPE, ...headers } });
}

export function plainText(status: number, body: string): Response {
  return new Response(body, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...ALWAYS } });
}

export function html(status: number, body: string, headers: Headers = {}): Response {
  const page = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY };
  return new Response(body, { status, headers: { ...page, ...ALWAYS, ...headers } });
}

/** A picture of ours: no script of anybody's runs in it, wherever it is opened. */
export function svg(status: number, body: string): Response {
  const policy = { 'content-security-policy': "default-src 'none'" };
  return new Response(body, {
    status,
    headers: { 'content-type': 'image/svg+xml; charset=utf-8', ...policy, ...ALWAYS },
  });
}

export function problem(body: Problem, headers: Headers = {}): Response {
  return new Response(JSON.stringify(body), { status: body.status, headers: { ...PROBLEM_TYPE, ...headers } });
}

export function refusal(code: string, detail: string, extras: ProblemExtras = {}, headers: Headers = {}): Response {
  return problem(problemOf(code, detail, extras), headers);
}

export function empty(status: number, headers: Headers): Response {
  return new Response(null, { status, headers: { ...ALWAYS, ...headers } });
}

export function shown(engine: Engine, job: Job): WireJob {
  return wireJob(job, planFor(engine.plans, job));
}

/** Where the job is, and the trace it runs under. */
export function jobHeaders(job: Job): Headers {
  return { location: `/jobs/${job.jobId}`, traceparent: job.trace.traceparent };
}
