/**
 * What a description is made of: parts, each with its facts as data and the same facts as text, tables and drawings.
 * Every part is built from the tables that the code itself runs on, so none can say what the code does not do.
 */
import type { Json } from '../../core/json.ts';

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'drawing'; readonly mermaid: string }
  | { readonly kind: 'list'; readonly items: readonly string[] };

export interface Part {
  /** How it is asked for: `errors`. */
  readonly name: string;
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly facts: Json;
}

export const text = (...lines: readonly string[]): Block => ({ kind: 'text', text: lines.join(' ') });
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Block => ({
  kind: 'table',
  head,
  rows,
});
export const drawing = (mermaid: string): Block => ({ kind: 'drawing', mermaid });
export const list = (items: readonly string[]): Block => ({ kind: 'list', items });

/** As people write a code, a state, a topic. */
export function code(name: string): string {
  return `\`${name}\``;
}

/** The data is plain already; this says so to the compiler, and would show it if it were not. */
export function facts(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** In the largest unit that divides it: `24 h`, `90 s`, `250 ms`. A day is said in hours, two are days. */
export function span(ms: number): string {
  const unit = UNITS.find(([name, size]) => ms % size === 0 && ms >= size * (name === 'd' ? 2 : 1));
  return unit === undefined ? `${ms} ms` : `${ms / unit[1]} ${unit[0]}`;
}
