/** What a person can do, on DynamoDB. */
import { dynamoAudit } from '../../../lib/adapters/aws/audit.ts';
import { dynamoClaims } from '../../../lib/adapters/aws/claims.ts';
import { dynamoDeadLetters } from '../../../lib/adapters/aws/dead-letters.ts';
import { dynamoJobs } from '../../../lib/adapters/aws/jobs.ts';
import { dynamoValues } from '../../../lib/adapters/aws/values.ts';
import { memoryPorts } from '../../../lib/adapters/memory/ports.ts';
import { operatorActionsContract } from '../../contracts/operator-actions.ts';
import { BUCKET_NAME, localClients } from './clients.ts';
import { createTable } from './table.ts';

const clients = localClients();
let tables = 0;

operatorActionsContract('DynamoDB', async (now) => {
  tables += 1;
  const tableName = `actions-${tables}`;
  await createTable(clients.dynamodb, tableName);
  const memory = memoryPorts({ start: now });
  const time = () => memory.clock.now();
  return {
    ...memory,
    jobs: dynamoJobs(clients.dynamodb, tableName, time),
    values: dynamoValues({ ...clients, tableName, bucketName: BUCKET_NAME, now: time }),
    claims: dynamoClaims(clients.dynamodb, tableName),
    deadLetters: dynamoDeadLetters(clients.dynamodb, tableName, time),
    audit: dynamoAudit(clients.dynamodb, tableName),
  };
});
