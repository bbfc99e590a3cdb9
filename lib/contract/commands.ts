/**
 * A call as a message of a queue, and the result that comes back as one. The result names the operation and nothing
 * else, so a query is an operation of its own here: its answer must never be taken for that of what it asks about.
 */
import * as z from 'zod';
import type { Direction } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import { jobOf, readOperationId } from '../core/operation-id.ts';
import {
  type Answer,
  answerOfUnknown,
  type EnvelopeRequest,
  HEADERS,
  headerOf,
  type OutgoingCall,
  requestOf,
} from './envelope.ts';

/** Ends the name of a query: `<operation>.query`. */
const QUERY = '.query';

export function commandOf(outgoing: OutgoingCall): EnvelopeRequest {
  const request = requestOf(outgoing);
  const { direction, operationId } = outgoing.call;
  if (direction !== 'query') return request;
  return { ...request, headers: { ...request.headers, [HEADERS.operationId]: `${operationId}${QUERY}` } };
}

/** As a participant sends it: the operation, the attempt it answers, and its answer's envelope. */
const RESULT = z.object({ operation_id: z.string(), attempt: z.int().min(0), statusCode: z.string() });

/** Of which operation a command is, as its result will name it; null: it names none of ours. */
export function readCommand({ headers }: EnvelopeRequest): Omit<CommandResult, 'answer'> | null {
  const attempt = Number(headerOf(headers, HEADERS.attempt) ?? '1');
  return named(headerOf(headers, HEADERS.operationId) ?? '', attempt);
}

export interface CommandResult {
  readonly jobId: JobId;
  readonly step: string;
  readonly direction: Direction;
  readonly operationId: string;
  readonly attempt: number;
  readonly answer: Answer;
}

/** null: no result of a command. */
export function readCommandResult(document: unknown): CommandResult | null {
  const read = RESULT.safeParse(document);
  if (!read.success) return null;
  const found = named(read.data.operation_id, read.data.attempt);
  return found === null ? null : { ...found, answer: answerOfUnknown(document) };
}

function named(given: string, attempt: number): Omit<CommandResult, 'answer'> | null {
  const asked = given.endsWith(QUERY);
  const operationId = asked ? given.slice(0, -QUERY.length) : given;
  const name = readOperationId(operationId);
  if (name === null) return null;
  const direction = asked ? 'query' : name.generation === null ? 'do' : 'undo';
  return { jobId: jobOf(name), step: name.step, direction, operationId, attempt };
}
