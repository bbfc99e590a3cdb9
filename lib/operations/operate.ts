/**
 * An operator acts on a job: guarded by the core, told in the history, refused attempts told in the audit. The way on
 * starts at once; should this process die before, the job's next action brings it about.
 */
import type { OperatorAct } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import { type ActionResult, actOn, refuser } from './act-on.ts';
import type { Engine } from './engine.ts';
import { readJob, type Viewer } from './inspect.ts';

export interface OperateRequest {
  readonly jobId: JobId;
  readonly viewer: Viewer;
  readonly reason: string;
  readonly evidence: string | null;
  readonly expectedRevision: number | null;
  readonly act: OperatorAct;
}

export async function operate(engine: Engine, request: OperateRequest): Promise<ActionResult> {
  const { viewer, jobId, reason, evidence, expectedRevision, act } = request;
  const actor = `operator:${viewer.callerId}`;
  const refuse = refuser(engine, { actor, action: act.action, subject: jobId, jobId, reason });
  if (viewer.role !== 'operator') return refuse('ORCH_FORBIDDEN', 'this needs the role operator');
  const known = await readJob(engine, viewer, jobId);
  if (known === null) return refuse('ORCH_UNKNOWN_JOB', 'no such job: check the id');
  return actOn(engine, known, { type: 'operate', actor, reason, evidence, expectedRevision, act }, refuse);
}
