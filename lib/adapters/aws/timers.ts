/**
 * Timers: a delayed message where the wait fits in one, a one-off schedule of EventBridge Scheduler beyond that. The
 * schedule is named after the job's revision, so arming it again finds it there, and it deletes itself. Scheduler fires
 * within the minute after its time and may fire twice; what it sends is a hint, and the job decides.
 */
import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { AWS_VARIABLES, type ScheduleSettings } from '../../contract/aws-environment.ts';
import type { EpochMs } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Clock, CommandQueue, Timers } from '../../ports.ts';
import { calling } from './failures.ts';
import { granted } from './not-granted.ts';
import { queueBody } from './queue.ts';

type Timer = Parameters<Timers['arm']>[0];

/** What Scheduler takes for a name. */
const NAME = /^[0-9a-zA-Z-_.]{1,64}$/;
/** An hour of trying to reach the queue; by then the watchdog has sent the hint sixty times. */
const RETRY_POLICY = { MaximumEventAgeInSeconds: 3_600, MaximumRetryAttempts: 185 };

export function awsTimers(
  client: SchedulerClient,
  queue: CommandQueue,
  settings: ScheduleSettings | null,
  clock: Clock,
  /** Shorter waits are delayed messages. */
  fromMs: number = LIMITS.queueDelayMsMax,
): Timers {
  return {
    arm: async (timer) => {
      const waitMs = timer.at - clock.now();
      if (waitMs <= fromMs) return queue.send(timer.queue, timer.message, Math.max(0, waitMs));
      const command = scheduleOf(timer, granted(settings, AWS_VARIABLES.scheduleGroup));
      try {
        await calling('Scheduler CreateSchedule', () => client.send(command));
      } catch (error) {
        // Armed before, by us or by whoever died after it.
        if (!(error instanceof ConflictException)) throw error;
      }
    },
  };
}

function scheduleOf({ name, at, queue, message }: Timer, settings: ScheduleSettings): CreateScheduleCommand {
  if (!NAME.test(name)) throw new Error(`a schedule cannot be named ${name}: use up to 64 letters, digits, - _ .`);
  return new CreateScheduleCommand({
    Name: name,
    GroupName: settings.group,
    ScheduleExpression: `at(${secondOf(at)})`,
    ScheduleExpressionTimezone: 'UTC',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: {
      Arn: queue === 'dispatch' ? settings.dispatchQueueArn : settings.compensateQueueArn,
      RoleArn: settings.roleArn,
      Input: queueBody(message),
      DeadLetterConfig: { Arn: settings.dlqArn },
      RetryPolicy: RETRY_POLICY,
    },
  });
}

/** Whole seconds, never before the time: 2030-01-01T00:00:00. */
function secondOf(at: EpochMs): string {
  return new Date(Math.ceil(at / 1_000) * 1_000).toISOString().slice(0, 19);
}
