/**
 * One step of a job as it is shown. What the definition knows (stage, kind, topic) is not stored with the job: it is
 * read from the plan, and is null when this code does not have the job's version.
 */
import {
  forwardOperationId,
  type Job,
  type Lease,
  type StepState,
  type UndoState,
  undoOperationId,
  type Value,
} from '../core/job.ts';
import type { Json } from '../core/json.ts';
import type { StepPlan } from '../core/plan.ts';
import { isoTime, isoTimeOrNull } from './wire-time.ts';

export interface WireCompensation {
  readonly topic: string;
  readonly status: 'compensating' | 'compensated' | 'compensation_failed';
  readonly operation_id: string;
  readonly attempts: number;
  readonly started_at: string;
  readonly compensated_at: string | null;
  /** Absent when it is stored apart and was not loaded for this answer. */
  readonly result?: Json;
  readonly error_code: string | null;
}

export interface WireStep {
  readonly step: string;
  /** From 1, as people count. */
  readonly stage: number | null;
  readonly kind: string | null;
  readonly topic: string | null;
  readonly target: string | null;
  readonly status: string;
  readonly operation_id: string;
  readonly attempts: number;
  readonly may_have_applied: boolean;
  readonly locked_until: string | null;
  readonly deadline_at: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly next_attempt_at: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /** Absent when it is stored apart and was not loaded for this answer. */
  readonly output?: Json;
  readonly compensation: WireCompensation | null;
}

export function wireStep(job: Job, step: StepState, plan: StepPlan | undefined): WireStep {
  return {
    step: step.name,
    stage: plan === undefined ? null : plan.stage + 1,
    kind: plan?.kind ?? null,
    topic: plan?.topic ?? null,
    target: step.target,
    status: step.status,
    operation_id: forwardOperationId(job, step),
    attempts: step.attempts,
    may_have_applied: step.mayHaveApplied,
    locked_until: isoTimeOrNull(leaseOf(step)?.until ?? null),
    deadline_at: isoTimeOrNull(step.deadlineAt),
    started_at: isoTimeOrNull(step.startedAt),
    completed_at: isoTimeOrNull(step.completedAt),
    next_attempt_at: isoTimeOrNull(step.nextAttemptAt ?? step.undo?.nextAttemptAt ?? null),
    error_code: step.errorCode,
    error_message: step.errorMessage,
    ...loaded('output', step.output),
    compensation: step.undo === null ? null : wireCompensation(job, step, step.undo),
  };
}

function wireCompensation(job: Job, step: StepState, undo: UndoState): WireCompensation {
  return {
    topic: undo.topic,
    status: compensationStatus(step, undo),
    operation_id: undoOperationId(job, step),
    attempts: undo.attempts,
    started_at: isoTime(undo.startedAt),
    compensated_at: isoTimeOrNull(undo.compensatedAt),
    ...loaded('result', undo.result),
    error_code: undo.errorCode,
  };
}

function compensationStatus(step: StepState, undo: UndoState): WireCompensation['status'] {
  if (step.status === 'compensation_failed') return 'compensation_failed';
  if (step.status === 'compensating') return 'compensating';
  return undo.compensatedAt === null ? 'compensating' : 'compensated';
}

/** The lease that lasts longest: a step is held by its forward call or by its undo. */
export function leaseOf(step: StepState): Lease | null {
  const undo = step.undo?.lease ?? null;
  if (step.lease === null || undo === null) return step.lease ?? undo;
  return undo.until > step.lease.until ? undo : step.lease;
}

/** A document that is there is shown, one that never was is null, one that was not loaded is left out. */
export function loaded<K extends string>(member: K, value: Value | null): { readonly [name in K]?: Json } {
  if (value === null) return { [member]: null } as { readonly [name in K]?: Json };
  if (value.data === undefined) return {};
  return { [member]: value.data } as { readonly [name in K]?: Json };
}
