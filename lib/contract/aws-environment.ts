/**
 * What a Lambda is told by its environment. A variable is given together with the right to use what it names, so a
 * function that may not do something has no variable for it: only table and bucket are there always. What a function
 * lacks shows when it is used, with the name of the variable.
 */
import * as z from 'zod';
import { NO_POLICIES, type PolicySettings } from '../core/policy-settings.ts';
import { parsePolicies } from './policies.ts';
import { parseRoutes, type RouteTable } from './routes.ts';

/** The same names for infrastructure, which sets them, and for the functions, which read them. */
export const AWS_VARIABLES = {
  tableName: 'DACAPO_TABLE_NAME',
  bucketName: 'DACAPO_BUCKET_NAME',
  busName: 'DACAPO_BUS_NAME',
  dispatchQueueUrl: 'DACAPO_DISPATCH_QUEUE_URL',
  compensateQueueUrl: 'DACAPO_COMPENSATE_QUEUE_URL',
  scheduleGroup: 'DACAPO_SCHEDULE_GROUP',
  scheduleRoleArn: 'DACAPO_SCHEDULE_ROLE_ARN',
  dispatchQueueArn: 'DACAPO_DISPATCH_QUEUE_ARN',
  compensateQueueArn: 'DACAPO_COMPENSATE_QUEUE_ARN',
  scheduleDlqArn: 'DACAPO_SCHEDULE_DLQ_ARN',
  wakeupGroup: 'DACAPO_WAKEUP_GROUP',
  wakeupRoleArn: 'DACAPO_WAKEUP_ROLE_ARN',
  wakeupQueueArn: 'DACAPO_WAKEUP_QUEUE_ARN',
  wakeupDlqArn: 'DACAPO_WAKEUP_DLQ_ARN',
  routes: 'DACAPO_ROUTES',
  /** The text of `errors.json`: a Lambda has no file beside its bundle. */
  errors: 'DACAPO_ERRORS',
  lifecycleEvents: 'DACAPO_LIFECYCLE_EVENTS',
  /** The KMS key under which callback tokens are signed. */
  callbackKeyId: 'DACAPO_CALLBACK_KEY_ID',
} as const;

/** What it takes to make one-off schedules: all of it or none. */
export interface ScheduleSettings {
  readonly group: string;
  /** The role under which EventBridge Scheduler sends to the queues. */
  readonly roleArn: string;
  readonly dispatchQueueArn: string;
  readonly compensateQueueArn: string;
  /** Takes what Scheduler could not deliver. */
  readonly dlqArn: string;
}

/** What it takes to have schedules woken: all of it or none. */
export interface WakeupSettings {
  readonly group: string;
  /** The role under which EventBridge Scheduler sends to the queue. */
  readonly roleArn: string;
  readonly queueArn: string;
  readonly dlqArn: string;
}

export interface AwsEnvironment {
  readonly tableName: string;
  readonly bucketName: string;
  readonly busName: string | null;
  readonly dispatchQueueUrl: string | null;
  readonly compensateQueueUrl: string | null;
  readonly schedules: ScheduleSettings | null;
  readonly wakeups: WakeupSettings | null;
  readonly routes: RouteTable | null;
  readonly callbackKeyId: string | null;
  /** How errors are retried, where that is told from outside the code. */
  readonly policies: PolicySettings;
  /** `1`: an event for every transition, not only for outcomes. */
  readonly lifecycleEvents: boolean;
  /** Address buckets by path: an emulator, which `AWS_ENDPOINT_URL` names, answers under one host name only. */
  readonly pathStyleBuckets: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

const V = AWS_VARIABLES;
const SCHEDULE_VARIABLES = [
  V.scheduleGroup,
  V.scheduleRoleArn,
  V.dispatchQueueArn,
  V.compensateQueueArn,
  V.scheduleDlqArn,
] as const;

const WAKEUP_VARIABLES = [V.wakeupGroup, V.wakeupRoleArn, V.wakeupQueueArn, V.wakeupDlqArn] as const;

/** An empty variable counts as one that is not set. */
const optional = z
  .string()
  .optional()
  .transform((text) => (text === '' || text === undefined ? null : text));
const required = (name: string) =>
  optional.transform((text, context) => {
    if (text !== null) return text;
    context.addIssue({ code: 'custom', message: `${name} is not set: deploy the function with it` });
    return z.NEVER;
  });

const ENVIRONMENT = z.object({
  [V.tableName]: required(V.tableName),
  [V.bucketName]: required(V.bucketName),
  [V.busName]: optional,
  [V.dispatchQueueUrl]: optional,
  [V.compensateQueueUrl]: optional,
  [V.scheduleGroup]: optional,
  [V.scheduleRoleArn]: optional,
  [V.dispatchQueueArn]: optional,
  [V.compensateQueueArn]: optional,
  [V.scheduleDlqArn]: optional,
  [V.wakeupGroup]: optional,
  [V.wakeupRoleArn]: optional,
  [V.wakeupQueueArn]: optional,
  [V.wakeupDlqArn]: optional,
  [V.routes]: optional,
  [V.errors]: optional,
  [V.lifecycleEvents]: optional,
  [V.callbackKeyId]: optional,
  AWS_ENDPOINT_URL: optional,
  AWS_ENDPOINT_URL_S3: optional,
});

export function parseAwsEnvironment(variables: Variables = process.env): AwsEnvironment {
  const read = ENVIRONMENT.safeParse(variables);
  if (!read.success) throw new Error(read.error.issues.map((issue) => issue.message).join('; '));
  const { data } = read;
  const routes = data[V.routes];
  const errors = data[V.errors];
  return {
    tableName: data[V.tableName],
    bucketName: data[V.bucketName],
    busName: data[V.busName],
    dispatchQueueUrl: data[V.dispatchQueueUrl],
    compensateQueueUrl: data[V.compensateQueueUrl],
    schedules: schedulesOf(data),
    wakeups: wakeupsOf(data),
    callbackKeyId: data[V.callbackKeyId],
    routes: routes === null ? null : reading(V.routes, () => parseRoutes(routes)),
    policies: errors === null ? NO_POLICIES : reading(V.errors, () => parsePolicies(errors)),
    lifecycleEvents: data[V.lifecycleEvents] === '1',
    pathStyleBuckets: data.AWS_ENDPOINT_URL !== null || data.AWS_ENDPOINT_URL_S3 !== null,
  };
}

function schedulesOf(data: z.output<typeof ENVIRONMENT>): ScheduleSettings | null {
  const values = SCHEDULE_VARIABLES.map((name) => data[name]);
  const [group, roleArn, dispatchQueueArn, compensateQueueArn, dlqArn] = values;
  if (group && roleArn && dispatchQueueArn && compensateQueueArn && dlqArn) {
    return { group, roleArn, dispatchQueueArn, compensateQueueArn, dlqArn };
  }
  return noneOf('schedules', SCHEDULE_VARIABLES, data);
}

function wakeupsOf(data: z.output<typeof ENVIRONMENT>): WakeupSettings | null {
  const [group, roleArn, queueArn, dlqArn] = WAKEUP_VARIABLES.map((name) => data[name]);
  if (group && roleArn && queueArn && dlqArn) return { group, roleArn, queueArn, dlqArn };
  return noneOf('wake-ups', WAKEUP_VARIABLES, data);
}

/** Some of them would be a deployment that fails at the first use. */
function noneOf<N extends string>(what: string, names: readonly N[], data: Readonly<Record<N, string | null>>): null {
  const missing = names.filter((name) => data[name] === null);
  if (missing.length === names.length) return null;
  throw new Error(`${what} need all of their variables or none: ${missing.join(', ')} not set`);
}

function reading<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
