/**
 * One lifecycle event as it is shown: in a job's `state_history`, at `/history`, and on the bus.
 */
import type { HistoryEntry, Job } from '../core/job.ts';
import { isoTime } from './wire-time.ts';

export interface WireHistoryEntry {
  readonly event_id: string;
  readonly seq: number;
  readonly job_id: string;
  readonly correlation_id: string;
  readonly workflow_type: string;
  readonly from_state: string | null;
  readonly to_state: string;
  readonly transition_reason: string;
  readonly error_code?: string;
  readonly step?: string;
  readonly actor: string;
  readonly evidence?: string;
  readonly occurred_at: string;
}

/** What every entry of a job repeats, so that it can stand alone. */
export type HistorySubject = Pick<Job, 'jobId' | 'correlationId' | 'workflowType'>;

export function wireHistoryEntry(subject: HistorySubject, entry: HistoryEntry): WireHistoryEntry {
  return {
    event_id: `${subject.jobId}.${entry.seq}`,
    seq: entry.seq,
    job_id: subject.jobId,
    correlation_id: subject.correlationId,
    workflow_type: subject.workflowType,
    from_state: entry.from,
    to_state: entry.to,
    transition_reason: entry.reason,
    ...(entry.errorCode === null ? {} : { error_code: entry.errorCode }),
    ...(entry.step === null ? {} : { step: entry.step }),
    actor: entry.actor,
    ...(entry.evidence === null ? {} : { evidence: entry.evidence }),
    occurred_at: isoTime(entry.at),
  };
}
