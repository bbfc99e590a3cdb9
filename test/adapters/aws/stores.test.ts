/** The stores on DynamoDB and S3 keep what every store keeps. */
import { dynamoAudit } from '../../../lib/adapters/aws/audit.ts';
import { dynamoClaims } from '../../../lib/adapters/aws/claims.ts';
import { dynamoDeadLetters } from '../../../lib/adapters/aws/dead-letters.ts';
import { dynamoDependencies } from '../../../lib/adapters/aws/dependencies.ts';
import { dynamoJobs } from '../../../lib/adapters/aws/jobs.ts';
import { dynamoPauses } from '../../../lib/adapters/aws/pauses.ts';
import { dynamoSchedules } from '../../../lib/adapters/aws/schedules.ts';
import { dynamoValues } from '../../../lib/adapters/aws/values.ts';
import { auditStoreContract, settlementContract } from '../../contracts/audit.ts';
import { dependenciesContract } from '../../contracts/dependencies.ts';
import { jobIndexContract } from '../../contracts/job-index.ts';
import { jobStoreContract } from '../../contracts/job-store.ts';
import { parkedJobsContract } from '../../contracts/parked-jobs.ts';
import { pausesContract } from '../../contracts/pauses.ts';
import { claimStoreContract, deadLetterStoreContract, valueStoreContract } from '../../contracts/records.ts';
import { scheduleStoreContract } from '../../contracts/schedules.ts';
import { BUCKET_NAME, localClients } from './clients.ts';
import { TABLE_NAME } from './table.ts';

const clients = localClients();
const now = () => Date.now();

jobStoreContract('DynamoDB', async () => dynamoJobs(clients.dynamodb, TABLE_NAME, now));
jobIndexContract('DynamoDB', async () => dynamoJobs(clients.dynamodb, TABLE_NAME, now));
parkedJobsContract('DynamoDB', async () => dynamoJobs(clients.dynamodb, TABLE_NAME, now));
dependenciesContract('DynamoDB', async () => dynamoDependencies(clients.dynamodb, TABLE_NAME));
claimStoreContract('DynamoDB', async () => dynamoClaims(clients.dynamodb, TABLE_NAME));
deadLetterStoreContract('DynamoDB', async () => dynamoDeadLetters(clients.dynamodb, TABLE_NAME, now));
valueStoreContract('DynamoDB and S3', async () =>
  dynamoValues({ ...clients, tableName: TABLE_NAME, bucketName: BUCKET_NAME, now }),
);
auditStoreContract('DynamoDB', async () => dynamoAudit(clients.dynamodb, TABLE_NAME));
settlementContract('DynamoDB', async () => dynamoDeadLetters(clients.dynamodb, TABLE_NAME, now));
scheduleStoreContract('DynamoDB', async () => dynamoSchedules(clients.dynamodb, TABLE_NAME));
pausesContract('DynamoDB', async () => dynamoPauses(clients.dynamodb, TABLE_NAME));
