/**
 * JSON as data: its type, its one canonical text, and where two documents differ.
 * Invariant: equal documents have equal canonical text, whatever the order of their members;
 * fingerprints and content hashes stand on that.
 */
import { createHash } from 'node:crypto';

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 8785 in effect: members sorted by UTF-16 code units, numbers and strings as ECMAScript prints them. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`).join(',')}}`;
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The fingerprint of an intent: same document, same fingerprint. */
export function fingerprint(value: Json): string {
  return sha256Hex(canonicalJson(value));
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Bytes of a document as JSON text. */
export function jsonBytes(value: Json): number {
  return byteLength(JSON.stringify(value));
}

/** A sentence that may have become long, cut where it says enough; never inside a character. */
export function cutText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const end = text.charCodeAt(charactersMax - 2);
  const splits = end >= 0xd800 && end <= 0xdbff;
  return `${text.slice(0, charactersMax - (splits ? 2 : 1))}…`;
}

/**
 * JSON pointers (RFC 6901) to the places where two documents differ, at most `limit`.
 * Only names and positions are told, never values: the result may be shown to whoever holds one of the two.
 */
export function differingPaths(left: Json, right: Json, limit = 20): string[] {
  const found: string[] = [];
  const visit = (a: Json | undefined, b: Json | undefined, path: string): void => {
    if (found.length >= limit || a === b) return;
    if (a !== undefined && b !== undefined && Array.isArray(a) && Array.isArray(b)) {
      for (let i = 0; i < Math.max(a.length, b.length); i += 1) visit(a[i], b[i], `${path}/${i}`);
    } else if (isObject(a) && isObject(b)) {
      const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
      for (const name of names) visit(own(a, name), own(b, name), `${path}/${escapePointer(name)}`);
    } else {
      found.push(path === '' ? '/' : path);
    }
  };
  visit(left, right, '');
  return found;
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
