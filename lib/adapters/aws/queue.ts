/**
 * The command queues on SQS, standard ones: at least once, in any order. Delays are whole seconds there, rounded up,
 * since a message comes never before its time.
 */
import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { AWS_VARIABLES } from '../../contract/aws-environment.ts';
import { byteLength } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import type { CommandQueue, Message, QueueName } from '../../ports.ts';
import { sendInBatches } from './batches.ts';
import { calling } from './failures.ts';
import { granted } from './not-granted.ts';

export interface Outgoing {
  readonly message: Message;
  readonly delayMs: number;
}

export interface SqsQueue extends CommandQueue {
  /** Many in few requests, in batches that fit by number and size. */
  sendAll(queue: QueueName, messages: readonly Outgoing[]): Promise<void>;
}

export type QueueUrls = Readonly<Record<QueueName, string | null>>;

const VARIABLES: Readonly<Record<QueueName, string>> = {
  dispatch: AWS_VARIABLES.dispatchQueueUrl,
  compensate: AWS_VARIABLES.compensateQueueUrl,
};

export function sqsQueue(client: SQSClient, urls: QueueUrls): SqsQueue {
  const urlOf = (queue: QueueName): string => granted(urls[queue], VARIABLES[queue]);
  return {
    send: async (queue, message, delayMs) => {
      const command = new SendMessageCommand({
        QueueUrl: urlOf(queue),
        MessageBody: bodyOf(message),
        DelaySeconds: delaySeconds(delayMs),
        ...groupOf(message),
      });
      await calling('SQS SendMessage', () => client.send(command));
    },
    sendAll: (queue, messages) => {
      const QueueUrl = urlOf(queue);
      const entries = messages.map(
        ({ message, delayMs }, index): SendMessageBatchRequestEntry => ({
          Id: String(index),
          MessageBody: bodyOf(message),
          DelaySeconds: delaySeconds(delayMs),
          ...groupOf(message),
        }),
      );
      return sendInBatches(entries, {
        what: 'SQS SendMessageBatch',
        bytesMax: LIMITS.queueMessageBytesMax,
        bytesOf: ({ MessageBody = '' }) => byteLength(MessageBody),
        send: (batch) => sendBatch(client, QueueUrl, batch),
      });
    },
  };
}

async function sendBatch(client: SQSClient, QueueUrl: string, batch: readonly SendMessageBatchRequestEntry[]) {
  const command = new SendMessageBatchCommand({ QueueUrl, Entries: [...batch] });
  const { Failed = [] } = await calling('SQS SendMessageBatch', () => client.send(command));
  return Failed.flatMap(({ Id, Code = 'unknown', SenderFault = false }) => {
    const entry = batch.find((sent) => sent.Id === Id);
    return entry === undefined ? [] : [{ entry, code: Code, forGood: SenderFault }];
  });
}

/** What JSON leaves as it is and SQS would replace; and surrogate pairs, since not every implementation takes them. */
const NOT_FOR_QUEUES = /[\ud800-\udfff\ufffe\uffff]/g;

export function queueBody(document: unknown): string {
  return JSON.stringify(document).replace(NOT_FOR_QUEUES, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

function bodyOf(message: Message): string {
  const body = queueBody(message);
  const size = byteLength(body);
  if (size <= LIMITS.queueMessageBytesMax) return body;
  const most = LIMITS.queueMessageBytesMax;
  throw new RangeError(`a ${message.kind} of ${size} bytes does not fit in a message of ${most}: store it apart`);
}

/** On a standard queue a group orders nothing: who has many messages in flight only lets the others go first. */
function groupOf(message: Message): { MessageGroupId?: string } {
  return message.kind === 'hint' && message.lane !== undefined ? { MessageGroupId: message.lane } : {};
}

function delaySeconds(delayMs: number): number {
  if (delayMs > LIMITS.queueDelayMsMax) {
    throw new RangeError(`a message cannot wait ${delayMs} ms in a queue: arm a timer for more than 900 s`);
  }
  return Math.ceil(Math.max(0, delayMs) / 1_000);
}
