/**
 * Participants as the orchestrator sees them: who serves which topics, and how to get there. A topic that nobody serves
 * is refused while the stack is made, with the step that needs it, and not by the first job that comes along.
 */
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { AWS_VARIABLES } from '../contract/aws-environment.ts';
import type { TargetDocument } from '../contract/routes.ts';
import type { Registry } from '../definition/index.ts';
import type { ServiceFunction } from './service-function.ts';

export interface Participant {
  /** Jobs keep it: an undo goes where its effect was made. */
  readonly target: string;
  readonly topics: readonly string[];
  readonly at: { readonly function: IFunction } | { readonly queue: IQueue };
  /** Whether an undo keeps a later forward call from applying; the worker kit does. */
  readonly fencing?: boolean;
  /** The longest a call can be at work after nobody waits for it any more. */
  readonly maxRunMs?: number;
}

export function checkRoutes(definitions: Registry, participants: readonly Participant[]): void {
  const served = new Map(participants.flatMap(({ target, topics }) => topics.map((topic) => [topic, target])));
  const missing = definitions.missingRoutes((topic) => served.get(topic));
  if (missing.length === 0) return;
  throw new Error(`a topic has no participant:\n${missing.map((complaint) => `  ${complaint}`).join('\n')}`);
}

export function grantCall(to: ServiceFunction, participants: readonly Participant[]): void {
  for (const { at } of participants) {
    if ('function' in at) to.allow({ actions: ['lambda:InvokeFunction'], resources: [at.function.functionArn] });
    else to.allow({ actions: ['sqs:SendMessage'], resources: [at.queue.queueArn] });
  }
}

/** Deciding about a job needs to know where topics lead; only driving it needs the right to go there. */
export function tellRoutes(to: ServiceFunction, participants: readonly Participant[]): void {
  to.function.addEnvironment(AWS_VARIABLES.routes, to.function.stack.toJsonString(participants.map(documentOf)));
}

function documentOf({ target, topics, at, fencing, maxRunMs }: Participant): TargetDocument {
  return {
    target,
    topics: [...topics],
    ...('function' in at ? { function: at.function.functionName } : { queue_url: at.queue.queueUrl }),
    ...(fencing === undefined ? {} : { fencing }),
    ...(maxRunMs === undefined ? {} : { max_run_ms: maxRunMs }),
  };
}
