/**
 * The dead-letter record of a job, made when it is quarantined and made again at later news. It holds what a person
 * needs to judge the case without the job itself.
 */
import { deadLetterIdOf, type EpochMs, type JobId } from '../core/ids.ts';
import type { ErrorLogEntry, HistoryEntry, Job } from '../core/job.ts';
import { byteLength, type Json, type JsonObject } from '../core/json.ts';
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
  plan: WorkflowPlan | undefined,
  history: readonly HistoryEntry[],
  entry: HistoryEntry,
): QuarantineRecord {
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
      ...payloadOf(job),
    },
  };
}

/** A page of a hundred records with payloads of this size stays under half a megabyte. */
const PAYLOAD_INLINE_BYTES_MAX = 4_096;

/** The input itself, or where it is kept: `GET /jobs/{id}` shows it whole. */
function payloadOf({ jobId, input }: Job): JsonObject {
  const { data, hash } = input;
  const isSmall = data !== undefined && byteLength(JSON.stringify(data)) <= PAYLOAD_INLINE_BYTES_MAX;
  if (isSmall || hash === null) return { payload: data ?? null };
  return { payload_snapshot_ref: `VALUE#${jobId}#${hash}` };
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
