/**
 * What comes in over queues and the bus: a submit as one JSON document. Whatever it is, it is read as far as it goes,
 * since a message that is no submit still has to be kept under somebody's name.
 */
import * as z from 'zod';
import type { Delivery, DoorMessage } from '../core/door-message.ts';
import type { Json } from '../core/json.ts';
import { isObject } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { parseDocument } from './documents.ts';
import { readTrace } from './headers.ts';
import { Refusal } from './problem.ts';
import { checkDocument } from './schema.ts';

export type DoorSource = 'sqs' | 'eventbridge';

const TYPE = /^[a-z][a-z0-9-]{0,99}$/;
const token = (max: number) =>
  z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'write visible ASCII characters without spaces')
    .max(max);

export const SUBMIT = z.strictObject({
  workflow_type: z.string().regex(TYPE, 'write the name of a workflow'),
  workflow_version: z.int().min(1).optional(),
  input: z.custom<Json>((value) => value !== undefined, 'is missing: it is the input of the workflow'),
  idempotency_key: token(LIMITS.idempotencyKeyCharactersMax).optional(),
  correlation_id: token(LIMITS.correlationIdCharactersMax).optional(),
  caller_id: token(LIMITS.idempotencyKeyCharactersMax).optional(),
  trace_context: z.strictObject({ traceparent: z.string(), tracestate: z.string().optional() }).optional(),
});

/** An event as a rule puts it into a queue. Its `detail` is the submit, its id the door's. */
const EVENT = z.object({
  id: z.string().min(1),
  'detail-type': z.string(),
  source: z.string(),
  detail: z.custom<Json>((value) => value !== undefined),
});

/** @param messageId of the queue's message; stable over its redelivery */
export function readDoor(text: string, messageId: string): DoorMessage {
  const parsed = parsedOrText(text);
  if (!parsed.ok) return unreadable({ ...delivery('sqs', messageId, null), raw: text }, null, parsed.detail);
  const event = EVENT.safeParse(parsed.document);
  return event.success
    ? readSubmit('eventbridge', event.data.id, event.data.detail, parsed.document)
    : readSubmit('sqs', messageId, parsed.document, parsed.document);
}

function readSubmit(source: DoorSource, doorId: string, document: Json, raw: Json): DoorMessage {
  const told = { ...delivery(source, doorId, document), raw };
  const read = checkDocument(SUBMIT, document);
  if (!read.ok) {
    const places = read.errors.map(({ path, message }) => `${path} ${message}`).join('; ');
    return unreadable(told, textAt(document, 'workflow_type', TYPE), `the message is no submit: ${places}`);
  }
  const { value } = read;
  return {
    ...told,
    readable: true,
    workflowType: value.workflow_type,
    version: value.workflow_version ?? null,
    input: value.input,
    idempotencyKey: value.idempotency_key ?? null,
  };
}

function unreadable(told: Delivery, workflowType: string | null, detail: string): DoorMessage {
  const code = 'ORCH_MALFORMED_REQUEST';
  return { ...told, readable: false, workflowType, code, detail: detail.slice(0, DETAIL_CHARACTERS_MAX) };
}

/** Kept with the job; more of it would only weigh. */
const DETAIL_CHARACTERS_MAX = 500;

const VISIBLE = /^[\x21-\x7e]{1,200}$/;

/** Who may send to the queue or the bus is trusted to say for whom; unsaid, it is the door's own doing. */
function delivery(source: DoorSource, doorId: string, document: Json): Omit<Delivery, 'raw'> {
  const trace = isObject(document) && isObject(document.trace_context) ? document.trace_context : {};
  return {
    source,
    doorId,
    callerId: textAt(document, 'caller_id', VISIBLE) ?? `door:${source}`,
    correlationId: textAt(document, 'correlation_id', VISIBLE),
    trace: readTrace({ get: (name) => textAt(trace, name, /./) }),
  };
}

function textAt(document: Json, name: string, shape: RegExp): string | null {
  const value = isObject(document) ? document[name] : undefined;
  return typeof value === 'string' && shape.test(value) ? value : null;
}

type ParsedDocument = { readonly ok: true; readonly document: Json } | { readonly ok: false; readonly detail: string };

function parsedOrText(text: string): ParsedDocument {
  try {
    return { ok: true, document: parseDocument(text) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, detail: `the message is no submit: ${error.message.replaceAll('the body', 'it')}` };
  }
}
