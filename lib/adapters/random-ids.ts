/**
 * Identities that no other process draws, from the system's own source of chance.
 */
import { randomBytes } from 'node:crypto';
import type { Ids } from '../ports.ts';

/** 96 bits in 16 characters; the first 8 of them, the mark of a write in the history, still hold 48. */
const TOKEN_BYTES = 12;

export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** @param owner names each run of a driver */
export function randomIds(owner: () => string): Ids {
  return {
    writeId: randomToken,
    owner,
    traceparent: () => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
    random: () => Math.random(),
  };
}
