/**
 * Children are started by hints, many in a request; what they report goes through a queue of its own, whose messages are
 * read many at a time, so that a parent is written once for all that came together.
 */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { AWS_VARIABLES } from '../../contract/aws-environment.ts';
import { laneOf } from '../../core/ids.ts';
import type { Family } from '../../ports.ts';
import { calling } from './failures.ts';
import { granted } from './not-granted.ts';
import { queueBody, type SqsQueue } from './queue.ts';

export function awsFamily(client: SQSClient, queue: SqsQueue, reportsQueueUrl: string | null): Family {
  return {
    start: (callerId, jobIds) => {
      const lane = laneOf(callerId);
      const hints = jobIds.map((jobId) => ({ kind: 'hint', jobId, revision: 0, hops: 0, lane }) as const);
      return queue.sendAll(
        'dispatch',
        hints.map((message) => ({ message, delayMs: 0 })),
      );
    },
    report: async (parent, report) => {
      const command = new SendMessageCommand({
        QueueUrl: granted(reportsQueueUrl, AWS_VARIABLES.reportsQueueUrl),
        MessageBody: queueBody({ kind: 'reports', jobId: parent, reports: [report] }),
      });
      await calling('SQS SendMessage', () => client.send(command));
    },
  };
}
