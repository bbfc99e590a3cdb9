/**
 * A put under a condition, and what stands there when the condition fails: the service answers the item with the
 * refusal, and where an engine does not, it is read back consistently. So the loser of a race, or the sender of a write
 * whose answer was lost, learns in one call what won.
 */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../contract/aws-table.ts';
import { calling } from './failures.ts';
import type { Item } from './items.ts';

/** The halves that conditions are made of. Joined by OR, either suffices. */
export const isAbsent: Condition = {
  text: 'attribute_not_exists(#pk)',
  names: { '#pk': TABLE.partitionKey },
  values: {},
};

export interface Condition {
  readonly text: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Item;
}

export function either(a: Condition, b: Condition): Condition {
  return {
    text: `${a.text} OR ${b.text}`,
    names: { ...a.names, ...b.names },
    values: { ...a.values, ...b.values },
  };
}

export type PutResult =
  | { readonly put: true }
  /** null: it was there when the condition failed and is gone since. */
  | { readonly put: false; readonly held: Item | null };

export async function conditionalPut(
  client: DynamoDBClient,
  TableName: string,
  item: Item,
  condition: Condition,
): Promise<PutResult> {
  const command = new PutItemCommand({ TableName, Item: item, ...conditionInput(condition) });
  try {
    await calling('DynamoDB PutItem', () => client.send(command));
    return { put: true };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { put: false, held: error.Item ?? (await getItem(client, TableName, keyOf(item))) };
  }
}

export function conditionInput({ text, names, values }: Condition) {
  return {
    ConditionExpression: text,
    ExpressionAttributeNames: { ...names },
    // An empty set of values is refused.
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

/** Reads the latest state. */
export async function getItem(client: DynamoDBClient, TableName: string, Key: Item): Promise<Item | null> {
  const command = new GetItemCommand({ TableName, Key, ConsistentRead: true });
  const { Item } = await calling('DynamoDB GetItem', () => client.send(command));
  return Item ?? null;
}

function keyOf(item: Item): Item {
  const { [TABLE.partitionKey]: pk, [TABLE.sortKey]: sk } = item;
  if (pk === undefined || sk === undefined) throw new Error('an item was put without its key');
  return { [TABLE.partitionKey]: pk, [TABLE.sortKey]: sk };
}
