/**
 * Dependencies in DynamoDB: one small partition, so that one consistent query tells all that a container has to know.
 * It is written when something changes only: a failure while a breaker is closed, a turn of it, a health check.
 */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../contract/aws-table.ts';
import { dependencyFromJson, dependencyToJson, putOver } from '../../contract/stored-dependency.ts';
import type { Dependency } from '../../core/dependency.ts';
import type { DependencyStore } from '../../ports.ts';
import { type Condition, conditionalPut, isAbsent } from './conditional-put.ts';
import { calling } from './failures.ts';
import { DEPENDENCIES, dependencyKey, type Item, number, text, textIn } from './items.ts';
import { REVISION } from './job-item.ts';

const DOCUMENT = 'document';

const isAt = (revision: number): Condition =>
  revision === 0
    ? isAbsent
    : { text: '#rev = :expected', names: { '#rev': REVISION }, values: { ':expected': number(revision) } };

export function dynamoDependencies(client: DynamoDBClient, tableName: string): DependencyStore {
  return {
    list: async () => {
      const found: Dependency[] = [];
      let ExclusiveStartKey: Item | undefined;
      do {
        const command: QueryCommand = new QueryCommand({
          TableName: tableName,
          ConsistentRead: true,
          KeyConditionExpression: '#pk = :all',
          ExpressionAttributeNames: { '#pk': TABLE.partitionKey },
          ExpressionAttributeValues: { ':all': text(DEPENDENCIES) },
          ExclusiveStartKey,
        });
        const { Items = [], LastEvaluatedKey } = await calling('DynamoDB Query', () => client.send(command));
        found.push(...Items.map(dependencyIn));
        ExclusiveStartKey = LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined);
      return found;
    },
    put: async (dependency) => {
      const { id, revision } = dependency;
      const item = {
        ...dependencyKey(id),
        [REVISION]: number(revision),
        breaker: text(dependency.breaker.state),
        [DOCUMENT]: text(dependencyToJson(dependency)),
      };
      const result = await conditionalPut(client, tableName, item, isAt(revision - 1));
      if (result.put) return { stored: true };
      return putOver(result.held === null ? null : dependencyIn(result.held), dependency);
    },
  };
}

function dependencyIn(item: Item): Dependency {
  return dependencyFromJson(textIn(item, DOCUMENT));
}
