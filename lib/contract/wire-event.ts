/**
 * What the bus carries: outcome events and alerts. Ids follow from the history entry, so consumers can tell a
 * repetition from news.
 */

import { deadLetterIdOf } from '../core/ids.ts';
import type { HistoryEntry, Job } from '../core/job.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { byteLength } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { type Consequences, outcomeEventId } from '../core/outbox.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { wireHistoryEntry } from './wire-history.ts';
import { wireOpenEffects } from './wire-job.ts';
import { isoTime } from './wire-time.ts';

export interface WireEvent {
  readonly eventId: string;
  readonly detailType: string;
  readonly detail: JsonObject;
  readonly time: number;
}

/** Every event that one history entry leads to. */
export function busEventsOf(job: Job, plan: WorkflowPlan, due: Consequences): WireEvent[] {
  const events: WireEvent[] = [];
  const { entry } = due;
  const add = (detailType: string, eventId: string, detail: JsonObject): void => {
    events.push({ eventId, detailType, detail: bounded({ event_id: eventId, ...detail }), time: entry.at });
  };
  if (due.outcome === 'completed') {
    const detail = { ...common(job, due), output: job.output?.data ?? null };
    add(plan.events.completed, outcomeEventId(job.jobId, entry.seq), detail);
  }
  if (due.outcome === 'failed') {
    const supersedes = due.supersedes === null ? {} : { supersedes: due.supersedes };
    add(plan.events.failed, outcomeEventId(job.jobId, entry.seq), {
      ...common(job, due),
      ...why(job, plan),
      ...supersedes,
    });
  }
  if (due.approval !== null) {
    const asked = { step: entry.step, expires_at: entry.evidence };
    add(`job.approval_${due.approval}`, `${job.jobId}.${entry.seq}.approval`, { ...common(job, due), ...asked });
  }
  if (due.review)
    add('job.needs_review', `${job.jobId}.${entry.seq}.review`, { ...common(job, due), ...why(job, plan) });
  if (due.deadLetter) {
    const detail = { ...common(job, due), ...why(job, plan), dead_letter_id: deadLetterIdOf(job.jobId) };
    add('job.dead_lettered', `${job.jobId}.${entry.seq}.dead`, detail);
  }
  return events;
}

/** One a history entry, where a deployment asks for them. */
export function transitionedEvent(job: Job, entry: HistoryEntry): WireEvent {
  const { traceparent, tracestate } = job.trace;
  const trace = tracestate === null ? { traceparent } : { traceparent, tracestate };
  const detail: JsonObject = { ...wireHistoryEntry(job, entry), ...trace };
  return { eventId: `${job.jobId}.${entry.seq}`, detailType: 'job.transitioned', detail, time: entry.at };
}

function common(job: Job, due: Consequences): JsonObject {
  return {
    job_id: job.jobId,
    correlation_id: job.correlationId,
    workflow_type: job.workflowType,
    workflow_version: job.workflowVersion,
    outcome: job.outcome,
    current_state: due.entry.to,
    occurred_at: isoTime(due.entry.at),
    traceparent: job.trace.traceparent,
    ...(job.trace.tracestate === null ? {} : { tracestate: job.trace.tracestate }),
  };
}

function why(job: Job, plan: WorkflowPlan): JsonObject {
  const failedStep = job.history.findLast((entry) => entry.step !== null && entry.errorCode !== null)?.step ?? null;
  const code = job.turnBack?.cause === 'cancel' ? 'ORCH_CANCELLED' : (job.lastErrorCode ?? job.stoppedReason);
  return {
    reason: { error_code: code, message: job.lastErrorMessage, step: failedStep },
    open_effects: wireOpenEffects(job, plan) as unknown as Json,
  };
}

/** An output over the bus's limit is left at the job, which the event names. */
function bounded(detail: JsonObject): JsonObject {
  if (!('output' in detail) || byteLength(JSON.stringify(detail)) <= LIMITS.eventDetailBytesMax) return detail;
  const { output: _, ...rest } = detail;
  return { ...rest, output_ref: `/jobs/${String(detail.job_id)}` };
}
