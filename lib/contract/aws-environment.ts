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
  routes: 'DACAPO_ROUTES',
  /** The text of `errors.json`: a Lambda has no file beside its bundle. */
  errors: 'DACAPO_ERRORS',
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

export interface AwsEnvironment {
  readonly tableName: string;
  readonly bucketName: string;
  readonly busName: string | null;
  readonly dispatchQueueUrl: string | null;
  readonly compensateQueueUrl: string | null;
  readonly schedules: ScheduleSettings | null;
  readonly routes: RouteTable | null;
  /** How errors are retried, where that is told from outside the code. */
  readonly policies: PolicySettings;
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
  [V.routes]: optional,
  [V.errors]: optional,
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
    routes: routes === null ? null : reading(V.routes, () => parseRoutes(routes)),
    policies: errors === null ? NO_POLICIES : reading(V.errors, () => parsePolicies(errors)),
    pathStyleBuckets: data.AWS_ENDPOINT_URL !== null || data.AWS_ENDPOINT_URL_S3 !== null,
  };
}

function schedulesOf(data: z.output<typeof ENVIRONMENT>): ScheduleSettings | null {
  const values = SCHEDULE_VARIABLES.map((name) => data[name]);
  const [group, roleArn, dispatchQueueArn, compensateQueueArn, dlqArn] = values;
  if (group && roleArn && dispatchQueueArn && compensateQueueArn && dlqArn) {
    return { group, roleArn, dispatchQueueArn, compensateQueueArn, dlqArn };
  }
  const missing = SCHEDULE_VARIABLES.filter((_, index) => values[index] === null);
  if (missing.length === SCHEDULE_VARIABLES.length) return null;
  throw new Error(`schedules need all of their variables or none: ${missing.join(', ')} not set`);
}

function reading<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
