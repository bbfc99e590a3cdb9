/**
 * Stops a job on request of its caller or of an operator. Granted, the way back starts at once; refused, nothing
 * changes, and the attempt is told in the audit.
 */
import type { JobId } from '../core/ids.ts';
import { type ActionResult, actOn, refuser } from './act-on.ts';
import type { Engine } from './engine.ts';
import { readJob, type Viewer } from './inspect.ts';

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
  const refuse = refuser(engine, { actor, action: 'cancel', subject: jobId, jobId, reason });
  if (known === null) return refuse('ORCH_UNKNOWN_JOB', 'no such job, or it belongs to another caller');
  return actOn(engine, known, { type: 'cancel', actor, reason, expectedRevision }, refuse);
}
