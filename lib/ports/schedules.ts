/** Ports of schedules: where they are kept, and what wakes them in time. */
import type { EpochMs } from '../core/ids.ts';
import type { ScheduleRecord } from '../core/schedule-record.ts';

export type ScheduleWritten =
  | { readonly stored: true }
  | { readonly stored: false; readonly current: ScheduleRecord | null };

export interface SchedulePage {
  readonly items: readonly ScheduleRecord[];
  /** Continue after this name; null: that was all. */
  readonly next: string | null;
}

/** Removed ones are kept for a while and still answered by name, so that a late writer loses against the removal. */
export interface ScheduleStore {
  /**
   * Replaces the record if its revision is `expectedRevision`, null: if there is none. A write of ours whose answer was
   * lost counts as stored.
   */
  put(record: ScheduleRecord, expectedRevision: number | null): Promise<ScheduleWritten>;
  /** The latest state, consistently. */
  get(name: string): Promise<ScheduleRecord | null>;
  /** By name, without removed ones. */
  list(query: { readonly limit: number; readonly after: string | null }): Promise<SchedulePage>;
  /** Names whose time to look has come, longest overdue first; may lag. */
  due(now: EpochMs, limit: number): Promise<readonly string[]>;
}

/** Wakes the looking-after of a schedule in time. What it misses is found by whoever looks each minute. */
export interface Wakeups {
  /** Replaces what was set for this name before. */
  set(when: {
    readonly name: string;
    readonly expression: string;
    readonly timezone: string;
    readonly firstAt: EpochMs;
  }): Promise<void>;
  /** One that is not there is a success. */
  remove(name: string): Promise<void>;
}
