/** An empty table for operations on a DynamoDB of this process, one for each test. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { onTestFinished } from 'vitest';

// It comes without types.
const dynalite = createRequire(import.meta.url)('dynalite') as (options: { createTableMs: number }) => Server;

export interface DynamoTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

export async function dynamoTable(): Promise<DynamoTable> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const tableName = 'operations';
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 5, minDelay: 0.01, maxDelay: 0.05 }, { TableName: tableName });
  return { client, tableName };
}
