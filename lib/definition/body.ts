/**
 * What a mapper may return, and its strict JSON. A member that is undefined is left out, as JSON.stringify would do;
 * everything else JSON cannot hold is refused here, so that what is hashed, stored and sent is one and the same.
 */
import { escapePointer, type Json } from '../core/json.ts';

export type Body = string | number | boolean | null | readonly Body[] | { readonly [member: string]: Body | undefined };

/** Throws when the value cannot be JSON; the message names the place by its pointer. */
export function toJson(value: unknown, place = ''): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item: unknown, index) => toJson(item, `${place}/${index}`));
  if (!isPlain(value)) throw new Error(refusal(value, place));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, toJson(member, `${place}/${escapePointer(name)}`)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function refusal(value: unknown, place: string): string {
  const where = place === '' ? 'the returned value' : place;
  if (value === undefined) return `${where} is undefined; return a JSON value, null if there is nothing to say`;
  if (value instanceof Promise) return `${where} is a promise; mappers are synchronous, ask outside services in a step`;
  const what = typeof value === 'object' ? (value?.constructor.name ?? 'object') : `${typeof value}`;
  return `${where} is a ${what}, which JSON cannot hold; convert it to a string, a finite number or a plain object`;
}
