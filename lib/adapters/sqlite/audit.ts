/** What people did, in SQLite: rows that are added and never changed. */
import type { AuditStore } from '../../ports.ts';
import type { Database } from './database.ts';
import { given, pagesOf } from './lists.ts';

export function sqliteAudit(database: Database): AuditStore {
  const put = database.prepare(
    'INSERT INTO audit (audit_id, at, actor, job_id, record) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const page = pagesOf(database, 'audit', 'at', 'audit_id');
  return {
    put: async (record) => {
      const { auditId, at, actor, jobId } = record;
      await database.write(() => put.run(auditId, at, actor, jobId, JSON.stringify(record)));
    },
    list: async ({ jobId, actor, limit, after }) => {
      const conditions = [...given('job_id = ?', jobId), ...given('actor = ?', actor)];
      const index = jobId === null ? 'audit_by_time' : 'audit_by_job';
      const { items, next } = page({ sources: [{ index, conditions }], conditions: [], limit, after });
      return { items: items.map((row) => JSON.parse(String(row.record))), next };
    },
  };
}
