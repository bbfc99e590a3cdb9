/**
 * Commands that come by a queue: each message is one call, its answer goes back as a result message. Invariant: a
 * message leaves the queue only once its result is sent. What cannot be answered, or not yet, stays and comes again.
 */
import { answerOf, type EnvelopeResponse, envelopeRequest } from '../contract/envelope.ts';
import { parseJson } from '../contract/json.ts';
import { checkDocument } from '../contract/schema.ts';
import { identityOf } from './call.ts';
import type { Host } from './host.ts';

/** The answer's envelope, beside which operation and which attempt it answers. */
export interface CommandResult extends EnvelopeResponse {
  readonly operation_id: string;
  readonly attempt: number;
}

/** As SQS gives it to a function. */
export interface QueueRecord {
  readonly messageId: string;
  readonly body: string;
}

export interface CommandOptions {
  /** Puts one result into the orchestrator's dispatch queue. */
  readonly sendResult: (result: CommandResult) => Promise<void>;
  /** A message that stays in the queue, and why. */
  readonly onError?: (error: unknown, messageId: string) => void;
}

/** The ids of the messages that are to come again. */
export async function consume(
  host: Host,
  records: readonly QueueRecord[],
  { sendResult, onError }: CommandOptions,
  leaseMs?: number,
): Promise<string[]> {
  const staying = records.map(async ({ messageId, body }) => {
    try {
      await sendResult(await resultOf(host, body, leaseMs));
      return [];
    } catch (error) {
      onError?.(error, messageId);
      return [messageId];
    }
  });
  return (await Promise.all(staying)).flat();
}

async function resultOf(host: Host, text: string, leaseMs: number | undefined): Promise<CommandResult> {
  const body = parseJson(text);
  const command = checkDocument(envelopeRequest, body.ok ? body.value : null);
  if (!command.ok) throw new Error('the message is no command {topic, headers, body}: nobody can be answered');
  const { operationId, attempt } = identityOf(command.value);
  if (operationId === '') throw new Error(`a command for ${command.value.topic} names no operation to answer`);
  const response = await host(command.value, leaseMs);
  if (isStillRunning(response)) throw new Error(`operation ${operationId} is still at work: the message comes again`);
  return { operation_id: operationId, attempt, ...response };
}

/** Another delivery of the same command is at work. Its answer is the one to send, and to send again if it was lost. */
function isStillRunning(response: EnvelopeResponse): boolean {
  const answer = answerOf(response);
  return answer.kind === 'failure' && answer.code === 'EXT_IN_PROGRESS';
}
