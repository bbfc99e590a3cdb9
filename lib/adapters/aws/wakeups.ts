/**
 * One recurring schedule of EventBridge Scheduler for each of ours. It only wakes: which ticks are due is decided on the
 * record, by one calendar, so a wake-up that comes early, late, twice or never changes no tick. The watchdog, which looks
 * each minute, is the second one to wake.
 */
import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { AWS_VARIABLES, type WakeupSettings } from '../../contract/aws-environment.ts';
import { wakeupBody } from '../../contract/messages.ts';
import { schedulerExpression } from '../../contract/scheduler-expression.ts';
import type { Wakeups } from '../../ports.ts';
import { calling } from './failures.ts';
import { granted } from './not-granted.ts';

type When = Parameters<Wakeups['set']>[0];

/** The watchdog has looked long before. */
const RETRY_POLICY = { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 10 };
/** Two who set the same name at once: the second one to create finds it there, and to update finds it gone, at most once each. */
const TRIES = 3;

export function awsWakeups(client: SchedulerClient, settings: WakeupSettings | null): Wakeups {
  const given = (): WakeupSettings => granted(settings, AWS_VARIABLES.wakeupGroup);
  return {
    set: async (when) => {
      const input = inputOf(when, given());
      for (let tries = 0; tries < TRIES; tries += 1) {
        if (await updated(client, input)) return;
        if (await created(client, input)) return;
      }
      throw new Error(`schedule ${when.name} is made and removed by others at the same time: set it again`);
    },
    remove: async (name) => {
      const command = new DeleteScheduleCommand({ Name: name, GroupName: given().group });
      await unless(ResourceNotFoundException, () => calling('Scheduler DeleteSchedule', () => client.send(command)));
    },
  };
}

function updated(client: SchedulerClient, input: CreateScheduleCommandInput): Promise<boolean> {
  const command = new UpdateScheduleCommand(input);
  return unless(ResourceNotFoundException, () => calling('Scheduler UpdateSchedule', () => client.send(command)));
}

function created(client: SchedulerClient, input: CreateScheduleCommandInput): Promise<boolean> {
  const command = new CreateScheduleCommand(input);
  return unless(ConflictException, () => calling('Scheduler CreateSchedule', () => client.send(command)));
}

type Refusal = typeof ConflictException | typeof ResourceNotFoundException;

async function unless(refusal: Refusal, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof refusal) return false;
    throw error;
  }
}

function inputOf({ name, expression, timezone, firstAt }: When, settings: WakeupSettings): CreateScheduleCommandInput {
  return {
    Name: name,
    GroupName: settings.group,
    ScheduleExpression: schedulerExpression(expression),
    ScheduleExpressionTimezone: timezone,
    StartDate: new Date(firstAt),
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: {
      Arn: settings.queueArn,
      RoleArn: settings.roleArn,
      Input: wakeupBody(name),
      DeadLetterConfig: { Arn: settings.dlqArn },
      RetryPolicy: RETRY_POLICY,
    },
  };
}
