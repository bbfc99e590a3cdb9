/**
 * What the watchdog looks at. The index knows a job's bucket only: with the time of the next action in it, every
 * transition would cost a write unit more. So that time is read from the jobs found, a read unit each, and what has
 * left its bucket meanwhile is dropped.
 */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { INDEXES, TABLE } from '../../contract/aws-table.ts';
import type { DueJob, DuePosition, DueQuery, JobStore } from '../../ports.ts';
import { calling } from './failures.ts';
import { activePartition, type Item, jobIdIn, jobKey, number, numberOrNull, text, textIn } from './items.ts';
import { NEXT_ACTION } from './job-item.ts';
import { readMany } from './read-many.ts';

const { name: IndexName, partitionKey, sortKey } = INDEXES.active;

export function dueJobs(client: DynamoDBClient, tableName: string): JobStore['due'] {
  return async (query) => {
    const { keys, next } = await calling('DynamoDB Query', () => candidates(client, tableName, query));
    const options = { attributes: [sortKey, NEXT_ACTION], consistent: true };
    const items = await readMany(client, tableName, keys, options);
    const names = new Set(keys.map((key) => textIn(key, TABLE.partitionKey)));
    const due = [...names].flatMap((name): DueJob[] => {
      const item = items.get(name);
      if (item === undefined || numberOrNull(item, sortKey) === null) return [];
      return [{ jobId: jobIdIn(item), nextActionAt: numberOrNull(item, NEXT_ACTION) }];
    });
    return { items: due, next };
  };
}

interface Candidates {
  readonly keys: readonly Item[];
  readonly next: DuePosition | null;
}

async function candidates(client: DynamoDBClient, TableName: string, query: DueQuery): Promise<Candidates> {
  const { shard, now, limit, after } = query;
  const { Items = [], LastEvaluatedKey } = await client.send(
    new QueryCommand({
      TableName,
      IndexName,
      KeyConditionExpression: '#active = :shard AND #bucket <= :now',
      ExpressionAttributeNames: { '#active': partitionKey, '#bucket': sortKey },
      ExpressionAttributeValues: { ':shard': text(activePartition(shard)), ':now': number(now) },
      Limit: limit,
      ...(after === null ? {} : { ExclusiveStartKey: startAfter(shard, after) }),
    }),
  );
  const keys = Items.flatMap(({ [TABLE.partitionKey]: pk, [TABLE.sortKey]: sk }) =>
    pk === undefined || sk === undefined ? [] : [{ [TABLE.partitionKey]: pk, [TABLE.sortKey]: sk }],
  );
  return { keys, next: LastEvaluatedKey === undefined ? null : positionIn(LastEvaluatedKey) };
}

function startAfter(shard: number, { bucket, jobId }: DuePosition): Item {
  return { ...jobKey(jobId), [partitionKey]: text(activePartition(shard)), [sortKey]: number(bucket) };
}

function positionIn(key: Item): DuePosition {
  return { bucket: numberOrNull(key, sortKey) ?? 0, jobId: jobIdIn(key) };
}
