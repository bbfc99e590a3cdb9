/**
 * dacapo as a Benzene service: health, the derived spec, and the envelope by which generic tools call any service. A
 * submit by envelope is a submit like any other: same keys, same duplicates, same refusals.
 */
import type { Hono } from 'hono';
import { BENZENE, type Health, healthOf, submittedBy } from '../contract/benzene.ts';
import { parseDocument } from '../contract/documents.ts';
import {
  type EnvelopeRequest,
  type EnvelopeResponse,
  envelopeRequest,
  headerOf,
  problemResponse,
  successResponse,
} from '../contract/envelope.ts';
import { type HeaderReader, readCorrelationId, readIdempotencyKey, readTrace } from '../contract/headers.ts';
import { malformed, problemOf, Refusal } from '../contract/problem.ts';
import { refuseParameters } from '../contract/requests.ts';
import { checkDocument } from '../contract/schema.ts';
import { statusOfHttp } from '../contract/status.ts';
import { jobIdOf } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { isTerminal } from '../core/states.ts';
import { submit } from '../operations/submit.ts';
import type { AppParts } from './parts.ts';
import { readDocument } from './read-body.ts';
import { json, shown } from './respond.ts';
import { type Asked, resource } from './routing.ts';
import { startIfNew } from './submit-routes.ts';

export function benzeneRoutes(app: Hono, parts: AppParts): void {
  resource(app, BENZENE.health, {
    GET: async (asked) => {
      refuseParameters(asked.parameters);
      const health = await healthNow(parts);
      return json(health.isHealthy ? 200 : 503, health);
    },
  });
  resource(app, BENZENE.spec, {
    GET: (asked) => {
      parts.caller(asked.request);
      refuseParameters(asked.parameters);
      return json(200, parts.documents.spec());
    },
  });
  resource(app, BENZENE.invoke, { POST: (asked) => invoke(parts, asked) });
}

/** Asks the store for a job that nobody has: an answer is an answer. */
async function healthNow({ engine }: AppParts): Promise<Health> {
  const store = await engine.ports.jobs.read(NOBODY).then(
    () => 'ok' as const,
    () => 'failed' as const,
  );
  return healthOf({ store: { status: store, type: 'job-store' } });
}

const NOBODY = jobIdOf('benzene', 'health', 'check');

async function invoke(parts: AppParts, asked: Asked): Promise<Response> {
  const caller = parts.caller(asked.request);
  refuseParameters(asked.parameters);
  const document = await readDocument(asked.request, ENVELOPE_BYTES_MAX);
  const read = checkDocument(envelopeRequest, document);
  if (!read.ok) throw malformed('body: send an envelope {topic, headers, body}', read.errors);
  return json(200, await answer(parts, caller.callerId, read.value));
}

/** The envelope's body is text within a text: every quote of it is written as two characters. */
const ENVELOPE_BYTES_MAX = 2 * LIMITS.inputBytesMax;

async function answer(parts: AppParts, callerId: string, request: EnvelopeRequest): Promise<EnvelopeResponse> {
  if (request.topic === '') return problemResponse('validation-error', { detail: 'the envelope names no topic' });
  if (request.topic === BENZENE.meshTopic) return successResponse('ok', parts.documents.descriptor());
  if (request.topic === BENZENE.healthTopic) {
    const health = await healthNow(parts);
    return { ...successResponse('ok', health), ...(health.isHealthy ? {} : UNHEALTHY) };
  }
  const workflowType = submittedBy(request.topic);
  if (workflowType === null) {
    const detail = `dacapo does not serve ${request.topic}; GET ${BENZENE.spec} lists its topics`;
    return problemResponse('not-found', { code: 'ORCH_NOT_FOUND', applied: false, detail });
  }
  try {
    return await submitted(parts, callerId, workflowType, request);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusedWith(error.code, error.message);
  }
}

const UNHEALTHY = { statusCode: 'service-unavailable', isSuccessful: false } as const;

async function submitted(
  parts: AppParts,
  callerId: string,
  workflowType: string,
  { headers, body }: EnvelopeRequest,
): Promise<EnvelopeResponse> {
  const reader: HeaderReader = { get: (name) => headerOf(headers, name) };
  const result = await submit(parts.engine, {
    callerId,
    source: 'api',
    workflowType,
    version: versionIn(reader),
    idempotencyKey: readIdempotencyKey(reader),
    correlationId: readCorrelationId(reader),
    trace: readTrace(reader),
    input: parseDocument(body),
  });
  if (result.kind === 'refused') return refusedWith(result.code, result.detail, result.errors);
  await startIfNew(parts, result, false);
  const status = isTerminal(result.job.state) ? 'ok' : 'accepted';
  return successResponse(status, shown(parts.engine, result.job));
}

function versionIn(headers: HeaderReader): number | null {
  const text = headers.get('x-workflow-version');
  if (text === null) return null;
  if (/^v?[1-9]\d{0,8}$/.test(text)) return Number(text.replace('v', ''));
  throw malformed('header x-workflow-version: write the number of a version');
}

function refusedWith(
  code: string,
  detail: string,
  errors: readonly { readonly path: string; readonly message: string }[] = [],
): EnvelopeResponse {
  const told = problemOf(code, detail, { errors });
  const places = told.errors === undefined ? {} : { errors: told.errors };
  return problemResponse(statusOfHttp(told.status), { code, applied: false, detail: told.detail, ...places });
}
