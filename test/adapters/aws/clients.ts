/** The real clients on engines of this process, one of each for a test file. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import { type AwsClients, awsClients } from '../../../lib/adapters/aws/clients.ts';
import { startQueues } from './queues.ts';
import { LOCAL, startDynamo } from './table.ts';

export const BUCKET_NAME = 'dacapo-values';

/** Started before the tests of the file that calls it, and stopped after them; use it in tests only. */
export function localClients(): AwsClients {
  const clients = {} as { -readonly [K in keyof AwsClients]: AwsClients[K] };
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const [dynamo, queues] = await Promise.all([startDynamo(), startQueues()]);
    stops.push(dynamo.stop, queues.stop);
    const pathStyle = { pathStyleBuckets: true };
    const { dynamodb } = awsClients(pathStyle, { ...LOCAL, endpoint: dynamo.endpoint });
    // Nothing answers for the rest: what gets there is a mistake of the test.
    Object.assign(clients, awsClients(pathStyle, { ...LOCAL, endpoint: queues.endpoint }), { dynamodb });
    const s3 = new S3Client({ ...LOCAL, endpoint: queues.endpoint, forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: BUCKET_NAME }));
    s3.destroy();
  });
  afterAll(async () => {
    for (const client of Object.values(clients)) client.destroy();
    for (const stop of stops) await stop();
  });
  return clients;
}
