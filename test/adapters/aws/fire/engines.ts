/** The engines under the adapters, and a deployment of ours on them: clients, a table, queues. Started once, used by many runs. */
import type { SQSClient } from '@aws-sdk/client-sqs';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { type AwsClients, awsClients } from '../../../../lib/adapters/aws/clients.ts';
import { type AwsPorts, awsPorts } from '../../../../lib/adapters/aws/ports.ts';
import { hmacSigner, KEY_BYTES } from '../../../../lib/adapters/hmac-signer.ts';
import { parseAwsEnvironment, AWS_VARIABLES as V } from '../../../../lib/contract/aws-environment.ts';
import type { Address } from '../../../../lib/contract/routes.ts';
import { freshQueues, startQueues, type TestQueues } from '../queues.ts';
import { createTable, LOCAL, startDynamo } from '../table.ts';

export interface Engines {
  readonly dynamo: string;
  readonly queues: string;
  stop(): Promise<void>;
}

export async function startEngines(): Promise<Engines> {
  const [dynamo, queues] = await Promise.all([startDynamo(), startQueues()]);
  return {
    dynamo: dynamo.endpoint,
    queues: queues.endpoint,
    stop: async () => {
      await dynamo.stop();
      await queues.stop();
    },
  };
}

export interface Deployment {
  readonly clients: AwsClients;
  readonly queues: TestQueues;
  readonly ports: AwsPorts;
}

let deployed = 0;

/** Everything of its own, so that no run sees what another has left. */
export async function deploy({ dynamo, queues: endpoint }: Engines): Promise<Deployment> {
  deployed += 1;
  const tableName = `dacapo-${deployed}`;
  const clients = {
    ...awsClients({ pathStyleBuckets: true }, { ...LOCAL, endpoint }),
    dynamodb: awsClients({ pathStyleBuckets: true }, { ...LOCAL, endpoint: dynamo }).dynamodb,
  };
  await createTable(clients.dynamodb, tableName);
  const queues = await freshQueues(clients.sqs);
  // What is not granted here is not granted, whatever there will be.
  const environment = {
    ...parseAwsEnvironment({ [V.tableName]: tableName, [V.bucketName]: 'dacapo-values', [V.busName]: 'dacapo' }),
    dispatchQueueUrl: queues.urls.dispatch,
    compensateQueueUrl: queues.urls.compensate,
    schedules: SCHEDULES,
    routes: { routes: new Map(), addresses: new Everywhere() },
  };
  // There is no KMS to set on fire: the key is one of ours.
  const ports = { ...awsPorts(environment, clients), signer: hmacSigner(new Uint8Array(KEY_BYTES)) };
  return { clients, queues, ports };
}

const SCHEDULES = {
  group: 'dacapo',
  roleArn: 'arn:aws:iam::123456789012:role/scheduler',
  dispatchQueueArn: 'arn:dispatch',
  compensateQueueArn: 'arn:compensate',
  dlqArn: 'arn:dead',
};

/** What Scheduler does when a schedule fires. */
export function sendTo(sqs: SQSClient, { urls }: TestQueues): (arn: string, body: string) => Promise<void> {
  return async (arn, MessageBody) => {
    const QueueUrl = arn === SCHEDULES.dispatchQueueArn ? urls.dispatch : urls.compensate;
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  };
}

/** Every target is a function of its name. */
class Everywhere extends Map<string, Address> {
  override get(target: string): Address {
    return { kind: 'lambda', functionArn: target };
  }
}
