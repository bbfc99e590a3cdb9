/** The served document, and how to hold an answer to what it says. */
import type { Schema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { apiDocuments } from '../../../lib/contract/api-documents.ts';
import { examples } from '../../../lib/workflows/examples.ts';

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: JsonSchema }> };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: JsonSchema }> }>;
}
export type Parameter =
  | { readonly name: string; readonly in: 'path' | 'query'; readonly schema: JsonSchema }
  | { readonly $ref: string };
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Record<string, JsonSchema>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly additionalProperties?: unknown;
}
export interface OpenApi {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
}

export const openApi = apiDocuments(examples).openApi() as unknown as OpenApi;

/** Every operation with where it is. */
export const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

export function resolved(schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = openApi.components.schemas[name];
  if (found === undefined) throw new Error(`the document refers to ${schema.$ref}, which it does not have`);
  return resolved(found);
}

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema({ $id: 'api', ...(closed(openApi) as object) });
const validators = new Map<string, (body: unknown) => string | null>();

/** Why an answer is not what the document says; null when it is. */
export function misfit({ responses }: Operation, status: number, contentType: string, body: unknown): string | null {
  const told = responses[String(status)];
  if (told === undefined) return `status ${status} is not documented`;
  const type = contentType.split(';')[0] ?? '';
  const content = told.content?.[type];
  if (content === undefined) return `status ${status} as ${type} is not documented`;
  return type === 'text/plain' || type === 'image/svg+xml' ? null : validatorOf(content.schema)(body);
}

function validatorOf(schema: JsonSchema): (body: unknown) => string | null {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known !== undefined) return known;
  const validate = ajv.compile(JSON.parse(key.replaceAll('"#/', '"api#/')) as Schema);
  const one = (body: unknown): string | null => (validate(body) ? null : ajv.errorsText(validate.errors));
  validators.set(key, one);
  return one;
}

/** Clients must bear additions; our own tests must notice them: here an answer may have only what is described. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]));
  const describes = 'properties' in copy && !('additionalProperties' in copy);
  return describes ? { ...copy, additionalProperties: false } : copy;
}
