/**
 * Forgets what has been kept long enough: jobs that ended a retention ago with all that belongs to them, and what has
 * no job to live with. Works in bounded steps, since each is one transaction that everybody else waits for.
 */

import type { EpochMs } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import { AUDIT_KEPT_MS } from '../../core/retention.ts';
import type { Database } from './database.ts';

/** Removes at most `max` jobs (and as many events and orphans); answers how many rows went: repeat until it is 0. */
export type Purge = (now: EpochMs, max?: number) => Promise<number>;

/** A few tables of a thousand rows take some ten milliseconds. */
const ROWS_MAX = 1_000;
/** Whoever still worked on a removed schedule has ended. */
const SCHEDULE_KEPT_MS = 24 * 60 * 60 * 1_000;
/** A claim matters for its window only; two of them leave room for clocks that were set. */
const CLAIM_KEPT_MS = 2 * LIMITS.keylessWindowMs;

export function sqlitePurge(database: Database): Purge {
  const expired = database.prepare('SELECT job_id FROM jobs WHERE expires_at <= ? ORDER BY expires_at LIMIT ?');
  const perJob = ['job_values', 'history_chunks', 'dead_letters', 'jobs'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE job_id = ?`),
  );
  const orphans = database.prepare(`
    DELETE FROM job_values WHERE rowid IN (
      SELECT rowid FROM job_values WHERE stored_at <= ? AND job_id NOT IN (SELECT job_id FROM jobs) LIMIT ?)`);
  const events = database.prepare(`
    DELETE FROM events WHERE position IN (SELECT position FROM events ORDER BY position LIMIT ?) AND time <= ?`);
  const audit = database.prepare(`
    DELETE FROM audit WHERE audit_id IN (SELECT audit_id FROM audit WHERE at <= ? ORDER BY at LIMIT ?)`);
  const claims = database.prepare('DELETE FROM claims WHERE started_at <= ?');
  const schedules = database.prepare('DELETE FROM schedules WHERE removed_at <= ?');
  const deadMessages = database.prepare('DELETE FROM dead_messages WHERE died_at <= ?');

  return (now, max = ROWS_MAX) =>
    database.write(() => {
      const kept = now - LIMITS.jobRetentionMs;
      const jobs = expired.all(now, max);
      for (const row of jobs) for (const statement of perJob) statement.run(String(row.job_id));
      const others = [
        orphans.run(kept, max),
        events.run(max, kept),
        audit.run(now - AUDIT_KEPT_MS, max),
        claims.run(now - CLAIM_KEPT_MS),
        schedules.run(now - SCHEDULE_KEPT_MS),
        deadMessages.run(now - LIMITS.deadLetterQueueRetentionMs),
      ];
      return jobs.length + others.reduce((sum, { changes }) => sum + Number(changes), 0);
    });
}
