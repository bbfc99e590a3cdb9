/**
 * The small stores in SQLite: values by content, claims by intent, dead letters by job. Each write is one statement
 * whose condition makes it harmless to repeat.
 */
import { checkedValue } from '../../core/value-check.ts';
import type { ClaimStore, Clock, DeadLetter, DeadLetterStore, ValueStore } from '../../ports.ts';
import type { Database } from './database.ts';
import { given, pagesOf, type Row } from './lists.ts';

/** @param clock dates what is stored, so that values whose job never came to be can be found and removed */
export function sqliteValues(database: Database, clock: Clock): ValueStore {
  const put = database.prepare(`
    INSERT INTO job_values (job_id, hash, stored_at, content) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const get = database.prepare('SELECT content FROM job_values WHERE job_id = ? AND hash = ?');
  return {
    put: async (jobId, hash, text) => {
      await database.write(() => put.run(jobId, hash, clock.now(), text));
    },
    get: async (jobId, hash) => {
      const row = get.get(jobId, hash);
      return row === undefined ? null : checkedValue(jobId, hash, String(row.content));
    },
  };
}

export function sqliteClaims(database: Database): ClaimStore {
  const claim = database.prepare(`
    INSERT INTO claims (intent, started_at) VALUES (?, ?)
    ON CONFLICT (intent) DO UPDATE SET started_at = excluded.started_at
      WHERE excluded.started_at - claims.started_at >= ?`);
  const start = database.prepare('SELECT started_at FROM claims WHERE intent = ?');
  return {
    claim: (intent, now, windowMs) =>
      database.write(() => {
        claim.run(intent, now, windowMs);
        return Number(start.get(intent)?.started_at);
      }),
  };
}

const PUT_DEAD_LETTER = `
  INSERT INTO dead_letters (dead_letter_id, job_id, caller_id, workflow_type, reason, status, quarantined_at, seq, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (dead_letter_id) DO UPDATE SET reason = excluded.reason, seq = excluded.seq, body = excluded.body
    WHERE excluded.seq >= dead_letters.seq`;

const BY_TIME = { index: 'dead_letters_by_time', conditions: [] };

export function sqliteDeadLetters(database: Database): DeadLetterStore {
  const put = database.prepare(PUT_DEAD_LETTER);
  const get = database.prepare('SELECT * FROM dead_letters WHERE dead_letter_id = ?');
  const settle = database.prepare(`
    UPDATE dead_letters SET status = ?, settlement = ? WHERE dead_letter_id = ? AND settlement IS NULL`);
  const page = pagesOf(database, 'dead_letters', 'quarantined_at');
  return {
    put: async (record) => {
      const { deadLetterId, jobId, callerId, workflowType, reason, status, quarantinedAt, seq } = record;
      const body = JSON.stringify(record.body);
      await database.write(() =>
        put.run(deadLetterId, jobId, callerId, workflowType, reason, status, quarantinedAt, seq, body),
      );
    },
    get: async (deadLetterId) => {
      const row = get.get(deadLetterId);
      return row === undefined ? null : deadLetterOf(row);
    },
    settle: (deadLetterId, settlement) =>
      database.write(() => {
        settle.run(settlement.status, JSON.stringify(settlement), deadLetterId);
        const row = get.get(deadLetterId);
        return row === undefined ? null : deadLetterOf(row);
      }),
    list: async ({ callerId, reason, workflowType, status, limit, after }) => {
      const conditions = [
        ...given('caller_id = ?', callerId),
        ...given('reason = ?', reason),
        ...given('workflow_type = ?', workflowType),
        ...given('status = ?', status),
      ];
      const { items, next } = page({ sources: [BY_TIME], conditions, limit, after });
      return { items: items.map(deadLetterOf), next };
    },
  };
}

function deadLetterOf(row: Row): DeadLetter {
  return {
    deadLetterId: String(row.dead_letter_id),
    jobId: String(row.job_id) as DeadLetter['jobId'],
    callerId: String(row.caller_id),
    workflowType: String(row.workflow_type),
    reason: String(row.reason),
    status: String(row.status) as DeadLetter['status'],
    quarantinedAt: Number(row.quarantined_at),
    seq: Number(row.seq),
    body: JSON.parse(String(row.body)),
    settlement: row.settlement === null ? null : JSON.parse(String(row.settlement)),
  };
}
