/**
 * A job as it is shown. This is the one place where the stored record, in camelCase and epoch milliseconds, becomes
 * the shape other programs depend on; operation ids, topics, kinds and open effects are drawn from the plan here.
 */
import { countChildren } from '../core/child-set.ts';
import { openEffects } from '../core/effects.ts';
import { childIdOf } from '../core/ids.ts';
import type { ErrorLogEntry, Job, Lease } from '../core/job.ts';
import type { Json } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { type WireHistoryEntry, wireHistoryEntry } from './wire-history.ts';
import { leaseOf, loaded, type WireStep, wireStep } from './wire-step.ts';
import { isoTime, isoTimeOrNull } from './wire-time.ts';

export interface WireOpenEffect {
  readonly step: string;
  readonly operation_id: string;
  readonly state: 'applied' | 'unknown' | 'undo_failed';
  readonly since: string;
}

export interface WireErrorLogEntry {
  readonly at: string;
  readonly step: string | null;
  readonly attempt: number;
  readonly error_code: string;
  readonly message: string;
  readonly next_attempt_at?: string;
}

export interface WireFailedChild {
  readonly index: number;
  readonly job_id: string;
  readonly error_code: string;
}

export interface WireJob {
  readonly job_id: string;
  readonly correlation_id: string;
  readonly idempotency_key: string;
  readonly input_fingerprint: string;
  readonly caller_id: string;
  readonly source: string;
  readonly workflow_type: string;
  readonly workflow_version: number;
  readonly current_state: string;
  readonly outcome: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deadline_at: string;
  readonly next_action_at: string | null;
  readonly retry_count: number;
  readonly max_retries: number;
  readonly last_error_code: string | null;
  readonly last_error_message: string | null;
  readonly stopped_reason: string | null;
  readonly owner_agent: string | null;
  readonly locked_until: string | null;
  readonly trace_context: { readonly traceparent: string; readonly tracestate?: string };
  readonly replay_of: string | null;
  readonly replayed_by: readonly string[];
  /** The run before it, where a job is another run of one that failed; else it is left out. */
  readonly rerun_of?: string;
  readonly recovery_of: string | null;
  readonly undone_by: string | null;
  readonly parent_job_id: string | null;
  readonly children: {
    readonly total: number;
    readonly pending: number;
    readonly succeeded: number;
    readonly failed: number;
  } | null;
  /** The first of them to fail; absent when none has. */
  readonly failed_children?: readonly WireFailedChild[];
  /** Absent, like `output`, when it is stored apart and was not loaded for this answer (lists). */
  readonly input?: Json;
  readonly output?: Json;
  readonly steps: readonly WireStep[];
  readonly open_effects: readonly WireOpenEffect[];
  readonly error_log: readonly WireErrorLogEntry[];
  readonly state_history: readonly WireHistoryEntry[];
  readonly revision: number;
}

export function wireJob(job: Job, plan: WorkflowPlan | undefined): WireJob {
  const lease = latestLease(job);
  return {
    job_id: job.jobId,
    correlation_id: job.correlationId,
    idempotency_key: job.idempotencyKey,
    input_fingerprint: job.inputFingerprint,
    caller_id: job.callerId,
    source: job.source,
    workflow_type: job.workflowType,
    workflow_version: job.workflowVersion,
    current_state: job.state,
    outcome: job.outcome,
    created_at: isoTime(job.createdAt),
    updated_at: isoTime(job.updatedAt),
    deadline_at: isoTime(job.deadlineAt),
    next_action_at: isoTimeOrNull(job.nextActionAt),
    retry_count: job.retryCount,
    max_retries: job.maxRetries,
    last_error_code: job.lastErrorCode,
    last_error_message: job.lastErrorMessage,
    stopped_reason: job.stoppedReason,
    owner_agent: lease?.owner ?? null,
    locked_until: isoTimeOrNull(lease?.until ?? null),
    trace_context: wireTrace(job),
    replay_of: job.lineage.replayOf ?? null,
    replayed_by: job.lineage.replayedBy ?? [],
    ...(job.lineage.rerunOf === undefined ? {} : { rerun_of: job.lineage.rerunOf }),
    recovery_of: job.lineage.recoveryOf ?? null,
    undone_by: job.lineage.undoneBy ?? null,
    parent_job_id: job.lineage.parentJobId ?? null,
    children: countChildren(job),
    ...wireFailedChildren(job),
    ...loaded('input', job.input),
    ...loaded('output', job.output),
    steps: job.steps.map((step) =>
      wireStep(
        job,
        step,
        plan?.steps.find((planned) => planned.name === step.name),
      ),
    ),
    open_effects: wireOpenEffects(job, plan),
    error_log: job.errorLog.map(wireErrorLogEntry),
    state_history: job.history.slice(-LIMITS.historyInline).map((entry) => wireHistoryEntry(job, entry)),
    revision: job.revision,
  };
}

/** With their codes as far as the job itself keeps them; the output of the step names all. */
export function wireFailedChildren(job: Job): { readonly failed_children?: readonly WireFailedChild[] } {
  const failed = job.steps.flatMap(({ name, round, children }) =>
    (children?.failures ?? []).map(([index, error_code]) => ({
      index,
      job_id: childIdOf(job.jobId, name, round, index),
      error_code,
    })),
  );
  return failed.length === 0 ? {} : { failed_children: failed.sort((a, b) => a.index - b.index) };
}

/** Without the plan nobody can say which steps have effects: the list is then empty, and the version says why. */
export function wireOpenEffects(job: Job, plan: WorkflowPlan | undefined): WireOpenEffect[] {
  if (plan === undefined) return [];
  return openEffects(job, plan).map((effect) => ({
    step: effect.step,
    operation_id: effect.operationId,
    state: effect.state,
    since: isoTime(effect.since),
  }));
}

export function wireErrorLogEntry(entry: ErrorLogEntry): WireErrorLogEntry {
  return {
    at: isoTime(entry.at),
    step: entry.step,
    attempt: entry.attempt,
    error_code: entry.errorCode,
    message: entry.message,
    ...(entry.nextAttemptAt === null ? {} : { next_attempt_at: isoTime(entry.nextAttemptAt) }),
  };
}

function wireTrace(job: Job): WireJob['trace_context'] {
  const { traceparent, tracestate } = job.trace;
  return tracestate === null ? { traceparent } : { traceparent, tracestate };
}

function latestLease(job: Job): Lease | null {
  let latest: Lease | null = null;
  for (const step of job.steps) {
    const lease = leaseOf(step);
    if (lease !== null && (latest === null || lease.until > latest.until)) latest = lease;
  }
  return latest;
}
