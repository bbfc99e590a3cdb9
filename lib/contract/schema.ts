/**
 * A document checked against a schema: the value as parsed, or where it is wrong, by JSON pointer and never by value.
 * Who gets a schema from the contract checks with this, and does not need to know the library behind it.
 */
import * as z from 'zod';
import type { FieldError } from '../core/plan.ts';

export type { FieldError };
/** Any JSON document. One schema for all uses, so that generated documents can name it. */
export const anyJson = z.json();

export type Schema<T = unknown> = z.ZodType<T>;
export type Parsed<S extends Schema> = z.output<S>;

/** The shape of one topic's request and answer. */
export interface TopicShape<I = unknown, O = unknown> {
  readonly input: Schema<I>;
  readonly output: Schema<O>;
}

export type CheckedDocument<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

export function checkDocument<T>(schema: Schema<T>, document: unknown): CheckedDocument<T> {
  const read = schema.safeParse(document);
  if (read.success) return { ok: true, value: read.data };
  return { ok: false, errors: read.error.issues.map(({ path, message }) => ({ path: pointer(path), message })) };
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('') || '/';
}
