/**
 * Where a list goes on, as text the caller hands back unread. A cursor holds for the caller and the filters it was
 * made for: a check sum over all three makes any other use, and any change, a 400 instead of a wrong page.
 * It is no secret and grants nothing: every page is read with the caller's own rights.
 */
import type { EpochMs } from '../core/ids.ts';
import { fingerprint, type Json } from '../core/json.ts';
import { malformed } from './problem.ts';

export interface Position {
  readonly createdAt: EpochMs;
  readonly jobId: string;
}

/** 24 hexadecimal digits, 96 bits: chance agreement is out of reach, the cursor stays short. */
const CHECK_CHARACTERS = 24;

export function encodeCursor(position: Position, scope: Json): string {
  const place = `${position.createdAt}.${position.jobId}`;
  return Buffer.from(`${checkSum(place, scope)}.${place}`, 'utf8').toString('base64url');
}

export function decodeCursor(cursor: string, scope: Json): Position {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, sum, createdAt, jobId] = /^([0-9a-f]+)\.(\d{1,16})\.([\w.:-]{1,100})$/.exec(text) ?? [];
  // Node reads base64url leniently: only the spelling we would write ourselves is ours.
  const ours = Buffer.from(text, 'utf8').toString('base64url') === cursor;
  if (!ours || createdAt === undefined || jobId === undefined || sum !== checkSum(`${createdAt}.${jobId}`, scope)) {
    throw malformed(
      'cursor: not one of this list. Take next_cursor of the page before, with the same caller and filters, or leave it out to start anew.',
      [{ path: '?cursor', message: 'does not belong to this caller and these filters' }],
    );
  }
  return { createdAt: Number(createdAt), jobId };
}

function checkSum(place: string, scope: Json): string {
  return fingerprint([place, scope]).slice(0, CHECK_CHARACTERS);
}
