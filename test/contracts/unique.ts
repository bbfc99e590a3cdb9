import { randomUUID } from 'node:crypto';

/** A name that no other test uses. */
export function unique(what: string): string {
  return `${what}-${randomUUID()}`;
}
