/**
 * What EventBridge Scheduler does for us: one-off schedules for long waits of jobs, recurring ones that wake the schedules
 * of workflows. Each kind has a group of its own and a role that may send to its queues and nowhere else.
 */
import { type Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { AWS_VARIABLES } from '../contract/aws-environment.ts';
import { SCHEDULE_FROM_VARIABLE } from '../contract/door-environment.ts';
import type { ServiceFunction } from './service-function.ts';

interface TimerProps {
  readonly dispatchQueue: IQueue;
  readonly compensateQueue: IQueue;
  /** Takes what Scheduler could not deliver. */
  readonly dlq: IQueue;
  readonly from: Duration | undefined;
}

/** Waits beyond what a queue can delay: one-off schedules that delete themselves. */
export function armTimers(
  scope: Construct,
  drivers: readonly ServiceFunction[],
  { dispatchQueue, compensateQueue, dlq, from }: TimerProps,
): void {
  const ids = { group: 'Timers', role: 'TimerRole', description: 'Sends the hints of timers' };
  const { group, role, names } = schedulesIn(scope, ids, [dispatchQueue, compensateQueue, dlq]);
  for (const one of drivers) {
    one.allow({
      actions: ['scheduler:CreateSchedule'],
      resources: [names],
      variables: {
        [AWS_VARIABLES.scheduleGroup]: group.scheduleGroupName,
        [AWS_VARIABLES.scheduleRoleArn]: role.roleArn,
        [AWS_VARIABLES.dispatchQueueArn]: dispatchQueue.queueArn,
        [AWS_VARIABLES.compensateQueueArn]: compensateQueue.queueArn,
        [AWS_VARIABLES.scheduleDlqArn]: dlq.queueArn,
        ...(from === undefined ? {} : { [SCHEDULE_FROM_VARIABLE]: String(from.toMilliseconds()) }),
      },
    });
    allowPassing(one, role);
  }
}

/** Operators set what wakes a schedule; what that does is send its name to the door of submits. */
export function wakeSchedules(
  scope: Construct,
  operate: ServiceFunction,
  { intakeQueue, dlq }: { readonly intakeQueue: IQueue; readonly dlq: IQueue },
): void {
  const ids = { group: 'Wakeups', role: 'WakeupRole', description: 'Wakes the schedules of workflows' };
  const { group, role, names } = schedulesIn(scope, ids, [intakeQueue, dlq]);
  operate.allow({
    actions: ['scheduler:CreateSchedule', 'scheduler:UpdateSchedule', 'scheduler:DeleteSchedule'],
    resources: [names],
    variables: {
      [AWS_VARIABLES.wakeupGroup]: group.scheduleGroupName,
      [AWS_VARIABLES.wakeupRoleArn]: role.roleArn,
      [AWS_VARIABLES.wakeupQueueArn]: intakeQueue.queueArn,
      [AWS_VARIABLES.wakeupDlqArn]: dlq.queueArn,
    },
  });
  allowPassing(operate, role);
}

interface Ids {
  readonly group: string;
  readonly role: string;
  readonly description: string;
}

function schedulesIn(scope: Construct, ids: Ids, targets: readonly IQueue[]) {
  const stack = Stack.of(scope);
  const group = new ScheduleGroup(scope, ids.group);
  const role = new Role(scope, ids.role, {
    description: ids.description,
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: {
        StringEquals: { 'aws:SourceAccount': stack.account },
        ArnEquals: { 'aws:SourceArn': group.scheduleGroupArn },
      },
    }),
  });
  const resources = targets.map(({ queueArn }) => queueArn);
  role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources }));
  // Names are made at run time, so none can be listed here; the group is ours alone.
  const resourceName = `${group.scheduleGroupName}/*`;
  return { group, role, names: stack.formatArn({ service: 'scheduler', resource: 'schedule', resourceName }) };
}

function allowPassing(one: ServiceFunction, role: Role): void {
  one.allow({
    actions: ['iam:PassRole'],
    resources: [role.roleArn],
    conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  });
}
