/**
 * Requests made from the document: for each operation the parameters, headers and bodies it describes, right and wrong,
 * drawn by a seeded generator. `dictionary` knows what only the store can know: ids that exist, revisions, cursors.
 */
import { type JsonSchema, type Operation, type Parameter, resolved } from './document.ts';

export interface Drawn {
  readonly path: string;
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string };
}

/** Values worth trying for a name, wherever it stands. */
export type Dictionary = Readonly<Record<string, readonly unknown[]>>;

/** Mulberry32: small, seeded, good enough to spread requests. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const NONSENSE: readonly unknown[] = [
  '',
  ' ',
  'zzz',
  '\u0000',
  '-1',
  '1e9',
  '../..',
  '%',
  'ü',
  "' OR 1=1",
  'x'.repeat(600),
];
const WRONG: readonly unknown[] = [null, 7, -1, 'zzz', '', [], {}, true, 'x'.repeat(3_000)];
const CALLERS: readonly Record<string, string>[] = [
  { 'x-caller-id': 'ann' },
  { 'x-caller-id': 'ann' },
  { 'x-caller-id': 'ann' },
  { 'x-caller-id': 'caller', 'x-caller-role': 'submitter' },
  { 'x-caller-id': 'stranger', 'x-caller-role': 'submitter' },
  { 'x-caller-role': 'emperor' },
  { 'x-anonymous': 'yes' },
];

export function draw(
  { method, path, operation }: { method: string; path: string; operation: Operation },
  dictionary: Dictionary,
  random: () => number,
): Drawn {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const chance = (share: number): boolean => random() < share;
  const value = (name: string, schema: JsonSchema): unknown => {
    const known = dictionary[name];
    return known !== undefined && known.length > 0 && chance(0.9) ? pick(known) : fits(resolved(schema));
  };
  const fits = (schema: JsonSchema): unknown => {
    if (schema.anyOf !== undefined) return fits(resolved(pick(schema.anyOf)));
    if (schema.enum !== undefined) return pick(schema.enum);
    if (schema.format === 'date-time') return '2027-01-15T08:00:00.000Z';
    switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
      case 'integer':
      case 'number':
        return pick([1, 2, 25, 100]);
      case 'boolean':
        return chance(0.5);
      case 'string':
        return pick(['because', 'a', 'Acme']);
      case 'array':
        return Array.from({ length: Math.max(1, schema.minItems ?? 0) }, () => fits(resolved(schema.items ?? {})));
      case 'object':
        return document(schema);
      default:
        return pick([null, 1, 'text', { a: 1 }]);
    }
  };
  const document = ({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> => {
    const members = Object.entries(properties).filter(([name]) => required.includes(name) || chance(0.4));
    return Object.fromEntries(members.map(([name, schema]) => [name, value(name, schema)]));
  };
  const spoiled = (body: unknown): unknown => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return pick(WRONG);
    const name = pick([...Object.keys(body), 'unknown_member']);
    return chance(0.3)
      ? Object.fromEntries(Object.entries(body).filter(([one]) => one !== name))
      : { ...body, [name]: pick(WRONG) };
  };
  const bodyText = (schema: JsonSchema): string => {
    if (chance(0.03)) return pick(['', '{', '[[', 'null', '"text"', '{"a":1e999}', '{"__proto__":{}}']);
    const body = fits(resolved(schema));
    return JSON.stringify(chance(0.25) ? spoiled(body) : body);
  };

  const given = operation.parameters ?? [];
  const named = (place: 'path' | 'query') =>
    given.filter((one): one is Exclude<Parameter, { $ref: string }> => 'in' in one && one.in === place);
  const address = named('path').reduce(
    (text, { name }) =>
      text.replace(`{${name}}`, encodeURIComponent(String(chance(0.85) ? value(name, {}) : pick(NONSENSE)) || '-')),
    path,
  );
  const asked = named('query')
    .filter(() => chance(0.3))
    .map(({ name, schema }) => [name, String(chance(0.8) ? value(name, schema) : pick(NONSENSE))]);
  if (chance(0.05)) asked.push(['unknown', '1']);
  if (chance(0.03) && asked[0] !== undefined) asked.push(asked[0]);
  const query = asked.length === 0 ? '' : `?${new URLSearchParams(asked as [string, string][])}`;
  const headers: Record<string, string> = { ...pick(CALLERS) };
  for (const one of given) if ('$ref' in one) Object.assign(headers, headerFor(one.$ref, dictionary, pick, chance));
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (schema === undefined) return { path: `${address}${query}`, init: { method, headers } };
  const body = bodyText(schema);
  headers['content-length'] = chance(0.04) ? '99999999' : String(Buffer.byteLength(body));
  return { path: `${address}${query}`, init: { method, headers, body } };
}

function headerFor(
  ref: string,
  dictionary: Dictionary,
  pick: <T>(from: readonly T[]) => T,
  chance: (share: number) => boolean,
): Record<string, string> {
  const name = ref.slice(ref.lastIndexOf('/') + 1).toLowerCase();
  if (chance(0.4)) return {};
  const known = dictionary[name]?.map(String) ?? [];
  const right: Record<string, readonly string[]> = {
    'idempotency-key': ['k1', ...known],
    prefer: ['wait=1', 'wait=0', 'respond-async', 'wait=1'],
    traceparent: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'nonsense'],
  };
  return { [name]: chance(0.9) ? pick(right[name] ?? ['text']) : pick(['with space', 'x'.repeat(300)]) };
}
