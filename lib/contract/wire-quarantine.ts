/**
 * The dead-letter record of a job, made when it is quarantined and made again at later news. It holds what a person
 * needs to judge the case without the job itself.
 */
import { deadLetterIdOf, type EpochMs, type JobId } from '../core/ids.ts';
import type { ErrorLogEntry, HistoryEntry, Job } from '../core/job.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { quarantineReason } from '../core/outbox.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { isTerminal } from '../core/states.ts';
import { wireHistoryEntry } from './wire-history.ts';
import { wireErrorLogEntry, wireOpenEffects } from './wire-job.ts';
import { isoTime } from './wire-time.ts';

export interface QuarantineRecord {
  readonly deadLetterId: string;
  readonly jobId: JobId;
  readonly callerId: string;
  readonly workflowType: string;
  readonly reason: string;
  readonly status: 'open';
  readonly quarantinedAt: EpochMs;
  readonly seq: number;
  readonly body: JsonObject;
  readonly settlement: null;
}

export function deadLetterOf(
  job: Job,
  plan: WorkflowPlan,
  history: readonly HistoryEntry[],
  entry: HistoryEntry,
): QuarantineRecord {
  const { input } = job;
  const payload: JsonObject =
    input.hash === null
      ? { payload: input.data ?? null }
      : { payload_snapshot_ref: `VALUE#${job.jobId}#${input.hash}` };
  return {
    deadLetterId: deadLetterIdOf(job.jobId),
    jobId: job.jobId,
    callerId: job.callerId,
    workflowType: job.workflowType,
    reason: quarantineReason(job, history),
    status: 'open',
    quarantinedAt: entry.at,
    seq: entry.seq,
    settlement: null,
    body: {
      correlation_id: job.correlationId,
      workflow_version: job.workflowVersion,
      final_state: job.state,
      failure_error_code: job.lastErrorCode,
      failure_summary: summary(job),
      retry_history: job.errorLog.filter((one) => one.nextAttemptAt !== null).map(retry),
      error_log: job.errorLog.map(wireErrorLogEntry) as unknown as Json,
      state_history: history.slice(-LIMITS.historyInline).map((one) => wireHistoryEntry(job, one)) as unknown as Json,
      open_effects: wireOpenEffects(job, plan) as unknown as Json,
      replay_eligible: isTerminal(job.state) && job.trace.traceparent !== '',
      ...payload,
    },
  };
}

function summary(job: Job): string {
  const cause = job.lastErrorMessage ?? job.lastErrorCode ?? 'no error was recorded';
  return job.stoppedReason === null || job.stoppedReason === job.lastErrorCode
    ? cause
    : `${job.stoppedReason}: ${cause}`;
}

function retry(entry: ErrorLogEntry): JsonObject {
  return {
    step: entry.step,
    attempt: entry.attempt,
    at: isoTime(entry.at),
    error_code: entry.errorCode,
    next_attempt_at: entry.nextAttemptAt === null ? null : isoTime(entry.nextAttemptAt),
  };
}
