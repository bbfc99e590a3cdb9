/** What wakes schedules: one recurring schedule a name, set again as often as one likes, gone when it is removed. */
import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  UpdateScheduleCommand,
  ValidationException,
} from '@aws-sdk/client-scheduler';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { awsWakeups } from '../../../lib/adapters/aws/wakeups.ts';
import { wakeupBody } from '../../../lib/contract/messages.ts';
import { T0 } from '../../contracts/jobs.ts';
import { localClients } from './clients.ts';

const clients = localClients();
const SETTINGS = {
  group: 'dacapo-ticks',
  roleArn: 'arn:aws:iam::123456789012:role/wakeups',
  queueArn: 'arn:aws:sqs:eu-central-1:123456789012:intake',
  dlqArn: 'arn:aws:sqs:eu-central-1:123456789012:schedules-dead',
};
const when = { name: 'nightly', expression: 'cron(0 8 * * MON)', timezone: 'Europe/Berlin', firstAt: T0 };
const missing = new ResourceNotFoundException({ $metadata: { httpStatusCode: 404 }, message: 'no', Message: 'no' });
const taken = new ConflictException({ $metadata: { httpStatusCode: 409 }, message: 'yes', Message: 'yes' });
const invalid = new ValidationException({ $metadata: { httpStatusCode: 400 }, message: 'no', Message: 'no' });

function mocked() {
  const mock = mockClient(clients.scheduler);
  onTestFinished(() => mock.restore());
  mock.on(CreateScheduleCommand).resolves({});
  mock.on(UpdateScheduleCommand).resolves({});
  mock.on(DeleteScheduleCommand).resolves({});
  const inputs = (command: typeof CreateScheduleCommand | typeof UpdateScheduleCommand) =>
    mock.commandCalls(command as typeof CreateScheduleCommand).map(({ args }) => args[0].input);
  return { mock, inputs, wakeups: awsWakeups(clients.scheduler, SETTINGS) };
}

describe('a wake-up', () => {
  it('is replaced where it is there, in the clock of its time zone', async () => {
    const { inputs, wakeups } = mocked();
    await wakeups.set(when);
    expect(inputs(CreateScheduleCommand)).toEqual([]);
    expect(inputs(UpdateScheduleCommand)).toEqual([
      {
        Name: 'nightly',
        GroupName: 'dacapo-ticks',
        ScheduleExpression: 'cron(0 8 ? * MON *)',
        ScheduleExpressionTimezone: 'Europe/Berlin',
        StartDate: new Date(T0),
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: {
          Arn: SETTINGS.queueArn,
          RoleArn: SETTINGS.roleArn,
          Input: wakeupBody('nightly'),
          DeadLetterConfig: { Arn: SETTINGS.dlqArn },
          RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 10 },
        },
      },
    ]);
  });

  it('is made where it is not', async () => {
    const { mock, inputs, wakeups } = mocked();
    mock.on(UpdateScheduleCommand).rejects(missing);
    await wakeups.set(when);
    expect(inputs(CreateScheduleCommand)).toEqual(inputs(UpdateScheduleCommand));
  });

  it('that somebody else made meanwhile is replaced', async () => {
    const { mock, inputs, wakeups } = mocked();
    mock.on(UpdateScheduleCommand).rejectsOnce(missing).resolves({});
    mock.on(CreateScheduleCommand).rejects(taken);
    await wakeups.set(when);
    expect(inputs(UpdateScheduleCommand)).toHaveLength(2);
  });

  it('that is made and removed all the time is an error, and no endless loop', async () => {
    const { mock, wakeups } = mocked();
    mock.on(UpdateScheduleCommand).rejects(missing);
    mock.on(CreateScheduleCommand).rejects(taken);
    await expect(wakeups.set(when)).rejects.toThrow(/set it again/);
  });

  it('that the service refuses is an error', async () => {
    const { mock, wakeups } = mocked();
    mock.on(UpdateScheduleCommand).rejects(invalid);
    await expect(wakeups.set(when)).rejects.toThrow(ValidationException);
  });

  it('may be removed twice', async () => {
    const { mock, wakeups } = mocked();
    await wakeups.remove('nightly');
    mock.on(DeleteScheduleCommand).rejects(missing);
    await wakeups.remove('nightly');
    expect(mock.commandCalls(DeleteScheduleCommand).map(({ args }) => args[0].input)).toEqual([
      { Name: 'nightly', GroupName: 'dacapo-ticks' },
      { Name: 'nightly', GroupName: 'dacapo-ticks' },
    ]);
  });

  it('without the right to it names the variable that is missing', async () => {
    await expect(awsWakeups(clients.scheduler, null).set(when)).rejects.toThrow(/DACAPO_WAKEUP_GROUP is not set/);
  });
});
