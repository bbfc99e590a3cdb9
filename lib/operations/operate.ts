/**
 * An operator acts on a job: guarded by the core, told in the history, refused attempts told in the audit. The way on
 * starts at once; should this process die before, the job's next action brings it about.
 */
import { type ErrorCode, isErrorCode } from '../core/errors.ts';
import type { OperatorAct } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { apply } from './apply.ts';
import { auditRefusal } from './audit.ts';
import type { Engine } from './engine.ts';
import { goOn } from './go-on.ts';
import { readJob, type Viewer } from './inspect.ts';

export interface OperateRequest {
  readonly jobId: JobId;
  readonly viewer: Viewer;
  readonly reason: string;
  readonly evidence: string | null;
  readonly expectedRevision: number | null;
  readonly act: OperatorAct;
}

export type ActionResult =
  | { readonly kind: 'done'; readonly job: Job }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string };

export async function operate(engine: Engine, request: OperateRequest): Promise<ActionResult> {
  const { viewer, jobId, reason, act } = request;
  const actor = `operator:${viewer.callerId}`;
  const refuse = async (code: ErrorCode, detail: string): Promise<ActionResult> => {
    await auditRefusal(engine, { actor, action: act.action, subject: jobId, jobId, reason }, code, detail);
    return { kind: 'refused', code, detail };
  };
  if (viewer.role !== 'operator') return refuse('ORCH_FORBIDDEN', 'this needs the role operator');
  const known = await readJob(engine, viewer, jobId);
  if (known === null) return refuse('ORCH_UNKNOWN_JOB', 'no such job: check the id');
  const { evidence, expectedRevision } = request;
  const event = () => ({ type: 'operate', actor, reason, evidence, expectedRevision, act }) as const;
  const applied = await apply(engine, jobId, event, known);
  switch (applied.status) {
    case 'changed':
      await goOn(engine, applied.job);
      return { kind: 'done', job: applied.job };
    case 'refused':
      return refuse(isErrorCode(applied.code) ? applied.code : 'ORCH_INVALID_STATE_TRANSITION', applied.detail);
    case 'ignored':
      return refuse('ORCH_INVALID_STATE_TRANSITION', `not now: ${applied.reason}`);
    case 'missing':
      return refuse('ORCH_UNKNOWN_JOB', 'no such job: check the id');
  }
}
