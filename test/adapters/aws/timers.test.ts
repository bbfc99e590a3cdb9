/** Timers by schedule: which, named how, and what a name that is taken means. */
import { ConflictException, CreateScheduleCommand, ValidationException } from '@aws-sdk/client-scheduler';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { awsTimers } from '../../../lib/adapters/aws/timers.ts';
import { LIMITS } from '../../../lib/core/limits.ts';
import { StoreError, ThrottledError } from '../../../lib/core/store-error.ts';
import type { Message } from '../../../lib/ports.ts';
import { idOf, T0 } from '../../contracts/jobs.ts';
import { localClients } from './clients.ts';
import { always, breakBefore, fail, faulty } from './faulty-handler.ts';

const clients = localClients();
const SETTINGS = {
  group: 'dacapo-prod',
  roleArn: 'arn:aws:iam::123456789012:role/scheduler',
  dispatchQueueArn: 'arn:aws:sqs:eu-central-1:123456789012:dispatch',
  compensateQueueArn: 'arn:aws:sqs:eu-central-1:123456789012:compensate',
  dlqArn: 'arn:aws:sqs:eu-central-1:123456789012:schedule-dead',
};
const jobId = idOf('timer');
const message: Message = { kind: 'hint', jobId, revision: 7, hops: 0 };
const timer = { name: `${jobId}-7`, at: T0 + 3_600_000, queue: 'compensate', message } as const;

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

function armed(settings: typeof SETTINGS | null = SETTINGS) {
  const sent: [string, Message, number][] = [];
  const queue = { send: async (...args: [string, Message, number]) => void sent.push(args) };
  const clock = { now: () => T0, after: () => () => {} };
  return { sent, timers: awsTimers(clients.scheduler, queue, settings, clock) };
}

function scheduled() {
  const mock = mockClient(clients.scheduler);
  onTestFinished(() => mock.restore());
  mock.on(CreateScheduleCommand).resolves({});
  return { mock, inputs: () => mock.commandCalls(CreateScheduleCommand).map(({ args }) => args[0].input) };
}

describe('a timer beyond what a queue can hold', () => {
  it('is one schedule that fires once and goes', async () => {
    const { inputs } = scheduled();
    const { timers, sent } = armed();
    await timers.arm(timer);
    expect(sent).toEqual([]);
    expect(inputs()).toEqual([
      {
        Name: `${jobId}-7`,
        GroupName: 'dacapo-prod',
        ScheduleExpression: 'at(2026-11-30T10:30:00)',
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: SETTINGS.compensateQueueArn,
          RoleArn: SETTINGS.roleArn,
          Input: JSON.stringify(message),
          DeadLetterConfig: { Arn: SETTINGS.dlqArn },
          RetryPolicy: { MaximumEventAgeInSeconds: 3_600, MaximumRetryAttempts: 185 },
        },
      },
    ]);
  });

  it('goes to the queue it is for', async () => {
    const { inputs } = scheduled();
    await armed().timers.arm({ ...timer, queue: 'dispatch' });
    expect(inputs()[0]?.Target?.Arn).toBe(SETTINGS.dispatchQueueArn);
  });

  it('fires never before its time: part of a second counts as a whole one', async () => {
    const { inputs } = scheduled();
    await armed().timers.arm({ ...timer, at: T0 + 3_600_001 });
    expect(inputs()[0]?.ScheduleExpression).toBe('at(2026-11-30T10:30:01)');
  });

  it('that is there already is armed', async () => {
    const { mock } = scheduled();
    const refusal = { $metadata: { httpStatusCode: 409 }, Message: 'exists', message: 'exists' };
    mock.on(CreateScheduleCommand).rejects(new ConflictException(refusal));
    await expect(armed().timers.arm(timer)).resolves.toBeUndefined();
  });

  it('that is refused for another reason is not armed', async () => {
    const { mock } = scheduled();
    const refusal = { $metadata: { httpStatusCode: 400 }, Message: 'no', message: 'no' };
    mock.on(CreateScheduleCommand).rejects(new ValidationException(refusal));
    await expect(armed().timers.arm(timer)).rejects.toThrow(ValidationException);
  });

  it.each([
    ['throttled', fail(429, 'ThrottlingException'), ThrottledError],
    ['broken', breakBefore('ECONNRESET'), StoreError],
    ['failing', fail(500, 'InternalServerException'), StoreError],
  ])('is tried three times when the service is %s', async (_what, fault, type) => {
    const attempts = faulty(clients.scheduler, always('POST', fault));
    await expect(armed().timers.arm(timer)).rejects.toThrow(type);
    expect(attempts).toHaveLength(3);
  });

  it('without the right to schedule names the variable that is missing', async () => {
    await expect(armed(null).timers.arm(timer)).rejects.toThrow(/DACAPO_SCHEDULE_GROUP is not set/);
  });

  it('has a name that fits, up to the last revision there can be', async () => {
    const { inputs } = scheduled();
    await armed().timers.arm({ ...timer, name: `${jobId}-${Number.MAX_SAFE_INTEGER}` });
    expect(inputs()).toHaveLength(1);
    await expect(armed().timers.arm({ ...timer, name: 'not a name' })).rejects.toThrow(/cannot be named/);
  });
});

describe('a timer within what a queue can hold', () => {
  it.each([
    ['at the limit', LIMITS.queueDelayMsMax, LIMITS.queueDelayMsMax],
    ['soon', 2_500, 2_500],
    ['now', 0, 0],
    ['past', -60_000, 0],
  ])('%s is a message and no schedule', async (_when, aheadMs, delayMs) => {
    const { inputs } = scheduled();
    const { timers, sent } = armed(null);
    await timers.arm({ ...timer, at: T0 + aheadMs });
    expect(sent).toEqual([['compensate', message, delayMs]]);
    expect(inputs()).toEqual([]);
  });

  it('is a schedule from the first millisecond beyond', async () => {
    const { inputs } = scheduled();
    const { timers, sent } = armed();
    await timers.arm({ ...timer, at: T0 + LIMITS.queueDelayMsMax + 1 });
    expect([sent.length, inputs().length]).toEqual([0, 1]);
  });
});
