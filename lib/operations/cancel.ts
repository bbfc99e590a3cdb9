/**
 * Stops a job on request of its caller or of an operator. Granted, the way back starts at once; refused, nothing changes.
 */

import type { ErrorCode } from '../core/errors.ts';
import { isErrorCode } from '../core/errors.ts';
import type { JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { driverKindOf } from '../core/schedule.ts';
import { isTerminal } from '../core/states.ts';
import { queueOf } from '../ports.ts';
import { apply } from './apply.ts';
import type { Engine } from './engine.ts';
import { readJob, type Viewer } from './inspect.ts';
import { publish } from './publish.ts';

export interface CancelRequest {
  readonly jobId: JobId;
  readonly viewer: Viewer;
  readonly reason: string;
  readonly expectedRevision: number | null;
}

export type CancelResult =
  | { readonly kind: 'done'; readonly job: Job }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string };

export async function cancel(engine: Engine, request: CancelRequest): Promise<CancelResult> {
  const { viewer, jobId, reason, expectedRevision } = request;
  const known = await readJob(engine, viewer, jobId);
  if (known === null) return unknownJob;
  const role = viewer.role === 'operator' && viewer.callerId !== known.callerId ? 'operator' : 'caller';
  const actor = `${role}:${viewer.callerId}`;
  const applied = await apply(engine, jobId, () => ({ type: 'cancel', actor, reason, expectedRevision }), known);
  switch (applied.status) {
    case 'changed':
      await goOn(engine, applied.job);
      return { kind: 'done', job: applied.job };
    case 'refused':
      return {
        kind: 'refused',
        code: isErrorCode(applied.code) ? applied.code : 'ORCH_INVALID_STATE_TRANSITION',
        detail: applied.detail,
      };
    case 'ignored':
      return { kind: 'refused', code: 'ORCH_INVALID_STATE_TRANSITION', detail: `not now: ${applied.reason}` };
    case 'missing':
      return unknownJob;
  }
}

const unknownJob = {
  kind: 'refused',
  code: 'ORCH_UNKNOWN_JOB',
  detail: 'no such job, or it belongs to another caller',
} as const;

/** What follows is on its way already by the job's next action; this only makes it soon. */
async function goOn(engine: Engine, job: Job): Promise<void> {
  try {
    if (isTerminal(job.state)) await publish(engine, job);
    else {
      const hint = { kind: 'hint', jobId: job.jobId, revision: job.revision, hops: 0 } as const;
      await engine.ports.queue.send(queueOf(driverKindOf(job)), hint, 0);
    }
  } catch (error) {
    const message = error instanceof Error ? error.name : 'unknown';
    engine.ports.log.write('warn', 'cancel_follow_up_failed', { job_id: job.jobId, error: message });
  }
}
