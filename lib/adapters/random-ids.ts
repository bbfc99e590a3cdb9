/**
 * Identities that no other process draws, from the system's own source of chance.
 */
import { randomBytes } from 'node:crypto';
import type { Ids } from '../ports.ts';

/** 96 bits in 16 characters; the first 8 of them, the mark of a write in the history, still hold 48. */
const TOKEN_BYTES = 12;

/** Drawn for a few hundred tokens at once: asking the system for each was the dearest single call of a decision. */
const NONCE_BYTES = 16;
const POOL_BYTES = 256 * TOKEN_BYTES;
let pool = randomBytes(POOL_BYTES);
let spent = 0;

/** Bytes that nobody is given twice. */
function draw(bytes: number): Buffer {
  if (spent + bytes > POOL_BYTES) {
    pool = randomBytes(POOL_BYTES);
    spent = 0;
  }
  spent += bytes;
  return pool.subarray(spent - bytes, spent);
}

export function randomToken(): string {
  return draw(TOKEN_BYTES).toString('base64url');
}

/** @param owner names each run of a driver */
export function randomIds(owner: () => string): Ids {
  return {
    writeId: randomToken,
    nonce: () => draw(NONCE_BYTES).toString('base64url'),
    owner,
    traceparent: () => `00-${draw(16).toString('hex')}-${draw(8).toString('hex')}-01`,
    random: () => Math.random(),
  };
}
