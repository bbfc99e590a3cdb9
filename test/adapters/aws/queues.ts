/**
 * SQS and S3 in this process, on loopback. The engine reads the time from `Date`, so a test that moves that sees delays
 * and visibility pass at once.
 */
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { LIMITS } from '../../../lib/core/limits.ts';
import type { Message, QueueName, QueueReader, Received } from '../../../lib/ports.ts';
import { unique } from '../../contracts/unique.ts';
import type { Engine } from './table.ts';

export async function startQueues(): Promise<Engine> {
  const app = buildApp({ logger: false, host: '127.0.0.1' });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  return { endpoint, stop: () => app.close() };
}

interface Place {
  readonly url: string;
  readonly deadUrl: string;
}

export interface TestQueues {
  readonly urls: Readonly<Record<QueueName, string>>;
  readonly reader: Omit<QueueReader, 'receive'> & {
    receive(queue: QueueName, max: number, visibilityMs: number): Promise<readonly NamedMessage[]>;
  };
}

/** The same message has the same id, however often it is received. */
export interface NamedMessage extends Received {
  readonly messageId: string;
}

/** Fresh queues, each with a dead-letter queue behind it, as infrastructure makes them. */
export async function freshQueues(client: SQSClient): Promise<TestQueues> {
  const places = { dispatch: await place(client), compensate: await place(client) };
  return {
    urls: { dispatch: places.dispatch.url, compensate: places.compensate.url },
    reader: reader(client, places),
  };
}

async function place(client: SQSClient): Promise<Place> {
  const dead = await client.send(new CreateQueueCommand({ QueueName: unique('dead') }));
  const deadUrl = dead.QueueUrl ?? '';
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadUrl, AttributeNames: ['QueueArn'] }),
  );
  const redrive = { deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: LIMITS.messageMaxReceives };
  const queue = await client.send(
    new CreateQueueCommand({ QueueName: unique('queue'), Attributes: { RedrivePolicy: JSON.stringify(redrive) } }),
  );
  return { url: queue.QueueUrl ?? '', deadUrl };
}

function reader(client: SQSClient, places: Record<QueueName, Place>): TestQueues['reader'] {
  const receive = async (QueueUrl: string, max: number, visibilityMs: number) => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: max,
        VisibilityTimeout: visibilityMs / 1_000,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      }),
    );
    return Messages.map(({ Body = '', ReceiptHandle = '', MessageId = '', Attributes }) => ({
      messageId: MessageId,
      message: JSON.parse(Body) as Message,
      receipt: ReceiptHandle,
      receives: Number(Attributes?.ApproximateReceiveCount),
    }));
  };
  const remove = async (QueueUrl: string, ReceiptHandle: string): Promise<void> => {
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  };
  return {
    receive: (queue, max, visibilityMs) => receive(places[queue].url, max, visibilityMs),
    remove: (queue, receipt) => remove(places[queue].url, receipt),
    takeDeadLetters: async (queue, max) => {
      const { deadUrl } = places[queue];
      const taken = await receive(deadUrl, max, 30_000);
      for (const { receipt } of taken) await remove(deadUrl, receipt);
      return taken.map(({ message }) => message);
    },
  };
}
