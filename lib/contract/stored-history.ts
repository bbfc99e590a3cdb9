/**
 * History entries and error log entries as stored: tuples, since every job carries many and names would outweigh
 * what they name. Members that are rarely set stand last, and trailing nulls are left out.
 */
import type { EpochMs } from '../core/ids.ts';
import type { ErrorLogEntry, HistoryEntry } from '../core/job.ts';
import type { JobState } from '../core/states.ts';

type Rare = string | null;

export type StoredEntry = readonly [
  seq: number,
  from: JobState | null,
  to: JobState,
  reason: string,
  at: EpochMs,
  actor: string,
  mark: string,
  errorCode?: Rare,
  step?: Rare,
  evidence?: Rare,
];

export function encodeEntry(entry: HistoryEntry): StoredEntry {
  const { seq, from, to, reason, at, actor, mark, errorCode, step, evidence } = entry;
  if (evidence !== null) return [seq, from, to, reason, at, actor, mark, errorCode, step, evidence];
  if (step !== null) return [seq, from, to, reason, at, actor, mark, errorCode, step];
  if (errorCode !== null) return [seq, from, to, reason, at, actor, mark, errorCode];
  return [seq, from, to, reason, at, actor, mark];
}

export function decodeEntry(stored: StoredEntry): HistoryEntry {
  const [seq, from, to, reason, at, actor, mark, errorCode = null, step = null, evidence = null] = stored;
  return { seq, from, to, reason, at, actor, errorCode, step, evidence, mark };
}

export type StoredError = readonly [
  at: EpochMs,
  attempt: number,
  errorCode: string,
  message: string,
  step?: Rare,
  nextAttemptAt?: EpochMs | null,
];

export function encodeError(entry: ErrorLogEntry): StoredError {
  const { at, attempt, errorCode, message, step, nextAttemptAt } = entry;
  if (nextAttemptAt !== null) return [at, attempt, errorCode, message, step, nextAttemptAt];
  if (step !== null) return [at, attempt, errorCode, message, step];
  return [at, attempt, errorCode, message];
}

export function decodeError(stored: StoredError): ErrorLogEntry {
  const [at, attempt, errorCode, message, step = null, nextAttemptAt = null] = stored;
  return { at, step, attempt, errorCode, message, nextAttemptAt };
}
