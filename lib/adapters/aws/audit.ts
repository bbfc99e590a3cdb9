/**
 * What people did or were refused: one item an action, put once and never changed. Found newest first: by job in the
 * index by caller, else under one partition of the index by time.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { INDEXES, TABLE } from '../../contract/aws-table.ts';
import { AUDIT_KEPT_MS } from '../../core/retention.ts';
import type { AuditQuery, AuditRecord, AuditStore } from '../../ports.ts';
import { conditionalPut, isAbsent } from './conditional-put.ts';
import { AUDIT, auditKey, auditPartition, expiry, type Item, positionText, text, textIn } from './items.ts';
import { type Candidate, newestFirst } from './newest-first.ts';
import { pageOf } from './pages.ts';
import { readMany } from './read-many.ts';

const RECORD = 'record';

export function dynamoAudit(client: DynamoDBClient, tableName: string): AuditStore {
  const load = async (candidates: readonly Candidate[]): Promise<(AuditRecord | null)[]> => {
    const keys = candidates.map(({ key }) => key);
    const items = await readMany(client, tableName, keys, { consistent: false });
    return keys.map((key) => {
      const item = items.get(textIn(key, TABLE.partitionKey));
      return item === undefined ? null : JSON.parse(textIn(item, RECORD));
    });
  };
  return {
    put: async (record) => {
      await conditionalPut(client, tableName, auditItem(record), isAbsent);
    },
    list: (query) => {
      const { jobId, limit, after } = query;
      const index = jobId === null ? INDEXES.byTime : INDEXES.byCaller;
      const partitions = [jobId === null ? AUDIT : auditPartition(jobId)];
      const range = { from: null, to: null, after };
      const candidates = newestFirst({ client, tableName, index, partitions, range, pageSize: limit + 1 });
      return pageOf({ candidates, limit, load, matches: (record) => matches(record, query) });
    },
  };
}

function auditItem(record: AuditRecord): Item {
  const { auditId, at, jobId } = record;
  return {
    ...auditKey(auditId),
    [RECORD]: text(JSON.stringify(record)),
    [INDEXES.byTime.partitionKey]: text(AUDIT),
    ...(jobId === null ? {} : { [INDEXES.byCaller.partitionKey]: text(auditPartition(jobId)) }),
    [INDEXES.byTime.sortKey]: text(positionText({ createdAt: at, jobId: auditId })),
    ...expiry(at + AUDIT_KEPT_MS),
  };
}

function matches(record: AuditRecord, query: AuditQuery): boolean {
  return query.actor === null || record.actor === query.actor;
}
