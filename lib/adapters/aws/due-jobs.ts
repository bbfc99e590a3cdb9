/**
 * What the watchdog looks at. The index knows a job's bucket only: with the time of the next action in it, every
 * transition would cost a write unit more. So that time is read from the jobs found, a read unit each, and what has
 * left its bucket meanwhile is dropped.
 */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { INDEXES, TABLE } from '../../contract/aws-table.ts';
import type { DueJob, JobStore } from '../../ports.ts';
import { calling } from './failures.ts';
import { activePartition, type Item, jobIdIn, number, numberOrNull, text, textIn } from './items.ts';
import { NEXT_ACTION } from './job-item.ts';
import { readMany } from './read-many.ts';

const { name: IndexName, partitionKey, sortKey } = INDEXES.active;

export function dueJobs(client: DynamoDBClient, tableName: string): JobStore['due'] {
  return async (shard, now, limit) => {
    const keys = await calling('DynamoDB Query', () => candidates(client, tableName, shard, now, limit));
    const options = { attributes: [sortKey, NEXT_ACTION], consistent: true };
    const items = await readMany(client, tableName, keys, options);
    const names = new Set(keys.map((key) => textIn(key, TABLE.partitionKey)));
    return [...names].flatMap((name): DueJob[] => {
      const item = items.get(name);
      if (item === undefined || numberOrNull(item, sortKey) === null) return [];
      return [{ jobId: jobIdIn(item), nextActionAt: numberOrNull(item, NEXT_ACTION) }];
    });
  };
}

async function candidates(
  client: DynamoDBClient,
  TableName: string,
  shard: number,
  now: number,
  limit: number,
): Promise<Item[]> {
  const keys: Item[] = [];
  const pages = paginateQuery(
    { client },
    {
      TableName,
      IndexName,
      KeyConditionExpression: '#active = :shard AND #bucket <= :now',
      ExpressionAttributeNames: { '#active': partitionKey, '#bucket': sortKey },
      ExpressionAttributeValues: { ':shard': text(activePartition(shard)), ':now': number(now) },
      Limit: limit,
    },
  );
  for await (const { Items = [] } of pages) {
    for (const { [TABLE.partitionKey]: pk, [TABLE.sortKey]: sk } of Items) {
      if (pk !== undefined && sk !== undefined) keys.push({ [TABLE.partitionKey]: pk, [TABLE.sortKey]: sk });
    }
    if (keys.length >= limit) break;
  }
  return keys.slice(0, limit);
}
