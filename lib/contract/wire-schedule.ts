/** A schedule as it is shown: what it submits and when, and what became of its last ticks, oldest first. */
import { calendarOf } from '../core/calendar.ts';
import type { EpochMs } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import type { Overlap, ScheduleRecord, Tick, TickStatus } from '../core/schedule-record.ts';
import { isoTime, isoTimeOrNull } from './wire-time.ts';

export interface WireTick {
  readonly at: string;
  readonly status: TickStatus;
  readonly job_id: string | null;
  readonly reason: string | null;
}

export interface WireSchedule {
  readonly name: string;
  readonly workflow_type: string;
  readonly workflow_version: number | null;
  readonly input: Json;
  readonly expression: string;
  readonly timezone: string;
  readonly overlap: Overlap;
  readonly backfill: { readonly max_ticks: number; readonly within_seconds: number };
  readonly paused: boolean;
  readonly caller_id: string;
  readonly correlation_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly updated_by: string;
  readonly reason: string;
  /** null: paused or removed. */
  readonly next_tick_at: string | null;
  readonly last_tick_at: string | null;
  readonly ticks: readonly WireTick[];
  readonly revision: number;
}

export function wireSchedule(record: ScheduleRecord, now: EpochMs): WireSchedule {
  const { backfill, act } = record;
  const stopped = record.paused || record.removed;
  const next = stopped ? null : calendarOf(record).after(Math.max(now, record.decidedAt));
  return {
    name: record.name,
    workflow_type: record.workflowType,
    workflow_version: record.workflowVersion,
    input: record.input,
    expression: record.expression,
    timezone: record.timezone,
    overlap: record.overlap,
    backfill: { max_ticks: backfill.maxTicks, within_seconds: backfill.withinMs / 1_000 },
    paused: record.paused,
    caller_id: record.callerId,
    correlation_id: record.correlationId,
    created_at: isoTime(record.createdAt),
    updated_at: isoTime(record.updatedAt),
    updated_by: act.actor,
    reason: act.reason,
    next_tick_at: isoTimeOrNull(next),
    last_tick_at: isoTimeOrNull(record.ticks.at(-1)?.at ?? null),
    ticks: record.ticks.map(wireTick),
    revision: record.revision,
  };
}

function wireTick({ at, status, jobId, reason }: Tick): WireTick {
  return { at: isoTime(at), status, job_id: jobId, reason };
}
