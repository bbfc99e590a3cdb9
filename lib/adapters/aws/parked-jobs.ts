/**
 * Jobs that a gate holds: a few partitions of a sparse index, walked one after another. It holds keys only, so a job
 * costs two write units for being parked and released, and nothing when it never is.
 */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { INDEXES } from '../../contract/aws-table.ts';
import { LIMITS } from '../../core/limits.ts';
import type { JobStore, ParkedJob, ParkedPosition, ParkedQuery } from '../../ports.ts';
import { calling } from './failures.ts';
import { type Item, jobIdIn, jobKey, parkedPartition, positionOf, positionText, text, textIn } from './items.ts';

const { name: IndexName, partitionKey, sortKey } = INDEXES.parked;

export function parkedJobs(client: DynamoDBClient, tableName: string): JobStore['parked'] {
  return async (query) => {
    const items: ParkedJob[] = [];
    let from: ParkedPosition | null = query.after;
    for (let shard = query.after?.shard ?? 0; shard < LIMITS.parkedShards; shard += 1) {
      const found = await inShard(
        client,
        tableName,
        { ...query, limit: query.limit - items.length, after: from },
        shard,
      );
      items.push(...found);
      const last = found.at(-1);
      if (items.length === query.limit && last !== undefined) return { items, next: { shard, ...last } };
      from = null;
    }
    return { items, next: null };
  };
}

async function inShard(
  client: DynamoDBClient,
  TableName: string,
  { gate, limit, after }: ParkedQuery,
  shard: number,
): Promise<ParkedJob[]> {
  const partition = text(parkedPartition(gate, shard));
  const start = (jobId: string, at: string): Item => ({
    ...jobKey(jobId),
    [partitionKey]: partition,
    [sortKey]: text(at),
  });
  const command = new QueryCommand({
    TableName,
    IndexName,
    KeyConditionExpression: '#parked = :gate',
    ExpressionAttributeNames: { '#parked': partitionKey },
    ExpressionAttributeValues: { ':gate': partition },
    Limit: limit,
    ...(after === null ? {} : { ExclusiveStartKey: start(after.jobId, positionText(after)) }),
  });
  const { Items = [] } = await calling('DynamoDB Query', () => client.send(command));
  return Items.map((item) => ({ jobId: jobIdIn(item), createdAt: positionOf(textIn(item, sortKey)).createdAt }));
}
