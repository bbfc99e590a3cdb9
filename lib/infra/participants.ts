/**
 * Participants as the orchestrator sees them: who serves which topics, and how to get there. A topic that nobody serves
 * is refused while the stack is made, with the step that needs it, and not by the first job that comes along.
 */
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { AWS_VARIABLES } from '../contract/aws-environment.ts';
import { STEP_EVENT_SOURCE } from '../contract/event-names.ts';
import type { TargetDocument } from '../contract/routes.ts';
import type { Registry } from '../definition/index.ts';
import type { HttpWorker } from './http-worker.ts';
import type { ServiceFunction } from './service-function.ts';

/** Of a bus what a sender needs; the library's own interface does not take its own class under strict types. */
type Bus = Pick<IEventBus, 'eventBusArn' | 'eventBusName'>;

/** A function that answers, a queue that takes commands, a service behind HTTPS, a bus that is told and does not answer. */
export type Place =
  | { readonly function: IFunction }
  | { readonly queue: IQueue }
  | { readonly http: HttpWorker }
  | { readonly bus: Bus };

export interface Participant {
  /** Jobs keep it: an undo goes where its effect was made. */
  readonly target: string;
  readonly topics: readonly string[];
  readonly at: Place;
  /** Whether an undo keeps a later forward call from applying; the worker kit does. */
  readonly fencing?: boolean;
  /** The longest a call can be at work after nobody waits for it any more. */
  readonly maxRunMs?: number;
}

export function checkRoutes(definitions: Registry, participants: readonly Participant[]): void {
  const served = new Map(participants.flatMap((one) => one.topics.map((topic) => [topic, habitsOf(one)] as const)));
  const missing = definitions.missingRoutes((topic) => served.get(topic));
  if (missing.length === 0) return;
  throw new Error(`a topic has no participant that fits:\n${missing.map((complaint) => `  ${complaint}`).join('\n')}`);
}

export function grantCall(to: ServiceFunction, participants: readonly Participant[]): void {
  for (const { at } of participants) {
    if ('function' in at) to.allow({ actions: ['lambda:InvokeFunction'], resources: [at.function.functionArn] });
    else if ('queue' in at) to.allow({ actions: ['sqs:SendMessage'], resources: [at.queue.queueArn] });
    else if ('http' in at)
      to.allow({ actions: ['lambda:InvokeFunction'], resources: [at.http.service.function.functionArn] });
    else letTell(to, at.bus);
  }
}

/** Its own events only: nobody who may tell what a step did may tell what became of a job. */
function letTell(to: ServiceFunction, bus: Bus): void {
  const conditions = { StringEquals: { 'events:source': STEP_EVENT_SOURCE } };
  to.allow({ actions: ['events:PutEvents'], resources: [bus.eventBusArn], conditions });
}

/** The functions that calls go through on their way: their trouble is the orchestrator's too. */
export function httpWorkersOf(participants: readonly Participant[]): HttpWorker[] {
  return [...new Set(participants.flatMap(({ at }) => ('http' in at ? [at.http] : [])))];
}

function habitsOf({ target, at }: Participant): { readonly target: string; readonly oneWay?: true } {
  if ('http' in at && !at.http.targets.has(target))
    throw new Error(`participant ${target}: its http worker has no such target`);
  return 'bus' in at ? { target, oneWay: true } : { target };
}

/** Deciding about a job needs to know where topics lead; only driving it needs the right to go there. */
export function tellRoutes(to: ServiceFunction, participants: readonly Participant[]): void {
  to.function.addEnvironment(AWS_VARIABLES.routes, to.function.stack.toJsonString(participants.map(documentOf)));
}

function documentOf({ target, topics, at, fencing, maxRunMs }: Participant): TargetDocument {
  return {
    target,
    topics: [...topics],
    ...addressOf(at),
    ...(fencing === undefined ? {} : { fencing }),
    ...(maxRunMs === undefined ? {} : { max_run_ms: maxRunMs }),
  };
}

function addressOf(at: Place): Pick<TargetDocument, 'function' | 'queue_url' | 'http_worker' | 'event_bus'> {
  if ('function' in at) return { function: at.function.functionName };
  if ('queue' in at) return { queue_url: at.queue.queueUrl };
  if ('http' in at) return { http_worker: at.http.service.function.functionName };
  return { event_bus: at.bus.eventBusName };
}
