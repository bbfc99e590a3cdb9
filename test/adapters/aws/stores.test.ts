/** The stores on DynamoDB and S3 keep what every store keeps. */
import { afterAll, beforeAll } from 'vitest';
import { dynamoClaims } from '../../../lib/adapters/aws/claims.ts';
import { type AwsClients, awsClients } from '../../../lib/adapters/aws/clients.ts';
import { dynamoDeadLetters } from '../../../lib/adapters/aws/dead-letters.ts';
import { dynamoJobs } from '../../../lib/adapters/aws/jobs.ts';
import { dynamoValues } from '../../../lib/adapters/aws/values.ts';
import { jobIndexContract } from '../../contracts/job-index.ts';
import { jobStoreContract } from '../../contracts/job-store.ts';
import { claimStoreContract, deadLetterStoreContract, valueStoreContract } from '../../contracts/records.ts';
import { type Engine, LOCAL, startDynamo, TABLE_NAME } from './table.ts';

let engine: Engine;
let clients: AwsClients;

beforeAll(async () => {
  engine = await startDynamo();
  clients = awsClients({ pathStyleBuckets: true }, { ...LOCAL, endpoint: engine.endpoint });
});
afterAll(() => engine.stop());

const now = () => Date.now();

jobStoreContract('DynamoDB', async () => dynamoJobs(clients.dynamodb, TABLE_NAME, now));
jobIndexContract('DynamoDB', async () => dynamoJobs(clients.dynamodb, TABLE_NAME, now));
claimStoreContract('DynamoDB', async () => dynamoClaims(clients.dynamodb, TABLE_NAME));
deadLetterStoreContract('DynamoDB', async () => dynamoDeadLetters(clients.dynamodb, TABLE_NAME, now));
valueStoreContract('DynamoDB', async () =>
  dynamoValues({ dynamodb: clients.dynamodb, s3: clients.s3, tableName: TABLE_NAME, bucketName: 'x', now }),
);
