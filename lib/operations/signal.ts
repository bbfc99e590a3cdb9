/**
 * A caller tells one of its jobs what a step waits for, or will. Sent again under its key it is the same signal.
 */
import { type ErrorCode, isErrorCode } from '../core/errors.ts';
import type { JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { fingerprint, type Json, sha256Hex } from '../core/json.ts';
import type { FieldError } from '../core/plan.ts';
import { apply } from './apply.ts';
import type { Engine } from './engine.ts';
import { goOn } from './go-on.ts';
import { readJob, type Viewer } from './inspect.ts';

export interface SignalRequest {
  readonly jobId: JobId;
  readonly viewer: Viewer;
  readonly signal: string;
  readonly idempotencyKey: string;
  readonly payload: Json;
}

export type SignalResult =
  | { readonly kind: 'taken' | 'known'; readonly job: Job }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly detail: string;
      readonly errors?: readonly FieldError[];
    };

/** 128 bits tell keys and payloads apart, and half as many bytes lie in the job. */
const DIGEST_CHARACTERS = 32;

export async function sendSignal(engine: Engine, request: SignalRequest): Promise<SignalResult> {
  const { jobId, viewer, signal, idempotencyKey, payload } = request;
  const known = await readJob(engine, viewer, jobId);
  if (known === null) return UNKNOWN;
  const role = viewer.role === 'operator' && viewer.callerId !== known.callerId ? 'operator' : 'caller';
  const event = {
    type: 'signal',
    actor: `${role}:${viewer.callerId}`,
    signal,
    key: sha256Hex(`${viewer.callerId}\n${idempotencyKey}`).slice(0, DIGEST_CHARACTERS),
    print: fingerprint(payload).slice(0, DIGEST_CHARACTERS),
    payload,
  } as const;
  const applied = await apply(engine, jobId, () => event, known);
  switch (applied.status) {
    case 'changed':
      await goOn(engine, applied.job);
      return { kind: 'taken', job: applied.job };
    case 'ignored':
      return applied.reason === 'unknown_version' ? NOT_HERE : { kind: 'known', job: applied.job };
    case 'refused': {
      const { code, detail, errors } = applied;
      const known = isErrorCode(code) ? code : 'ORCH_INVALID_STATE_TRANSITION';
      return { kind: 'refused', code: known, detail, ...(errors === undefined ? {} : { errors }) };
    }
    case 'missing':
      return UNKNOWN;
  }
}

const UNKNOWN: SignalResult = {
  kind: 'refused',
  code: 'ORCH_UNKNOWN_JOB',
  detail: 'there is no such job, or it belongs to another caller: check the job id',
};
const NOT_HERE: SignalResult = {
  kind: 'refused',
  code: 'ORCH_RETRYABLE_STORE',
  detail: "this deployment does not have the job's version: send it again later",
};
