/**
 * Tells an ambiguous commit from somebody else's. A write whose answer was lost may be made again; its condition then
 * fails although it had succeeded. The stored job says so: by its write id, or, when others wrote on top, by the mark
 * that each history entry keeps of the write that made it. Entry 0 so identifies the creator.
 * Invariant: never true for a write that was not applied; may be false for one that was and left no history.
 */
import type { Job } from './job.ts';

/** 8 characters of a write id tell it from the few others that can race for one entry. */
const MARK_CHARACTERS = 8;

export function markOf(writeId: string): string {
  return writeId.slice(0, MARK_CHARACTERS);
}

/** @param current what the store holds after the condition of `attempted` failed */
export function isOwnWrite(current: Job, attempted: Job): boolean {
  if (current.writeId === attempted.writeId) return true;
  const mark = markOf(attempted.writeId);
  const own = (seq: number) => current.history.some((entry) => entry.seq === seq && entry.mark === mark);
  return attempted.history.some((entry) => entry.mark === mark && own(entry.seq));
}
