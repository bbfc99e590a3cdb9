/**
 * Queues in which so much waits that the watchdog should add nothing. The age of the oldest message, which would say it
 * best, is a metric of CloudWatch: minutes late, and its price is a request for each look. How many are visible is an
 * attribute of the queue. As many as one run of the watchdog would add take their drivers about a minute, so this is the
 * same bound: with that many waiting, a hint more would only be a repetition of one that waits.
 */
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { AwsEnvironment } from '../../contract/aws-environment.ts';
import { LIMITS } from '../../core/limits.ts';
import type { QueueName } from '../../ports.ts';
import { calling } from './failures.ts';

type Urls = Pick<AwsEnvironment, 'dispatchQueueUrl' | 'compensateQueueUrl'>;

export function backlogs(client: SQSClient, urls: Urls) {
  const waiting = async (QueueUrl: string | null): Promise<number> => {
    if (QueueUrl === null) return 0;
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] });
    const { Attributes } = await calling('SQS GetQueueAttributes', () => client.send(command));
    return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
  };
  return async (): Promise<ReadonlySet<QueueName>> => {
    const [dispatch, compensate] = [await waiting(urls.dispatchQueueUrl), await waiting(urls.compensateQueueUrl)];
    const full: QueueName[] = [];
    if (dispatch >= LIMITS.sweepBatchMax) full.push('dispatch');
    if (compensate >= LIMITS.sweepBatchMax) full.push('compensate');
    return new Set(full);
  };
}
