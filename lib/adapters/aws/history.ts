/**
 * History moved out of a job: immutable chunks under the job's id, read in order. A chunk put again holds the same.
 */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { TABLE, VALUE_KEPT_MS } from '../../contract/aws-table.ts';
import { decodeEntry, encodeEntry, type StoredEntry } from '../../contract/stored-history.ts';
import type { HistoryEntry } from '../../core/job.ts';
import type { JobStore } from '../../ports.ts';
import { conditionalPut, isAbsent } from './conditional-put.ts';
import { calling } from './failures.ts';
import { bytes, bytesIn, expiry, historyKey, historyPartition, type Item, text } from './items.ts';
import { packed, unpacked } from './packed.ts';

const ENTRIES = 'entries';

export function dynamoHistory(
  client: DynamoDBClient,
  tableName: string,
  now: () => number,
): Pick<JobStore, 'putHistoryChunk' | 'readHistoryChunks'> {
  return {
    putHistoryChunk: async (jobId, chunk, entries) => {
      const document = packed(JSON.stringify(entries.map(encodeEntry)));
      const item = { ...historyKey(jobId, chunk), [ENTRIES]: bytes(document), ...expiry(now() + VALUE_KEPT_MS) };
      await conditionalPut(client, tableName, item, isAbsent);
    },
    readHistoryChunks: (jobId) => calling('DynamoDB Query', () => readAll(client, tableName, jobId)),
  };
}

async function readAll(client: DynamoDBClient, TableName: string, jobId: string): Promise<HistoryEntry[]> {
  const pages = paginateQuery(
    { client },
    {
      TableName,
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': TABLE.partitionKey },
      ExpressionAttributeValues: { ':pk': text(historyPartition(jobId)) },
      ConsistentRead: true,
    },
  );
  const entries: HistoryEntry[] = [];
  for await (const { Items = [] } of pages) entries.push(...Items.flatMap(entriesIn));
  return entries;
}

function entriesIn(item: Item): HistoryEntry[] {
  const stored: StoredEntry[] = JSON.parse(unpacked(bytesIn(item, ENTRIES)));
  return stored.map(decodeEntry);
}
