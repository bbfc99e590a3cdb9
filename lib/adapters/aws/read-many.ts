/**
 * Items by key, as many as are asked for. One answer holds 100 items and 16 MB, and less when the table is busy; what
 * is left out is asked for again, a few times, with growing pauses when nothing came at all.
 */
import { BatchGetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../contract/aws-table.ts';
import { ThrottledError } from '../../core/store-error.ts';
import { calling } from './failures.ts';
import { type Item, textIn } from './items.ts';
import { pause } from './pause.ts';

const KEYS_MAX = 100;
/** Answers without a single item that are put up with: 50, 100, 200 ms apart. */
const EMPTY_ANSWERS_MAX = 3;
const PAUSE_MS = 50;

export interface ReadOptions {
  /** Only these attributes, and the partition key. */
  readonly attributes?: readonly string[];
  /** Half the price, and a moment behind. */
  readonly consistent: boolean;
}

/** By partition key; what is not there is left out. A key may come twice: an entry on its way within an index does. */
export async function readMany(
  client: DynamoDBClient,
  tableName: string,
  keys: readonly Item[],
  options: ReadOptions,
): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  const distinct = [...new Map(keys.map((key) => [textIn(key, TABLE.partitionKey), key])).values()];
  for (let start = 0; start < distinct.length; start += KEYS_MAX) {
    for await (const item of batch(client, tableName, distinct.slice(start, start + KEYS_MAX), options)) {
      found.set(textIn(item, TABLE.partitionKey), item);
    }
  }
  return found;
}

async function* batch(
  client: DynamoDBClient,
  tableName: string,
  keys: readonly Item[],
  { attributes, consistent }: ReadOptions,
): AsyncGenerator<Item> {
  const request = { ConsistentRead: consistent, ...(attributes === undefined ? {} : projection(attributes)) };
  let left = keys;
  let empty = 0;
  while (left.length > 0) {
    const command = new BatchGetItemCommand({ RequestItems: { [tableName]: { ...request, Keys: [...left] } } });
    const { Responses, UnprocessedKeys } = await calling('DynamoDB BatchGetItem', () => client.send(command));
    yield* Responses?.[tableName] ?? [];
    const unread = UnprocessedKeys?.[tableName]?.Keys ?? [];
    empty = unread.length < left.length ? 0 : empty + 1;
    if (empty > EMPTY_ANSWERS_MAX) {
      throw new ThrottledError(`DynamoDB BatchGetItem answered nothing ${empty} times: repeat it later`);
    }
    left = unread;
    if (empty > 0) await pause(PAUSE_MS * 2 ** (empty - 1) * (0.5 + Math.random() / 2));
  }
}

function projection(attributes: readonly string[]) {
  const all = [TABLE.partitionKey, ...attributes];
  return {
    ProjectionExpression: all.map((_, index) => `#a${index}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(all.map((name, index) => [`#a${index}`, name])),
  };
}
