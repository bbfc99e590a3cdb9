/**
 * zod at the edge of a definition: a document is checked into `Checked`, a schema is shown as JSON Schema, and a schema
 * that cannot serve is told. What is stored is the document as it came; it is read through its schema each time a
 * mapper needs it, so a schema may convert (a string into a Date) but must take plain JSON and answer at once.
 */
import * as z from 'zod';
import { $ZodAsyncError } from 'zod/v4/core';
import { escapePointer, type JsonObject } from '../core/json.ts';
import type { Checked, FieldError } from '../core/plan.ts';

/** Never throws and never answers a promise, whatever the schema's own rules do. */
export function check(schema: z.ZodType, value: unknown): Checked {
  try {
    const parsed = schema.safeParse(value);
    return parsed.success ? { ok: true, value: parsed.data } : { ok: false, errors: fieldErrors(parsed.error.issues) };
  } catch (error) {
    return { ok: false, errors: [{ path: pointer([]), message: brokenRule(error) }] };
  }
}

/** The document as it has to arrive, before any conversion. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  return inspect(schema).jsonSchema;
}

/** What keeps a schema from describing a JSON document that is checked synchronously. */
export function* schemaProblems(what: string, schema: unknown): Generator<string> {
  if (!(schema instanceof z.ZodType)) {
    yield `${what} is missing; give a zod schema such as z.strictObject({ ... })`;
    return;
  }
  try {
    if (inspect(schema).asynchronous) {
      yield `${what} has an asynchronous rule; rules are synchronous, ask outside services in a step instead`;
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'no reason given';
    yield `${what} does not describe JSON (${why}); use strings, numbers, booleans, null, arrays and objects`;
  }
}

function inspect(schema: z.ZodType): { readonly jsonSchema: JsonObject; readonly asynchronous: boolean } {
  let asynchronous = false;
  const written = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema }) => {
      const { type, checks = [] } = zodSchema._zod.def;
      if (type === 'promise' || checks.some(isAsync)) asynchronous = true;
    },
  });
  return { jsonSchema: JSON.parse(JSON.stringify(written)), asynchronous };
}

/** Sees `refine(async …)`; an asynchronous rule in other clothes shows when a document is checked. */
function isAsync(rule: z.core.$ZodCheck): boolean {
  const { def } = rule._zod;
  return 'fn' in def && typeof def.fn === 'function' && def.fn.constructor.name === 'AsyncFunction';
}

function fieldErrors(issues: readonly z.core.$ZodIssue[]): FieldError[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ path: pointer(issue.path), message: issue.message }];
    return issue.keys.map((key) => ({ path: pointer([...issue.path, key]), message: 'this field is not known here' }));
  });
}

/** The whole document is `/`, as everywhere in this system: an empty path reads like a missing one. */
function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${escapePointer(String(part))}`).join('') || '/';
}

function brokenRule(error: unknown): string {
  if (error instanceof $ZodAsyncError) {
    return 'the schema has an asynchronous rule and cannot be checked; the workflow has to be corrected';
  }
  return `a rule of the schema threw ${error instanceof Error ? error.name : 'something'}; the workflow has to be corrected`;
}
