/**
 * Stops a job on request of its caller or of an operator. Granted, the way back starts at once; refused, nothing
 * changes, and the attempt is told in the audit.
 */
import { type ErrorCode, isErrorCode } from '../core/errors.ts';
import type { JobId } from '../core/ids.ts';
import { apply } from './apply.ts';
import { auditRefusal } from './audit.ts';
import type { Engine } from './engine.ts';
import { goOn } from './go-on.ts';
import { readJob, type Viewer } from './inspect.ts';
import type { ActionResult } from './operate.ts';

export interface CancelRequest {
  readonly jobId: JobId;
  readonly viewer: Viewer;
  readonly reason: string;
  readonly expectedRevision: number | null;
}

export async function cancel(engine: Engine, request: CancelRequest): Promise<ActionResult> {
  const { viewer, jobId, reason, expectedRevision } = request;
  const known = await readJob(engine, viewer, jobId);
  const role = viewer.role === 'operator' && viewer.callerId !== known?.callerId ? 'operator' : 'caller';
  const actor = `${role}:${viewer.callerId}`;
  const refuse = async (code: ErrorCode, detail: string): Promise<ActionResult> => {
    await auditRefusal(engine, { actor, action: 'cancel', subject: jobId, jobId, reason }, code, detail);
    return { kind: 'refused', code, detail };
  };
  if (known === null) return refuse('ORCH_UNKNOWN_JOB', 'no such job, or it belongs to another caller');
  const applied = await apply(engine, jobId, () => ({ type: 'cancel', actor, reason, expectedRevision }), known);
  switch (applied.status) {
    case 'changed':
      await goOn(engine, applied.job);
      return { kind: 'done', job: applied.job };
    case 'refused':
      return refuse(isErrorCode(applied.code) ? applied.code : 'ORCH_INVALID_STATE_TRANSITION', applied.detail);
    case 'ignored':
      return refuse('ORCH_INVALID_STATE_TRANSITION', `not now: ${applied.reason}`);
    case 'missing':
      return refuse('ORCH_UNKNOWN_JOB', 'no such job, or it belongs to another caller');
  }
}
