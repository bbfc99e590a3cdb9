/**
 * Schedules on DynamoDB: one item each, all in one partition, since a thousand of them are written a few times a minute at
 * the most; so their list is a consistent query. What is due is found in the sparse index of what has something to do.
 */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { INDEXES, SCHEDULE_TOMBSTONE_MS, TABLE } from '../../contract/aws-table.ts';
import { scheduleFromJson, scheduleToJson } from '../../contract/stored-schedule.ts';
import type { ScheduleRecord } from '../../core/schedule-record.ts';
import type { ScheduleStore } from '../../ports.ts';
import { type Condition, conditionalPut, getItem, isAbsent } from './conditional-put.ts';
import { calling } from './failures.ts';
import { bytes, bytesIn, expiry, type Item, number, SCHEDULES, scheduleKey, text, textIn } from './items.ts';
import { packed, unpacked } from './packed.ts';

const RECORD = 'record';
const REVISION = 'revision';
/** What one query reads: a megabyte ends it sooner. */
const PAGE = 100;

const hasRevision = (revision: number): Condition => ({
  text: '#revision = :revision',
  names: { '#revision': REVISION },
  values: { ':revision': number(revision) },
});

export function dynamoSchedules(client: DynamoDBClient, tableName: string): ScheduleStore {
  return {
    put: async (record, expectedRevision) => {
      const condition = expectedRevision === null ? isAbsent : hasRevision(expectedRevision);
      const result = await conditionalPut(client, tableName, itemOf(record), condition);
      if (result.put) return { stored: true };
      const current = result.held === null ? null : recordIn(result.held);
      return current?.writeId === record.writeId ? { stored: true } : { stored: false, current };
    },
    get: async (name) => {
      const item = await getItem(client, tableName, scheduleKey(name));
      return item === null ? null : recordIn(item);
    },
    list: async ({ limit, after }) => {
      const items: ScheduleRecord[] = [];
      for await (const record of inOrder(client, tableName, after)) {
        if (record.removed) continue;
        if (items.length === limit) return { items, next: items.at(-1)?.name ?? null };
        items.push(record);
      }
      return { items, next: null };
    },
    due: async (now, limit) => {
      const { name, partitionKey, sortKey } = INDEXES.active;
      const command = new QueryCommand({
        TableName: tableName,
        IndexName: name,
        KeyConditionExpression: '#partition = :partition AND #at <= :now',
        ExpressionAttributeNames: { '#partition': partitionKey, '#at': sortKey },
        ExpressionAttributeValues: { ':partition': text(SCHEDULES), ':now': number(now) },
        Limit: limit,
      });
      const { Items = [] } = await calling('DynamoDB Query', () => client.send(command));
      return Items.map((item) => textIn(item, TABLE.sortKey));
    },
  };
}

async function* inOrder(client: DynamoDBClient, TableName: string, after: string | null) {
  let ExclusiveStartKey: Item | undefined = after === null ? undefined : scheduleKey(after);
  do {
    const command: QueryCommand = new QueryCommand({
      TableName,
      KeyConditionExpression: '#partition = :partition',
      ExpressionAttributeNames: { '#partition': TABLE.partitionKey },
      ExpressionAttributeValues: { ':partition': text(SCHEDULES) },
      ConsistentRead: true,
      Limit: PAGE,
      ExclusiveStartKey,
    });
    const { Items = [], LastEvaluatedKey } = await calling('DynamoDB Query', () => client.send(command));
    for (const item of Items) yield recordIn(item);
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
}

function itemOf(record: ScheduleRecord): Item {
  const { name, revision, lookAt, removed, updatedAt } = record;
  const { partitionKey, sortKey } = INDEXES.active;
  return {
    ...scheduleKey(name),
    [REVISION]: number(revision),
    [RECORD]: bytes(packed(scheduleToJson(record))),
    ...(lookAt === null ? {} : { [partitionKey]: text(SCHEDULES), [sortKey]: number(lookAt) }),
    ...(removed ? expiry(updatedAt + SCHEDULE_TOMBSTONE_MS) : {}),
  };
}

function recordIn(item: Item): ScheduleRecord {
  return scheduleFromJson(unpacked(bytesIn(item, RECORD)));
}
