/**
 * Pauses in DynamoDB: one small partition, so that one consistent query tells a container all that people hold back.
 */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../contract/aws-table.ts';
import { pauseFromJson, pausePutOver, pauseToJson } from '../../contract/stored-pause.ts';
import type { Pause } from '../../core/pause.ts';
import type { PauseStore } from '../../ports.ts';
import { type Condition, conditionalPut, getItem, isAbsent } from './conditional-put.ts';
import { calling } from './failures.ts';
import { type Item, number, PAUSES, pauseKey, text, textIn } from './items.ts';
import { REVISION } from './job-item.ts';

const DOCUMENT = 'document';

const isAt = (revision: number): Condition =>
  revision === 0
    ? isAbsent
    : { text: '#rev = :expected', names: { '#rev': REVISION }, values: { ':expected': number(revision) } };

export function dynamoPauses(client: DynamoDBClient, tableName: string): PauseStore {
  return {
    list: async () => {
      const found: Pause[] = [];
      let ExclusiveStartKey: Item | undefined;
      do {
        const command: QueryCommand = new QueryCommand({
          TableName: tableName,
          ConsistentRead: true,
          KeyConditionExpression: '#pk = :all',
          ExpressionAttributeNames: { '#pk': TABLE.partitionKey },
          ExpressionAttributeValues: { ':all': text(PAUSES) },
          ExclusiveStartKey,
        });
        const { Items = [], LastEvaluatedKey } = await calling('DynamoDB Query', () => client.send(command));
        found.push(...Items.map(pauseIn));
        ExclusiveStartKey = LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined);
      return found;
    },
    get: async (id) => {
      const item = await getItem(client, tableName, pauseKey(id));
      return item === null ? null : pauseIn(item);
    },
    put: async (pause) => {
      const { id, revision, status } = pause;
      const item = {
        ...pauseKey(id),
        [REVISION]: number(revision),
        status: text(status),
        [DOCUMENT]: text(pauseToJson(pause)),
      };
      const result = await conditionalPut(client, tableName, item, isAt(revision - 1));
      if (result.put) return { stored: true };
      return pausePutOver(result.held === null ? null : pauseIn(result.held), pause);
    },
  };
}

function pauseIn(item: Item): Pause {
  return pauseFromJson(textIn(item, DOCUMENT));
}
