/**
 * A workflow on a schedule, as one record: what to submit, when, and what became of the last ticks. Ticks are decided
 * here by a conditional write before anything is submitted; so two who look at once, or one who dies in between, come to
 * one decision about each.
 */
import type { EpochMs, JobId } from './ids.ts';
import type { Json } from './json.ts';

/** What becomes of a tick while the job of an earlier one has not ended. */
export const OVERLAPS = ['skip', 'queue', 'allow'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** `due` is decided and not yet known to be submitted; `missed` stands for all up to its time since the one before. */
export const TICK_STATUSES = ['due', 'started', 'refused', 'queued', 'skipped', 'missed'] as const;
export type TickStatus = (typeof TICK_STATUSES)[number];

export interface Tick {
  readonly at: EpochMs;
  readonly status: TickStatus;
  readonly jobId: JobId | null;
  readonly reason: string | null;
}

/** What is made up for of ticks that nobody was there to see: the newest ones that are not older. */
export interface Backfill {
  readonly maxTicks: number;
  readonly withinMs: number;
}

/** The last thing a person did to it; the audit is drawn from here. */
export interface ScheduleAct {
  readonly action: 'set' | 'pause' | 'resume' | 'remove';
  readonly actor: string;
  readonly reason: string;
  readonly at: EpochMs;
  readonly revision: number;
  /** The audit has it. */
  readonly told: boolean;
}

export interface ScheduleRecord {
  readonly name: string;
  /** Whose jobs the ticks are. */
  readonly callerId: string;
  readonly workflowType: string;
  /** null: the newest when a tick comes. */
  readonly workflowVersion: number | null;
  readonly input: Json;
  readonly correlationId: string;
  readonly expression: string;
  readonly timezone: string;
  readonly overlap: Overlap;
  readonly backfill: Backfill;
  readonly paused: boolean;
  /** Kept for a while, so that a late writer finds that it is gone. */
  readonly removed: boolean;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly anchorAt: EpochMs;
  /** Every tick up to here is decided. */
  readonly decidedAt: EpochMs;
  /** Oldest first: the newest ones, and all that still wait. */
  readonly ticks: readonly Tick[];
  /** The job of the newest tick that started: an overlap is with this one. */
  readonly runningJobId: JobId | null;
  /** When there is something to do next; null: not by itself. */
  readonly lookAt: EpochMs | null;
  readonly act: ScheduleAct;
  readonly revision: number;
  readonly writeId: string;
}

/** Stable for one tick, whoever submits it. */
export function tickKey(name: string, at: EpochMs): string {
  return `${name}@${new Date(at).toISOString()}`;
}
