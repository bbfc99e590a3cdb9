/**
 * Reads partitions of one index side by side, newest record first over all of them. Each is a query of its own that
 * goes on only when its page is used up, so a list costs one query a partition and then one for each page it needs.
 */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { TABLE, type TableIndex } from '../../contract/aws-table.ts';
import type { EpochMs } from '../../core/ids.ts';
import type { ListPosition } from '../../ports.ts';
import { calling } from './failures.ts';
import { type Item, positionText, text, textIn, timeText } from './items.ts';

export interface Candidate {
  /** Where it stands in the list. */
  readonly position: string;
  readonly key: Item;
}

export interface Range {
  readonly from: EpochMs | null;
  readonly to: EpochMs | null;
  readonly after: ListPosition | null;
}

export interface Partitions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly index: TableIndex;
  readonly partitions: readonly string[];
  readonly range: Range;
  /** Records a query answers at a time. */
  readonly pageSize: number;
}

/** Sorts behind every id. */
const LAST = '~';
const LATEST = timeText(9_999_999_999_999);

export function newestFirst(asked: Partitions): AsyncGenerator<Candidate> {
  return merged(asked.partitions.map((partition) => onePartition(asked, partition)));
}

export async function* merged(streams: readonly AsyncIterator<Candidate>[]): AsyncGenerator<Candidate> {
  const heads = await Promise.all(streams.map(async (stream) => ({ stream, next: await stream.next() })));
  for (;;) {
    let newest: (typeof heads)[number] | null = null;
    for (const head of heads) {
      if (head.next.done === true) continue;
      if (newest === null || head.next.value.position > newest.next.value.position) newest = head;
    }
    if (newest === null) return;
    yield newest.next.value;
    newest.next = await newest.stream.next();
  }
}

async function* onePartition(asked: Partitions, partition: string): AsyncGenerator<Candidate> {
  const { client, tableName: TableName, index, range, pageSize: Limit } = asked;
  const after = range.after === null ? null : positionText(range.after);
  let ExclusiveStartKey: Item | undefined;
  do {
    const command = new QueryCommand({
      TableName,
      IndexName: index.name,
      KeyConditionExpression: '#partition = :partition AND #at BETWEEN :oldest AND :newest',
      ExpressionAttributeNames: { '#partition': index.partitionKey, '#at': index.sortKey },
      ExpressionAttributeValues: {
        ':partition': text(partition),
        ':oldest': text(timeText(range.from ?? 0)),
        ':newest': text(newestOf(range, after)),
      },
      ScanIndexForward: false,
      Limit,
      ExclusiveStartKey,
    });
    const { Items = [], LastEvaluatedKey } = await calling('DynamoDB Query', () => client.send(command));
    for (const item of Items) {
      const position = textIn(item, index.sortKey);
      if (position !== after) yield { position, key: keyIn(item) };
    }
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
}

/** Bounds are inclusive: the record that the last page ended with comes again and is left out. */
function newestOf({ to }: Range, after: string | null): string {
  const newest = `${to === null ? LATEST : timeText(to)}${LAST}`;
  return after !== null && after < newest ? after : newest;
}

function keyIn(item: Item): Item {
  return {
    [TABLE.partitionKey]: text(textIn(item, TABLE.partitionKey)),
    [TABLE.sortKey]: text(textIn(item, TABLE.sortKey)),
  };
}
