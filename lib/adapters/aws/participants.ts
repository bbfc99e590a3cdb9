/**
 * Participants on AWS: functions that are invoked and answer at once, queues that take a command and send their result
 * later. One attempt a call and a signal that ends it in time; how often to call is the orchestrator's decision.
 */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { AWS_VARIABLES } from '../../contract/aws-environment.ts';
import { commandOf } from '../../contract/commands.ts';
import { answerOfUnknown, requestOf } from '../../contract/envelope.ts';
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
      return invoke(senders.lambda, address.functionArn, envelope, way, abortSignal);
    case 'queue':
      return command(senders.sqs, address.queueUrl, envelope, way, abortSignal);
  }
}

async function invoke(
  client: LambdaClient,
  FunctionName: string,
  envelope: CallEnvelope,
  way: string,
  abortSignal: AbortSignal,
): Promise<Answer> {
  const payload = JSON.stringify(requestOf(envelope));
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
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody }), { abortSignal });
  return { kind: 'accepted' };
}

function wayTo(address: Address, target: string): string {
  return address.kind === 'lambda' ? `function ${target}` : `queue ${target}`;
}

/** The routes were checked at the start; a target that a job remembers may have been taken away since. */
function unrouted(target: string, topic: string): Answer {
  const message = `there is no target ${target} for ${topic} any more: deploy it again until its jobs have ended`;
  return failure('ORCH_UNROUTED_TOPIC', message, false);
}
