/** What a participant says in a message of its own: read by the name of the operation, whoever it was that called. */
import type { Answer } from '../../core/answers.ts';
import { readOperationId } from '../../core/operation-id.ts';
import type { CallEnvelope, Message } from '../../ports.ts';

export function resultMessage({ call }: CallEnvelope, answer: Answer, at: number): Message {
  const { operationId, attempt } = call;
  const name = readOperationId(operationId);
  if (name === null) throw new Error(`${operationId} is no name of an operation`);
  const named = name.generation === null ? 'do' : 'undo';
  const direction = call.direction === 'query' ? 'query' : named;
  return {
    kind: 'result',
    jobId: name.jobId,
    result: { step: name.step, direction, operationId, attempt, at, answer },
  };
}
