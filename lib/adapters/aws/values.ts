/**
 * Values by their content: in items of the table, and in the bucket when they are large. An item then says that the
 * object is there, so reading never asks the bucket for what it does not hold. Object first, item second: what the item
 * promises exists. Both expire by themselves, so late that no job outlives its values.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { VALUE_KEPT_MS } from '../../contract/aws-table.ts';
import { byteLength } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import { checkedValue } from '../../core/value-check.ts';
import type { ValueStore } from '../../ports.ts';
import { getItem } from './conditional-put.ts';
import { calling } from './failures.ts';
import { bytes, bytesIn, expiry, type Item, number, valueKey } from './items.ts';
import type { Objects } from './objects.ts';
import { packed, unpacked } from './packed.ts';

const CONTENT = 'content';
/** In place of the content: how many bytes lie in the bucket. */
const OBJECT_BYTES = 'object_bytes';

export interface ValuePlaces {
  readonly dynamodb: DynamoDBClient;
  readonly s3: Objects;
  readonly tableName: string;
  readonly bucketName: string;
  readonly now: () => number;
}

export function dynamoValues({ dynamodb, s3, tableName, bucketName, now }: ValuePlaces): ValueStore {
  const putItem = async (jobId: string, hash: string, content: Item): Promise<void> => {
    const item = { ...valueKey(jobId, hash), ...content, ...expiry(now() + VALUE_KEPT_MS) };
    const command = new PutItemCommand({ TableName: tableName, Item: item });
    await calling('DynamoDB PutItem', () => dynamodb.send(command));
  };
  const keyOf = (jobId: string, hash: string): string => `${jobId}/${hash}`;

  return {
    put: async (jobId, hash, content) => {
      const size = byteLength(content);
      if (size <= LIMITS.valueItemBytesMax) return putItem(jobId, hash, { [CONTENT]: bytes(packed(content)) });
      await calling('S3 PutObject', () => s3.put(bucketName, keyOf(jobId, hash), content));
      return putItem(jobId, hash, { [OBJECT_BYTES]: number(size) });
    },
    get: async (jobId, hash) => {
      const item = await getItem(dynamodb, tableName, valueKey(jobId, hash));
      if (item === null) return null;
      if (item[OBJECT_BYTES] === undefined) return checkedValue(jobId, hash, unpacked(bytesIn(item, CONTENT)));
      const content = await calling('S3 GetObject', () => s3.get(bucketName, keyOf(jobId, hash)));
      return checkedValue(jobId, hash, content);
    },
  };
}
