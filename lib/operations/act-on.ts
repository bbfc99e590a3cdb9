/**
 * What follows when a person acts on a job: done, the way on starts at once; refused, nothing changes, and the attempt is
 * told in the audit with the reason.
 */
import { type ErrorCode, isErrorCode } from '../core/errors.ts';
import type { JobEvent } from '../core/events.ts';
import type { Job } from '../core/job.ts';
import { apply } from './apply.ts';
import { type Attempt, auditRefusal } from './audit.ts';
import type { Engine } from './engine.ts';
import { goOn } from './go-on.ts';

export type ActionResult =
  | { readonly kind: 'done'; readonly job: Job }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string };

type Refuse = (code: ErrorCode, detail: string) => Promise<ActionResult>;

export function refuser(engine: Engine, attempt: Attempt): Refuse {
  return async (code, detail) => {
    await auditRefusal(engine, attempt, code, detail);
    return { kind: 'refused', code, detail };
  };
}

export async function actOn(engine: Engine, known: Job, event: JobEvent, refuse: Refuse): Promise<ActionResult> {
  const applied = await apply(engine, known.jobId, () => event, known);
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
