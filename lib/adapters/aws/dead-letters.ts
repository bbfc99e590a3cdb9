/**
 * Dead letters: one item a job, found by id or, newest first, under one partition of the index by time. News refresh an
 * item in one conditional update: what a person has decided since, and the date, stay as they are; older news change
 * nothing. Lists filter after reading, as those of jobs do, and may lag.
 */
import { ConditionalCheckFailedException, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { INDEXES, TABLE, VALUE_KEPT_MS } from '../../contract/aws-table.ts';
import type { JobId } from '../../core/ids.ts';
import type { DeadLetter, DeadLetterQuery, DeadLetterStore, Settlement } from '../../ports.ts';
import { type Condition, conditionInput, either, getItem, isAbsent } from './conditional-put.ts';
import { calling } from './failures.ts';
import {
  bytes,
  bytesIn,
  DEAD_LETTERS,
  deadLetterKey,
  expiry,
  type Item,
  number,
  numberIn,
  positionText,
  text,
  textIn,
} from './items.ts';
import { newestFirst } from './newest-first.ts';
import { packed, unpacked } from './packed.ts';
import { pageOf } from './pages.ts';
import { readMany } from './read-many.ts';

const SEQ = 'seq';
const STATUS = 'status';
const SETTLEMENT = 'settlement';

const isNotNewer = (seq: number): Condition => ({
  text: '#seq <= :seq',
  names: { '#seq': SEQ },
  values: { ':seq': number(seq) },
});

export function dynamoDeadLetters(client: DynamoDBClient, tableName: string, now: () => number): DeadLetterStore {
  return {
    put: async (record) => {
      const command = new UpdateItemCommand(updateOf(record, tableName, now()));
      try {
        await calling('DynamoDB UpdateItem', () => client.send(command));
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },
    settle: async (deadLetterId, settlement) => {
      const Key = deadLetterKey(deadLetterId);
      const command = new UpdateItemCommand({ TableName: tableName, Key, ...settling(settlement) });
      try {
        const { Attributes } = await calling('DynamoDB UpdateItem', () => client.send(command));
        return Attributes === undefined ? null : deadLetterIn(Attributes);
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // Somebody else's, or our own whose answer was lost: the record says whose.
        const held = error.Item ?? (await getItem(client, tableName, Key));
        return held === null ? null : deadLetterIn(held);
      }
    },
    get: async (deadLetterId) => {
      const item = await getItem(client, tableName, deadLetterKey(deadLetterId));
      return item === null ? null : deadLetterIn(item);
    },
    list: (query) => {
      const { limit, after } = query;
      const range = { from: null, to: null, after };
      const partitions = [DEAD_LETTERS];
      return pageOf({
        candidates: newestFirst({ client, tableName, index: INDEXES.byTime, partitions, range, pageSize: limit + 1 }),
        limit,
        load: async (candidates) => {
          const keys = candidates.map(({ key }) => key);
          const items = await readMany(client, tableName, keys, { consistent: false });
          return keys.map((key) => {
            const item = items.get(textIn(key, TABLE.partitionKey));
            return item === undefined ? null : deadLetterIn(item);
          });
        },
        matches: (record) => matches(record, query),
      });
    },
  };
}

function settling(settlement: Settlement) {
  return {
    UpdateExpression: 'SET #status = :status, #settlement = :settlement',
    ConditionExpression: 'attribute_exists(#pk) AND attribute_not_exists(#settlement)',
    ExpressionAttributeNames: { '#pk': TABLE.partitionKey, '#status': STATUS, '#settlement': SETTLEMENT },
    ExpressionAttributeValues: {
      ':status': text(settlement.status),
      ':settlement': text(JSON.stringify(settlement)),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

function updateOf(record: DeadLetter, TableName: string, now: number) {
  const { deadLetterId, jobId, quarantinedAt } = record;
  const refreshed: Item = {
    job_id: text(jobId),
    caller: text(record.callerId),
    type: text(record.workflowType),
    reason: text(record.reason),
    [SEQ]: number(record.seq),
    body: bytes(packed(JSON.stringify(record.body))),
    ...expiry(now + VALUE_KEPT_MS),
  };
  const first: Item = {
    [STATUS]: text(record.status),
    ...(record.settlement === null ? {} : { [SETTLEMENT]: text(JSON.stringify(record.settlement)) }),
    quarantined: number(quarantinedAt),
    [INDEXES.byTime.partitionKey]: text(DEAD_LETTERS),
    [INDEXES.byTime.sortKey]: text(positionText({ createdAt: quarantinedAt, jobId })),
  };
  const all = Object.entries({ ...refreshed, ...first }).map(([name, value], index) => ({ name, value, index }));
  const assign = ({ name, index }: (typeof all)[number]): string =>
    name in first ? `#a${index} = if_not_exists(#a${index}, :a${index})` : `#a${index} = :a${index}`;
  const condition = conditionInput(either(isAbsent, isNotNewer(record.seq)));
  return {
    TableName,
    Key: deadLetterKey(deadLetterId),
    UpdateExpression: `SET ${all.map(assign).join(', ')}`,
    ...condition,
    ExpressionAttributeNames: {
      ...condition.ExpressionAttributeNames,
      ...Object.fromEntries(all.map(({ name, index }) => [`#a${index}`, name])),
    },
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ...Object.fromEntries(all.map(({ value, index }) => [`:a${index}`, value])),
    },
  };
}

function deadLetterIn(item: Item): DeadLetter {
  return {
    deadLetterId: textIn(item, TABLE.partitionKey).slice(textIn(deadLetterKey(''), TABLE.partitionKey).length),
    jobId: textIn(item, 'job_id') as JobId,
    callerId: textIn(item, 'caller'),
    workflowType: textIn(item, 'type'),
    reason: textIn(item, 'reason'),
    status: textIn(item, STATUS) as DeadLetter['status'],
    quarantinedAt: numberIn(item, 'quarantined'),
    seq: numberIn(item, SEQ),
    body: JSON.parse(unpacked(bytesIn(item, 'body'))),
    settlement: item[SETTLEMENT] === undefined ? null : JSON.parse(textIn(item, SETTLEMENT)),
  };
}

function matches(record: DeadLetter, query: DeadLetterQuery): boolean {
  return (
    (query.callerId === null || record.callerId === query.callerId) &&
    (query.reason === null || record.reason === query.reason) &&
    (query.workflowType === null || record.workflowType === query.workflowType) &&
    (query.status === null || record.status === query.status)
  );
}
