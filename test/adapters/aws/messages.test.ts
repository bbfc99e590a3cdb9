/** Queues, timers and bus on AWS keep what all of them keep. Only `Date` is moved; sockets take their real time. */
import { PutEventsCommand, type PutEventsCommandInput } from '@aws-sdk/client-eventbridge';
import { CreateScheduleCommand } from '@aws-sdk/client-scheduler';
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it, onTestFinished, vi } from 'vitest';
import { awsBus } from '../../../lib/adapters/aws/bus.ts';
import { realClock } from '../../../lib/adapters/aws/clock.ts';
import { sqsQueue } from '../../../lib/adapters/aws/queue.ts';
import { awsTimers } from '../../../lib/adapters/aws/timers.ts';
import { hintFor } from '../../../lib/operations/hint.ts';
import { sampleJob } from '../../contract/sample-job.ts';
import { T0 } from '../../contracts/jobs.ts';
import { busContract, queueContract, timersContract } from '../../contracts/queue.ts';
import { localClients } from './clients.ts';
import { freshQueues } from './queues.ts';
import { fakeScheduler } from './scheduler.ts';

const clients = localClients();

const SCHEDULES = {
  group: 'dacapo',
  roleArn: 'arn:aws:iam::123456789012:role/scheduler',
  dispatchQueueArn: 'arn:dispatch',
  compensateQueueArn: 'arn:compensate',
  dlqArn: 'arn:dead',
};

async function makeTimers() {
  vi.useFakeTimers({ toFake: ['Date'], now: T0 });
  onTestFinished(() => void vi.useRealTimers());
  const { urls, reader } = await freshQueues(clients.sqs);
  const queue = sqsQueue(clients.sqs, urls);
  const scheduler = fakeScheduler(() => Date.now());
  const mock = mockClient(clients.scheduler);
  onTestFinished(() => mock.restore());
  mock.on(CreateScheduleCommand).callsFake((input) => scheduler.create(input));
  const send = async (arn: string, MessageBody: string): Promise<void> => {
    const QueueUrl = arn === SCHEDULES.dispatchQueueArn ? urls.dispatch : urls.compensate;
    await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  };
  return {
    queue: { ...queue, ...reader },
    timers: awsTimers(clients.scheduler, queue, SCHEDULES, realClock()),
    advance: async (ms: number) => {
      vi.setSystemTime(Date.now() + ms);
      await scheduler.fire(Date.now(), send);
    },
  };
}

queueContract('SQS', makeTimers);
timersContract('SQS and Scheduler', makeTimers);

busContract('EventBridge', async () => {
  const mock = mockClient(clients.events);
  onTestFinished(() => mock.restore());
  const taken: NonNullable<PutEventsCommandInput['Entries']> = [];
  mock.on(PutEventsCommand).callsFake(({ Entries }: { Entries: typeof taken }) => {
    taken.push(...Entries);
    return { FailedEntryCount: 0, Entries: Entries.map((_, index) => ({ EventId: `taken-${index}` })) };
  });
  return {
    bus: awsBus(clients.events, 'dacapo'),
    seen: async () =>
      taken.map(({ DetailType = '', Detail = '', Time }) => ({
        detailType: DetailType,
        detail: JSON.parse(Detail),
        time: Time?.getTime() ?? 0,
      })),
  };
});

it('hints are sent in a group of their caller, whom it does not name', async () => {
  const mock = mockClient(clients.sqs);
  onTestFinished(() => mock.restore());
  mock.on(SendMessageCommand).resolves({}).on(SendMessageBatchCommand).resolves({});
  const queue = sqsQueue(clients.sqs, { dispatch: 'https://sqs/dispatch', compensate: null });
  const callers = ['arn:aws:iam::123456789012:role/shop', 'https://issuer|ann', 'https://issuer|ann'];
  const hints = callers.map((callerId) => hintFor({ ...sampleJob, callerId }));
  for (const hint of hints) await queue.send('dispatch', hint, 0);
  await queue.sendAll(
    'dispatch',
    hints.map((message) => ({ message, delayMs: 0 })),
  );
  const single = mock.commandCalls(SendMessageCommand).map(({ args }) => args[0].input.MessageGroupId ?? '');
  const batched = mock.commandCalls(SendMessageBatchCommand).flatMap(({ args }) => args[0].input.Entries ?? []);
  expect(batched.map(({ MessageGroupId }) => MessageGroupId)).toEqual(single);
  const [shop, ann, annAgain] = single;
  expect([ann === annAgain, shop === ann]).toEqual([true, false]);
  for (const group of single) expect(group).toMatch(/^[a-z2-7]{16}$/);
});
