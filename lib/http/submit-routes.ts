/**
 * POST /workflows/{type}/jobs: the door of submits. A 201 or 202 leaves only after the job is stored; whether its first
 * run could be started at once changes nothing about that promise.
 */
import type { Hono } from 'hono';
import { readBatch } from '../contract/batch.ts';
import { readCorrelationId, readIdempotencyKey, readPreferWait, readTrace } from '../contract/headers.ts';
import { problemOf } from '../contract/problem.ts';
import { readVersion, refuseParameters } from '../contract/requests.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import { isTerminal } from '../core/states.ts';
import { awaitEnd, unavailableFor } from '../operations/await-end.ts';
import { planFor } from '../operations/engine.ts';
import { type SubmitRequest, type SubmitResult, submit } from '../operations/submit.ts';
import { failureFields } from './failure-fields.ts';
import type { AppParts } from './parts.ts';
import { readDocument } from './read-body.ts';
import { type Headers, jobHeaders, json, problem, refusal, shown } from './respond.ts';
import { type Asked, resource } from './routing.ts';
import { isSettled, unavailable, waitingAnswer } from './waiting-answer.ts';

export function submitRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/workflows/:type/jobs', { POST: (asked) => submitJob(parts, asked) });
  resource(app, '/workflows/:type/jobs:batch', { POST: (asked) => submitBatch(parts, asked) });
}

async function submitJob(parts: AppParts, asked: Asked): Promise<Response> {
  const waitSeconds = readPreferWait(asked.request.headers);
  const result = await submit(parts.engine, await readSubmit(parts, asked));
  if (result.kind === 'refused') {
    return refusal(result.code, result.detail, { jobId: result.jobId, errors: result.errors });
  }
  await startIfNew(parts, result, waitSeconds > 0);
  const job = await latest(parts, result, waitSeconds * 1_000);
  const headers: Headers = {
    ...jobHeaders(job),
    ...(result.kind === 'existing' ? { 'idempotency-replayed': 'true' } : {}),
    ...(waitSeconds > 0 ? { 'preference-applied': `wait=${waitSeconds}` } : {}),
  };
  return answer(parts, job, waitSeconds > 0, headers);
}

/** Each item is a submit of its own: one that is refused leaves the others as they are. */
async function submitBatch(parts: AppParts, asked: Asked): Promise<Response> {
  const { callerId } = parts.caller(asked.request);
  refuseParameters(asked.parameters);
  const trace = readTrace(asked.request.headers);
  const items = readBatch(await readDocument(asked.request, LIMITS.inputBytesMax));
  const common = { callerId, source: 'batch', workflowType: asked.part('type'), version: null, trace } as const;
  const answers = [];
  for (const item of items) answers.push(await submitItem(parts, { ...common, ...item }));
  return json(200, { items: answers });
}

async function submitItem(
  parts: AppParts,
  request: SubmitRequest,
): Promise<{ status: number; job?: unknown; problem?: unknown }> {
  const result = await submit(parts.engine, request);
  if (result.kind === 'refused') {
    const told = problemOf(result.code, result.detail, { jobId: result.jobId, errors: result.errors });
    return { status: told.status, problem: told };
  }
  await startIfNew(parts, result, false);
  const job = await latest(parts, result, 0);
  return { status: isTerminal(job.state) ? 200 : 202, job: shown(parts.engine, job) };
}

async function readSubmit(parts: AppParts, asked: Asked): Promise<SubmitRequest> {
  const { headers } = asked.request;
  return {
    callerId: parts.caller(asked.request).callerId,
    source: 'api',
    workflowType: asked.part('type'),
    version: readVersion(asked.parameters),
    idempotencyKey: readIdempotencyKey(headers),
    correlationId: readCorrelationId(headers),
    trace: readTrace(headers),
    input: await readDocument(asked.request, LIMITS.inputBytesMax),
  };
}

type Accepted = Exclude<SubmitResult, { readonly kind: 'refused' }>;

/** A duplicate of a job that nothing has touched yet starts it too: its first hint may be what was lost. */
export async function startIfNew({ door, engine }: AppParts, { kind, job }: Accepted, waited: boolean): Promise<void> {
  if (kind === 'existing' && job.state !== 'PENDING') return;
  try {
    await door.started(job, waited);
  } catch (error) {
    engine.ports.log.write('warn', 'first_hint_failed', { job_id: job.jobId, ...failureFields(error) });
  }
}

/** The state to answer with. A fresh job nobody waits for is answered as it was stored, without another read. */
async function latest({ engine }: AppParts, { kind, job }: Accepted, waitMs: number): Promise<Job> {
  if (kind === 'created' && waitMs === 0) return job;
  return awaitEnd(engine, job.jobId, isSettled(job) ? 0 : waitMs);
}

function answer({ engine }: AppParts, job: Job, waited: boolean, headers: Headers): Response {
  if (!waited) return json(isTerminal(job.state) ? 200 : 202, shown(engine, job), headers);
  const retryAfter = unavailableFor(engine, job);
  if (retryAfter !== null) return problem(unavailable(job), { ...headers, 'retry-after': String(retryAfter) });
  const told = waitingAnswer(job, planFor(engine.plans, job));
  return told.kind === 'problem' ? problem(told.problem, headers) : json(told.status, told.job, headers);
}
