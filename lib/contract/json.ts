/**
 * JSON as both ends of the wire mean it. Whoever speaks the contract without being the orchestrator (participants,
 * clients) finds it here and needs nothing of the core.
 */
export { fingerprint, isObject, type Json, type JsonObject, sha256Hex } from '../core/json.ts';

import type { Json } from '../core/json.ts';

export type ParsedJson = { readonly ok: true; readonly value: Json } | { readonly ok: false };

/** An empty body says nothing, which JSON writes as null. */
export function parseJson(text: string): ParsedJson {
  if (text === '') return { ok: true, value: null };
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch {
    return { ok: false };
  }
}
