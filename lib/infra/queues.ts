/**
 * Queues as every one of ours has to be: encrypted, TLS only, hidden long enough for whoever works on a message, and
 * with a dead-letter queue that keeps for fourteen days what was received too often.
 */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { LIMITS } from '../core/limits.ts';
import { acknowledge } from './findings.ts';
import type { ServiceFunction } from './service-function.ts';
import { FUNCTIONS, type FunctionSize, visibilityMs } from './settings.ts';

/**
 * Keys of SQS itself: EventBridge and Scheduler send here, and would each need a say in the policy of a key of ours. What
 * queues carry are hints and answers on their way, a minute old; what is kept lies in the table.
 */
const ENCRYPTION = QueueEncryption.SQS_MANAGED;

const RETENTION = Duration.millis(LIMITS.deadLetterQueueRetentionMs);

/** The `dead-letter` function works on it, so it is hidden for as long as that takes. */
export function deadLetterQueue(scope: Construct, id: string, removalPolicy: RemovalPolicy): Queue {
  const queue = new Queue(scope, id, {
    encryption: ENCRYPTION,
    enforceSSL: true,
    retentionPeriod: RETENTION,
    visibilityTimeout: Duration.millis(visibilityMs(FUNCTIONS['dead-letter'])),
    removalPolicy,
  });
  acknowledge(queue, 'SQS3', 'It is a dead-letter queue itself, of queues or rules in another stack.');
  return queue;
}

export interface WorkQueueProps {
  readonly deadLetters: IQueue;
  readonly worker: FunctionSize;
  readonly batchingWindowMs?: number;
}

export function workQueue(scope: Construct, id: string, props: WorkQueueProps): Queue {
  return new Queue(scope, id, {
    encryption: ENCRYPTION,
    enforceSSL: true,
    // A message must outlive an outage of its function; a dead letter's clock starts when it was first sent.
    retentionPeriod: Duration.days(4),
    visibilityTimeout: Duration.millis(visibilityMs(props.worker, props.batchingWindowMs)),
    deadLetterQueue: { queue: props.deadLetters, maxReceiveCount: LIMITS.messageMaxReceives },
  });
}

export interface FeedProps {
  readonly batchSize: number;
  readonly maxConcurrency: number;
  /** Messages stay where they are. */
  readonly paused?: boolean;
}

/** No filter, ever: what a filter does not match is deleted unseen. */
export function feed(
  worker: ServiceFunction,
  queue: IQueue,
  { batchSize, maxConcurrency, paused = false }: FeedProps,
): void {
  worker.function.addEventSource(
    new SqsEventSource(queue, { batchSize, maxConcurrency, reportBatchItemFailures: true, enabled: !paused }),
  );
}

export function grantSend(to: ServiceFunction, queue: IQueue, variables: Readonly<Record<string, string>> = {}): void {
  to.allow({ actions: ['sqs:SendMessage'], resources: [queue.queueArn], variables });
}
