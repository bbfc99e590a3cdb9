/**
 * One page of a list out of what an index finds: the records are read, those that do not match are skipped. A page may
 * hold less than asked for and still say where to go on: after a thousand records looked at it ends where it stands,
 * so that a rare state among millions of jobs never outlasts the caller's patience.
 */
import type { ListPosition, Page } from '../../ports.ts';
import { positionOf } from './items.ts';
import type { Candidate } from './newest-first.ts';

/** Ten reads of a hundred records: well below a second, and some thousand read units at the most. */
const LOOKED_AT_MAX = 1_000;
/** What one read can take. */
const CHUNK_MAX = 100;

export interface PageOf<T> {
  readonly candidates: AsyncIterable<Candidate>;
  readonly limit: number;
  /** The records of these candidates; null for one that is gone or not to be shown. */
  load(candidates: readonly Candidate[]): Promise<readonly (T | null)[]>;
  matches(record: T): boolean;
}

export async function pageOf<T>({ candidates, limit, load, matches }: PageOf<T>): Promise<Page<T, ListPosition>> {
  const items: T[] = [];
  let last: ListPosition | null = null;
  let lookedAt = 0;
  // One more than the page tells whether there is another.
  for await (const chunk of chunks(candidates, Math.min(CHUNK_MAX, limit + 1))) {
    const records = await load(chunk);
    for (const [index, { position }] of chunk.entries()) {
      const record = records[index] ?? null;
      if (record !== null && matches(record)) {
        if (items.length === limit) return { items, next: last };
        items.push(record);
      }
      last = positionOf(position);
    }
    lookedAt += chunk.length;
    if (lookedAt >= LOOKED_AT_MAX) return { items, next: last };
  }
  return { items, next: null };
}

async function* chunks(candidates: AsyncIterable<Candidate>, size: number): AsyncGenerator<Candidate[]> {
  let chunk: Candidate[] = [];
  for await (const candidate of candidates) {
    chunk.push(candidate);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
