/**
 * Queues as every one of ours has to be: encrypted, TLS only, hidden long enough for whoever works on a message, and
 * with a dead-letter queue that keeps for fourteen days what was received too often.
 */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { AWS_VARIABLES } from '../contract/aws-environment.ts';
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
  /** How long messages are gathered into one batch. */
  readonly windowMs?: number;
  /** Messages stay where they are. */
  readonly paused?: boolean;
}

/** No filter, ever: what a filter does not match is deleted unseen. */
export function feed(
  worker: ServiceFunction,
  queue: IQueue,
  { batchSize, maxConcurrency, windowMs, paused = false }: FeedProps,
): void {
  worker.function.addEventSource(
    new SqsEventSource(queue, {
      batchSize,
      maxConcurrency,
      reportBatchItemFailures: true,
      enabled: !paused,
      ...(windowMs === undefined ? {} : { maxBatchingWindow: Duration.millis(windowMs) }),
    }),
  );
}

/** Children of one parent end side by side: what they report within a second is one write of it. */
const REPORTS_BATCH = 100;
const REPORTS_WINDOW_MS = 1_000;

/** How children have ended, for their parents. What dies here goes on its way again as any message of the drivers does. */
export function reportsQueue(scope: Construct, deadLetters: IQueue): Queue {
  return workQueue(scope, 'ReportsQueue', {
    deadLetters,
    worker: FUNCTIONS.dispatch,
    batchingWindowMs: REPORTS_WINDOW_MS,
  });
}

/** A batch is one short write for each parent in it: few at once keep up with all the children that run. */
const REPORTS_CONCURRENCY = 10;

export function feedReports(worker: ServiceFunction, queue: IQueue, paused: boolean): void {
  const batches = { batchSize: REPORTS_BATCH, windowMs: REPORTS_WINDOW_MS };
  feed(worker, queue, { ...batches, maxConcurrency: REPORTS_CONCURRENCY, paused });
}

export function grantReports(to: ServiceFunction, queue: IQueue): void {
  grantSend(to, queue, { [AWS_VARIABLES.reportsQueueUrl]: queue.queueUrl });
}

export function grantSend(to: ServiceFunction, queue: IQueue, variables: Readonly<Record<string, string>> = {}): void {
  to.allow({ actions: ['sqs:SendMessage'], resources: [queue.queueArn], variables });
}
