/**
 * What the doors are told by their environment beyond what every function is told: who may operate, and which function
 * runs a job that somebody waits for. Participants have one of their own: where they remember their operations.
 */
import * as z from 'zod';
import { LIMITS } from '../core/limits.ts';

/** The detail-type under which an event on the bus is a submit, whoever sent it. */
export const SUBMIT_DETAIL_TYPE = 'job.submit';

export const DOOR_VARIABLES = {
  /** The function that a waiting submit invokes. */
  dispatchFunction: 'DACAPO_DISPATCH_FUNCTION',
  /** The function that asks a dependency how it is. */
  probeFunction: 'DACAPO_PROBE_FUNCTION',
  /** Caller ids of IAM principals that are operators, with commas between. */
  operators: 'DACAPO_OPERATORS',
  /** The scope of a JWT that makes its subject an operator. */
  operateScope: 'DACAPO_OPERATE_SCOPE',
} as const;

/** Every function is told the name of its deployment: the dimension of its metrics. */
export const DEPLOYMENT_VARIABLE = 'DACAPO_DEPLOYMENT';
export const METRICS_NAMESPACE = 'dacapo';

export const PARTICIPANT_VARIABLES = {
  operationsTable: 'DACAPO_OPERATIONS_TABLE',
} as const;

type Variables = Readonly<Record<string, string | undefined>>;

/** From which wait on a timer is a schedule, in milliseconds; without it, from what a queue cannot delay. */
export const SCHEDULE_FROM_VARIABLE = 'DACAPO_SCHEDULE_FROM_MS';

export function readScheduleFromMs(variables: Variables = process.env): number {
  const text = variables[SCHEDULE_FROM_VARIABLE];
  if (!text) return LIMITS.queueDelayMsMax;
  if (/^\d{1,6}$/.test(text) && Number(text) <= LIMITS.queueDelayMsMax) return Number(text);
  throw new Error(`${SCHEDULE_FROM_VARIABLE}: write milliseconds from 0 to ${LIMITS.queueDelayMsMax}`);
}

export interface DoorEnvironment {
  readonly dispatchFunction: string | null;
  readonly probeFunction: string | null;
  readonly operators: ReadonlySet<string>;
  readonly operateScope: string | null;
}

const optional = z
  .string()
  .optional()
  .transform((text) => (text === '' || text === undefined ? null : text));

const DOORS = z.object({
  [DOOR_VARIABLES.dispatchFunction]: optional,
  [DOOR_VARIABLES.probeFunction]: optional,
  [DOOR_VARIABLES.operators]: optional.transform((text) => new Set(text === null ? [] : text.split(','))),
  [DOOR_VARIABLES.operateScope]: optional,
});

export function readDoorEnvironment(variables: Variables = process.env): DoorEnvironment {
  const data = DOORS.parse(variables);
  return {
    dispatchFunction: data[DOOR_VARIABLES.dispatchFunction],
    probeFunction: data[DOOR_VARIABLES.probeFunction],
    operators: data[DOOR_VARIABLES.operators],
    operateScope: data[DOOR_VARIABLES.operateScope],
  };
}

export function readDeployment(variables: Variables = process.env): string {
  return variables[DEPLOYMENT_VARIABLE] || 'dacapo';
}

export function readOperationsTable(variables: Variables = process.env): string {
  const name = variables[PARTICIPANT_VARIABLES.operationsTable];
  if (name) return name;
  throw new Error(`${PARTICIPANT_VARIABLES.operationsTable} is not set: deploy the participant with it`);
}
