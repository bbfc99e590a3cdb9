/**
 * From the text of a request to a JSON document that everything behind the door can take as it is: bounded in depth,
 * without the one member name that changes prototypes, and without numbers that were already rounded while reading.
 */
import type { Json } from '../core/json.ts';
import type { FieldError } from '../core/plan.ts';
import { malformed } from './problem.ts';

/** Deeper than any document people write, far from what recursion bears. */
export const DOCUMENT_DEPTH_MAX = 64;

export function parseDocument(text: string): Json {
  let document: Json;
  try {
    document = JSON.parse(text) as Json;
  } catch {
    throw malformed(
      text.trim() === ''
        ? 'the body is empty: send a JSON document'
        : 'the body is not valid JSON: check its syntax and send it as UTF-8',
    );
  }
  const fault = faultIn(document, '', 0);
  if (fault !== null) throw malformed(`the body cannot be taken: ${fault.path} ${fault.message}`, [fault]);
  return document;
}

function faultIn(value: Json, path: string, depth: number): FieldError | null {
  if (typeof value === 'number') return numberFault(value, path);
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= DOCUMENT_DEPTH_MAX) return at(path, `is nested deeper than ${DOCUMENT_DEPTH_MAX} levels: flatten it`);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      const fault = faultIn(value[i], `${path}/${i}`, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__') return at(`${path}/__proto__`, 'is not taken as a member name: rename it');
    const fault = faultIn(member, `${path}/${name}`, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** JSON text can hold integers that no double can: keeping a rounded one would change the caller's data silently. */
function numberFault(value: number, path: string): FieldError | null {
  if (!Number.isFinite(value)) return at(path, 'is a number too large to be kept: send it as a string');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return at(path, 'is an integer beyond 2^53 - 1 and would be rounded: send it as a string');
  }
  return null;
}

function at(path: string, message: string): FieldError {
  return { path: path === '' ? '/' : path, message };
}
