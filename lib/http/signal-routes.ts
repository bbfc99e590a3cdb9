/**
 * POST /jobs/{job_id}/signals/{name}: what a caller tells a job of its own. It names a key, so that sending it again
 * after a lost answer is the same signal.
 */
import type { Hono } from 'hono';
import { readIdempotencyKey } from '../contract/headers.ts';
import { malformed } from '../contract/problem.ts';
import { refuseParameters } from '../contract/requests.ts';
import { LIMITS } from '../core/limits.ts';
import { sendSignal } from '../operations/signal.ts';
import { namedJob } from './job-routes.ts';
import type { AppParts } from './parts.ts';
import { readDocument } from './read-body.ts';
import { jobHeaders, json, refusal, shown } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function signalRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/jobs/:job_id/signals/:name', { POST: (asked) => signal(parts, asked) });
}

async function signal({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const idempotencyKey = readIdempotencyKey(asked.request.headers);
  if (idempotencyKey === null) {
    const message = 'send a key of your own, so that the signal counts once however often it is sent';
    throw malformed(`header idempotency-key: ${message}`, [{ path: 'header:idempotency-key', message }]);
  }
  const jobId = namedJob(asked);
  const payload = await readDocument(asked.request, LIMITS.signalBytesMax);
  const result = await sendSignal(engine, { jobId, viewer, signal: asked.part('name'), idempotencyKey, payload });
  if (result.kind === 'refused') {
    const about = result.code === 'ORCH_UNKNOWN_JOB' ? {} : { jobId };
    return refusal(result.code, result.detail, {
      ...about,
      ...(result.errors === undefined ? {} : { errors: result.errors }),
    });
  }
  const replayed = result.kind === 'known' ? { 'idempotency-replayed': 'true' } : {};
  return json(202, shown(engine, result.job), { ...jobHeaders(result.job), ...replayed });
}
