/**
 * The typed client. `client<typeof registry>({ url })` speaks to a deployment or to embedded mode; the type parameter is
 * all it knows of the definitions.
 */
import type { Registry } from '../definition/index.ts';
import { type Jobs, jobs } from './jobs.ts';
import { type Operate, operate } from './operate.ts';
import { type Schedules, schedules } from './schedules.ts';
import { type ClientOptions, pause, transport } from './transport.ts';
import { type Definitions, definitions } from './workflows.ts';

export { ProblemError, StillRunningError, UnreachableError } from './errors.ts';
export {
  type BatchItem,
  isAtRest,
  type Jobs,
  type KeyedBatchAnswer,
  type SubmitOptions,
  type WaitOptions,
} from './jobs.ts';
export type { Operate } from './operate.ts';
export type { Schedules } from './schedules.ts';
export type { ClientOptions, Outgoing } from './transport.ts';
export type * from './types.ts';
export type { Definitions } from './workflows.ts';

export interface Client<R extends Registry = Registry> extends Jobs<R>, Operate<R> {
  readonly schedules: Schedules;
  readonly workflows: Definitions;
}

export function client<R extends Registry = Registry>(options: ClientOptions): Client<R> {
  const send = transport(options);
  const { now = Date.now, sleep = pause } = options;
  return {
    ...jobs<R>(send, { now, sleep }),
    ...operate<R>(send),
    schedules: schedules(send),
    workflows: definitions(send),
  };
}
