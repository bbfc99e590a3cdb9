/**
 * Participants on AWS: functions that are invoked and answer at once, HTTPS services that a function of their own calls,
 * queues that take a command and send their result later, and buses that are only told. One attempt a call and a signal that ends it in time; how often to call is the orchestrator's decision.
 */
import { createHash } from 'node:crypto';
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { AWS_VARIABLES } from '../../contract/aws-environment.ts';
import { commandOf } from '../../contract/commands.ts';
import { answerOfUnknown, type EnvelopeRequest, requestOf } from '../../contract/envelope.ts';
import { eventCallOf, eventTaken } from '../../contract/event-call.ts';
import { STEP_EVENT_SOURCE } from '../../contract/event-names.ts';
import type { HttpCallDocument } from '../../contract/http-call.ts';
import { isObject, parseJson } from '../../contract/json.ts';
import type { Address, RouteTable } from '../../contract/routes.ts';
import { type Answer, failure } from '../../core/answers.ts';
import { byteLength } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import type { CallEnvelope, Participants } from '../../ports.ts';
import { answerOfFailure, tooLarge } from './call-failures.ts';
import { granted } from './not-granted.ts';
import { queueBody } from './queue.ts';

/** What a synchronous invoke takes: 6 MB. */
const INVOKE_BYTES_MAX = 6 * 1_024 * 1_024;

interface Senders {
  readonly lambda: LambdaClient;
  readonly sqs: SQSClient;
  readonly events: EventBridgeClient;
}

export function awsParticipants(senders: Senders, routes: RouteTable | null): Participants {
  return {
    call: async (envelope) => {
      const { target, topic } = envelope.call;
      const address = granted(routes, AWS_VARIABLES.routes).addresses.get(target);
      if (address === undefined) return unrouted(target, topic);
      try {
        return await deliver(senders, address, envelope);
      } catch (error) {
        return answerOfFailure(error, wayTo(address, target));
      }
    },
  };
}

function deliver(senders: Senders, address: Address, envelope: CallEnvelope): Promise<Answer> {
  const { target, timeoutMs } = envelope.call;
  const way = wayTo(address, target);
  const abortSignal = AbortSignal.timeout(timeoutMs);
  switch (address.kind) {
    case 'lambda':
      return invoke(senders.lambda, address.functionArn, requestOf(envelope), way, abortSignal);
    case 'http': {
      const call: HttpCallDocument = { target, timeout_ms: httpTimeoutMs(timeoutMs), request: requestOf(envelope) };
      return invoke(senders.lambda, address.workerArn, call, way, abortSignal);
    }
    case 'queue':
      return command(senders.sqs, address.queueUrl, envelope, way, abortSignal);
    case 'event':
      return tell(senders.events, address.busName, envelope, way, abortSignal);
  }
}

/** The worker gives up a moment before its caller does: it knows whether anything was sent. */
function httpTimeoutMs(timeoutMs: number): number {
  return Math.max(1, timeoutMs - Math.min(500, timeoutMs / 4));
}

async function invoke(
  client: LambdaClient,
  FunctionName: string,
  document: EnvelopeRequest | HttpCallDocument,
  way: string,
  abortSignal: AbortSignal,
): Promise<Answer> {
  const payload = JSON.stringify(document);
  if (byteLength(payload) > INVOKE_BYTES_MAX) return tooLarge(way);
  const request = new InvokeCommand({ FunctionName, InvocationType: 'RequestResponse', Payload: Buffer.from(payload) });
  const { FunctionError, Payload } = await client.send(request, { abortSignal });
  const read = parseJson(Payload === undefined ? '' : Buffer.from(Payload).toString('utf8'));
  if (FunctionError !== undefined) return functionFailed(way, read.ok ? read.value : null);
  return answerOfUnknown(read.ok ? read.value : undefined);
}

/** The function ran and did not return, so its effect may stand. The text of its error may quote anything: only its type is told. */
function functionFailed(way: string, thrown: unknown): Answer {
  const type = isObject(thrown as never) ? String((thrown as { errorType?: unknown }).errorType ?? '') : '';
  if (type === 'Sandbox.Timedout') return failure('EXT_TIMEOUT', `${way} ran out of its own time`, true);
  return failure('EXT_UNEXPECTED', `${way} failed${type === '' ? '' : ` (${type.slice(0, 100)})`}`, true);
}

async function command(
  client: SQSClient,
  QueueUrl: string,
  envelope: CallEnvelope,
  way: string,
  abortSignal: AbortSignal,
): Promise<Answer> {
  const MessageBody = queueBody(commandOf(envelope));
  if (byteLength(MessageBody) > LIMITS.queueMessageBytesMax) return tooLarge(way);
  const { topic, operationId } = envelope.call;
  const request = new SendMessageCommand({
    QueueUrl,
    MessageBody,
    // For whoever routes or filters without reading bodies.
    MessageAttributes: { topic: text(topic), operation_id: text(operationId), content_type: text('application/json') },
    ...grouping(QueueUrl, envelope),
  });
  await client.send(request, { abortSignal });
  return { kind: 'accepted' };
}

const text = (StringValue: string) => ({ DataType: 'String', StringValue });

/**
 * In a standard queue the group makes it fair: one caller's thousand commands do not hold up another's. In a FIFO queue
 * it orders the commands of a job; each attempt is a message of its own there, or a retry would be swallowed.
 */
function grouping(queueUrl: string, { call, callerId, jobId }: CallEnvelope) {
  if (!queueUrl.endsWith('.fifo')) return { MessageGroupId: digest(callerId) };
  return {
    MessageGroupId: jobId,
    MessageDeduplicationId: digest(`${call.operationId} ${call.direction} ${call.attempt}`),
  };
}

/** Callers are principals and subjects: none of the consumer's business. */
function digest(of: string): string {
  return createHash('sha256').update(of).digest('hex');
}

/** Taken is done: an event has no answer, and whoever hears it is not known. */
async function tell(
  client: EventBridgeClient,
  EventBusName: string,
  envelope: CallEnvelope,
  way: string,
  abortSignal: AbortSignal,
): Promise<Answer> {
  const event = eventCallOf(envelope);
  const Detail = JSON.stringify(event.detail);
  if (byteLength(Detail) > LIMITS.eventDetailBytesMax) return tooLarge(way);
  const entry = { EventBusName, Source: STEP_EVENT_SOURCE, DetailType: event.detailType, Detail };
  const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: [entry] }), { abortSignal });
  const [taken] = Entries;
  if (taken?.EventId !== undefined) return { kind: 'success', output: eventTaken(event) };
  const code = taken?.ErrorCode ?? 'unconfirmed';
  // The call succeeded, and says of each entry for itself whether it was taken.
  if (taken?.ErrorCode === undefined)
    return failure('EXT_UNEXPECTED', `${way} did not say whether it took the event`, true);
  return failure(
    /Throttl|Internal/.test(code) ? 'EXT_THROTTLED' : 'CONTRACT_BAD_REQUEST',
    `${way} refused the event (${code.slice(0, 100)})`,
    false,
  );
}

function wayTo(address: Address, target: string): string {
  switch (address.kind) {
    case 'lambda':
      return `function ${target}`;
    case 'queue':
      return `queue ${target}`;
    case 'http':
      return `http worker of ${target}`;
    case 'event':
      return `event bus of ${target}`;
  }
}

/** The routes were checked at the start; a target that a job remembers may have been taken away since. */
function unrouted(target: string, topic: string): Answer {
  const message = `there is no target ${target} for ${topic} any more: deploy it again until its jobs have ended`;
  return failure('ORCH_UNROUTED_TOPIC', message, false);
}
