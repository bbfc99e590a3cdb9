/**
 * Schemas as JSON Schema under names, referring to each other as OpenAPI and AsyncAPI documents do: whatever has a name
 * stands in the document once.
 */
import * as z from 'zod';
import type { JsonObject } from '../core/json.ts';

export type Names = ReadonlyMap<z.ZodType, string>;

export const refTo = (name: string): string => `#/components/schemas/${name}`;

/** As they are written on the wire: what is read into another form is shown as it comes in. */
export function namedSchemas(names: Names): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: refTo, io: 'input', unrepresentable: 'any' });
  const bare = Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]);
  return Object.fromEntries(bare) as JsonObject;
}

export function ref(names: Names, schema: z.ZodType): { readonly $ref: string } {
  const name = names.get(schema);
  if (name === undefined) throw new Error('a schema of the document has no name');
  return { $ref: refTo(name) };
}

/** `order-item` → `OrderItem`. */
export const capital = (text: string): string =>
  text.replaceAll(/(^|[-:._])([a-z])/g, (_all, _mark, letter: string) => letter.toUpperCase());
