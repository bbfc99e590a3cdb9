/**
 * A service as one Lambda function, called in either way: invoked with an envelope, which it answers with an envelope, or
 * by a queue of commands, whose results it sends. Invariant: who invokes it gets an answer, never a function error.
 * A handler at work dies with its invocation, so the time left is the lease.
 */
import middy, { type MiddlewareObj } from '@middy/core';
import { type EnvelopeResponse, envelopeRequest, problemResponse } from '../contract/envelope.ts';
import { checkDocument } from '../contract/schema.ts';
import { type CommandOptions, consume, type QueueRecord } from './commands.ts';
import { type Host, type HostOptions, host } from './host.ts';
import { unexplained } from './refusal.ts';
import type { Service } from './topics.ts';

export interface ServeOptions extends Omit<HostOptions, 'leaseMs'> {
  /** Needed where commands come by a queue. */
  readonly sendResult?: CommandOptions['sendResult'];
}

interface QueueEvent {
  readonly Records: readonly QueueRecord[];
}

export interface QueueAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

interface Invocation {
  getRemainingTimeInMillis(): number;
}

/** The whole handler; `.use(...)` adds a team's own middlewares. */
export function serve(service: Service, options: ServeOptions) {
  const answer = host(service, options);
  return middy<unknown, EnvelopeResponse | QueueAnswer>()
    .use(answering(options.onError))
    .handler((event: unknown, context: Invocation) => {
      const leaseMs = context.getRemainingTimeInMillis();
      return isQueueEvent(event) ? work(answer, event, options, leaseMs) : invoked(answer, event, leaseMs);
    });
}

/** The middleware alone: whatever others throw becomes an answer that may have applied. A queue's batch comes again. */
export function answering(onError?: HostOptions['onError']): MiddlewareObj<unknown, EnvelopeResponse | QueueAnswer> {
  return {
    onError: ({ event, error }) => {
      if (isQueueEvent(event)) return undefined;
      onError?.(error, '');
      return unexplained();
    },
  };
}

async function invoked(answer: Host, event: unknown, leaseMs: number): Promise<EnvelopeResponse> {
  const request = checkDocument(envelopeRequest, event);
  if (request.ok) return answer(request.value, leaseMs);
  const detail = 'the event is no envelope: send {topic, headers, body}, the body as JSON text';
  return problemResponse('bad-request', { applied: false, detail, errors: request.errors });
}

async function work(answer: Host, event: QueueEvent, options: ServeOptions, leaseMs: number): Promise<QueueAnswer> {
  const { sendResult, onError } = options;
  if (sendResult === undefined) throw new Error('commands came by a queue: give serve() a sendResult to answer them');
  const told = { sendResult, ...(onError === undefined ? {} : { onError }) };
  const staying = await consume(answer, event.Records, told, leaseMs);
  return { batchItemFailures: staying.map((itemIdentifier) => ({ itemIdentifier })) };
}

function isQueueEvent(event: unknown): event is QueueEvent {
  return typeof event === 'object' && event !== null && 'Records' in event && Array.isArray(event.Records);
}
