/**
 * The one table on a DynamoDB that runs in this process, on loopback. It speaks the real protocol, so the real clients
 * are under test; what it does not do (the item of a failed condition, expiry) the faulty handler and assertions cover.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { awsClients } from '../../../lib/adapters/aws/clients.ts';
import { INDEXES, TABLE } from '../../../lib/contract/aws-table.ts';

// It comes without types.
const dynalite = createRequire(import.meta.url)('dynalite') as (options: { createTableMs: number }) => Server;

export const TABLE_NAME = 'dacapo';
export const LOCAL = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  patience: 10,
};

export interface Engine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export async function startDynamo(): Promise<Engine> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const { dynamodb } = awsClients({ pathStyleBuckets: true }, { ...LOCAL, endpoint });
  await createTable(dynamodb);
  dynamodb.destroy();
  return {
    endpoint,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** As infrastructure makes it. */
export async function createTable(client: DynamoDBClient, tableName = TABLE_NAME): Promise<void> {
  const indexes = Object.values(INDEXES);
  const types = new Map<string, 'S' | 'N'>([
    [TABLE.partitionKey, 'S'],
    [TABLE.sortKey, 'S'],
    ...indexes.map(({ partitionKey }) => [partitionKey, 'S'] as const),
    ...indexes.map(({ sortKey, sortKeyType }) => [sortKey, sortKeyType] as const),
  ]);
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
      KeySchema: keySchema(TABLE),
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keySchema(index),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.05 }, { TableName: tableName });
}

function keySchema({ partitionKey, sortKey }: { readonly partitionKey: string; readonly sortKey: string }) {
  return [
    { AttributeName: partitionKey, KeyType: 'HASH' as const },
    { AttributeName: sortKey, KeyType: 'RANGE' as const },
  ];
}
