/**
 * What a service is made of: topics, each with a shape and a handler. Two ways to have an effect:
 *   forward / undoOf            an effect elsewhere. The handler is async, may fail in between, and passes the
 *                               operation id on, so that a repeated run does nothing twice.
 *   localForward / localUndoOf  the effect is a record kept with the operation itself. The handler is a pure function
 *                               whose record and answer are stored in one write, so it applies once or not at all.
 */
import type { Json, JsonObject } from '../contract/json.ts';
import { checkDocument, type Schema, type TopicShape } from '../contract/schema.ts';
import type { Call } from './call.ts';
import { Refusal, type Reply } from './refusal.ts';

export interface UndoCall extends Call {
  /** The operation to undo. Look for its effect by this, not by the output: that may never have come back. */
  readonly undoOf: string;
}

export type Answered<O> = O | Reply<O>;

export interface Made<O> {
  readonly record: JsonObject;
  readonly output: O;
}

export type ReadOnlyTopic = { readonly kind: 'readOnly'; readonly shape: TopicShape; handle(call: Call): unknown };
export type ForwardTopic = { readonly kind: 'forward'; readonly shape: TopicShape; handle(call: Call): unknown };
export type UndoTopic = { readonly kind: 'undo'; readonly of: string; handle(call: UndoCall): unknown };
export type LocalForwardTopic = {
  readonly kind: 'localForward';
  readonly shape: TopicShape;
  handle(call: Call): Made<unknown>;
};
export type LocalUndoTopic = { readonly kind: 'localUndo'; readonly of: string; check(record: JsonObject): void };
export type QueryTopic = { readonly kind: 'query'; readonly of: string };
export type Topic = ReadOnlyTopic | ForwardTopic | UndoTopic | LocalForwardTopic | LocalUndoTopic | QueryTopic;

/** Looks or computes, and changes nothing: called again without a thought. */
export function readOnly<I, O>(
  shape: TopicShape<I, O>,
  handler: (call: Call<I>) => Answered<O> | Promise<Answered<O>>,
): ReadOnlyTopic {
  return { kind: 'readOnly', shape, handle: (call) => handler(checked(shape.input, call)) };
}

export function forward<I, O>(shape: TopicShape<I, O>, handler: (call: Call<I>) => Promise<Answered<O>>): ForwardTopic {
  return { kind: 'forward', shape, handle: (call) => handler(checked(shape.input, call)) };
}

/** Its body is not checked: which effect to undo follows from the operation id alone. */
export function undoOf(topic: string, handler: (call: UndoCall) => Promise<Answered<Json>>): UndoTopic {
  return { kind: 'undo', of: topic, handle: handler };
}

export function localForward<I, O>(shape: TopicShape<I, O>, handler: (call: Call<I>) => Made<O>): LocalForwardTopic {
  return { kind: 'localForward', shape, handle: (call) => handler(checked(shape.input, call)) };
}

/** Removes the record. `check` may refuse that by throwing. */
export function localUndoOf(topic: string, check: (record: JsonObject) => void = () => undefined): LocalUndoTopic {
  return { kind: 'localUndo', of: topic, check };
}

/** Answered from what is remembered of the operation: applied (with the output), not applied, running or unknown. */
export function queryOf(topic: string): QueryTopic {
  return { kind: 'query', of: topic };
}

export interface Service {
  readonly name: string;
  readonly topics: ReadonlyMap<string, Topic>;
}

export function service(name: string, topics: Readonly<Record<string, Topic>>): Service {
  const served = new Map(Object.entries(topics));
  for (const [topic, declared] of served) {
    if (!('of' in declared)) continue;
    const wanted = FORWARD_OF[declared.kind];
    if (wanted.includes(served.get(declared.of)?.kind ?? 'none')) continue;
    throw new Error(
      `service ${name}: ${topic} is about ${declared.of}, which is no ${wanted.join(' or ')} topic of this service. ` +
        'Declare that topic here, or name the right one.',
    );
  }
  return { name, topics: served };
}

const FORWARD_OF: Readonly<Record<(UndoTopic | LocalUndoTopic | QueryTopic)['kind'], readonly string[]>> = {
  undo: ['forward'],
  localUndo: ['localForward'],
  query: ['forward', 'localForward'],
};

function checked<I>(schema: Schema<I>, call: Call): Call<I> {
  const read = checkDocument(schema, call.input);
  if (read.ok) return { ...call, input: read.value };
  throw new Refusal('validation-error', { code: 'CONTRACT_VALIDATION_ERROR', applied: false, errors: read.errors });
}
