/**
 * What people do to jobs: cancel, and what an operator may do to one that cannot go on by itself. Every action names its
 * reason; the operations decide who may and when, and keep the refused attempts too.
 */
import type { Hono } from 'hono';
import {
  ACTION_BYTES_MAX,
  type Action,
  readAction,
  readApprove,
  readForceClose,
  readResolve,
} from '../contract/action-requests.ts';
import { refuseParameters } from '../contract/requests.ts';
import type { OperatorAct } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import type { ActionResult } from '../operations/act-on.ts';
import { cancel } from '../operations/cancel.ts';
import { operate } from '../operations/operate.ts';
import { namedJob } from './job-routes.ts';
import type { AppParts } from './parts.ts';
import { readDocument } from './read-body.ts';
import { jobHeaders, json, refusal, shown } from './respond.ts';
import { type Asked, resource } from './routing.ts';

interface Said extends Action {
  readonly act: OperatorAct;
  readonly evidence: string | null;
}

export function actionRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/jobs/:job_id/cancel', { POST: (asked) => cancelJob(parts, asked) });
  const action = (path: string, read: (body: Json, jobId: JobId) => Said): void =>
    resource(app, `/jobs/:job_id/${path}`, { POST: (asked) => act(parts, asked, read) });
  const plain =
    (name: 'resume' | 'retry_compensation' | 'close') =>
    (body: Json): Said => ({
      ...readAction(body),
      evidence: null,
      act: { action: name },
    });
  action('resume', plain('resume'));
  action('retry-compensation', plain('retry_compensation'));
  action('close', plain('close'));
  action('force-close', (body, jobId) => ({
    ...readForceClose(body, jobId),
    evidence: null,
    act: { action: 'force_close' },
  }));
  action('approve', (body) => {
    const { step, decision, ...said } = readApprove(body);
    return { ...said, evidence: null, act: { action: 'approve', step, decision } };
  });
  action('resolve', (body) => {
    const { step, resolution, output, ...said } = readResolve(body);
    return { ...said, act: { action: 'resolve', step, resolution, output } };
  });
}

async function cancelJob({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const jobId = namedJob(asked);
  const action = readAction(await readDocument(asked.request, ACTION_BYTES_MAX));
  return told({ engine }, jobId, await cancel(engine, { jobId, viewer, ...action }));
}

async function act(
  { engine, caller }: AppParts,
  asked: Asked,
  read: (body: Json, jobId: JobId) => Said,
): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const jobId = namedJob(asked);
  const said = read(await readDocument(asked.request, ACTION_BYTES_MAX), jobId);
  return told({ engine }, jobId, await operate(engine, { jobId, viewer, ...said }));
}

function told({ engine }: Pick<AppParts, 'engine'>, jobId: JobId, result: ActionResult): Response {
  if (result.kind === 'done') return json(202, shown(engine, result.job), jobHeaders(result.job));
  // Of a job that is not the caller's, not even the id is confirmed.
  const about = result.code === 'ORCH_UNKNOWN_JOB' || result.code === 'ORCH_FORBIDDEN' ? {} : { jobId };
  return refusal(result.code, result.detail, about);
}
