/**
 * The deployment under test, its clients, and who speaks to it: an administrator of the account through the SDK, an
 * operator and a submitter through the API.
 */
import assert from 'node:assert/strict';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Api } from '../acceptance/support/api.ts';
import { eventually } from '../acceptance/support/eventually.ts';
import { isSettled, type Job } from '../acceptance/support/wire.ts';

type Credentials = Readonly<Record<string, string>>;

interface Described {
  readonly url: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly operator: Credentials;
  readonly submitter: Credentials;
}

export const stack = JSON.parse(process.env.DACAPO_STACK ?? '{}') as Described;

/** The clients keep the administrator's credentials, whoever the API is called as later. */
const credentials = {
  accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? '',
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? '',
};
export const sqs = new SQSClient({ credentials, useQueueUrlAsEndpoint: false });
export const events = new EventBridgeClient({ credentials });
export const lambda = new LambdaClient({ credentials });
export const scheduler = new SchedulerClient({ credentials });
export const logs = new CloudWatchLogsClient({ credentials });

/** Longer than the schedules' own minute of patience. */
export const PATIENCE_MS = 150_000;

export const api = new Api(stack.url);

/** Signs every request from now on as this one. */
export function become(who: 'operator' | 'submitter' | 'nobody'): void {
  process.env.DACAPO_SIGV4 = who === 'nobody' ? '0' : '1';
  if (who !== 'nobody') Object.assign(process.env, stack[who]);
}

export function outputOf(name: string): string {
  const value = stack.outputs[name];
  assert.ok(value, `the deployment has no output ${name}`);
  return value;
}

export const send = (url: string, body: string) =>
  sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }));

/** The one job under this correlation id, once it has come to rest. */
export function settledJob(correlationId: string): Promise<Job> {
  return eventually(
    `job ${correlationId} settles`,
    async () => {
      const { items } = await api.jobs({ correlation_id: correlationId });
      return items.find((job) => isSettled(job));
    },
    PATIENCE_MS,
  );
}

/** Takes messages from a queue until one is what is looked for. */
export async function received<T>(what: string, url: string, look: (body: string) => T | undefined): Promise<T> {
  return eventually(
    what,
    async () => {
      const command = new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 });
      const { Messages = [] } = await sqs.send(command);
      for (const { Body = '', ReceiptHandle } of Messages) {
        const found = look(Body);
        await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
        if (found !== undefined) return found;
      }
      return undefined;
    },
    PATIENCE_MS,
  );
}
