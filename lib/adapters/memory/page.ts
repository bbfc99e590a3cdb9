/**
 * One page of a list, newest first. Records of one millisecond are told apart by the job's id, so that paging
 * neither skips nor repeats any of them.
 */
import type { ListPosition, Page } from '../../ports.ts';

interface Asked {
  readonly limit: number;
  readonly after: ListPosition | null;
}

export function pageOf<T extends ListPosition>(records: readonly T[], { limit, after }: Asked): Page<T, ListPosition> {
  const sorted = records.filter((record) => after === null || comesAfter(record, after)).sort(newestFirst);
  const items = sorted.slice(0, limit);
  const last = items.at(-1);
  const more = last !== undefined && sorted.length > items.length;
  return { items, next: more ? { createdAt: last.createdAt, jobId: last.jobId } : null };
}

function newestFirst(a: ListPosition, b: ListPosition): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.jobId === b.jobId ? 0 : a.jobId < b.jobId ? 1 : -1;
}

function comesAfter(record: ListPosition, position: ListPosition): boolean {
  return newestFirst(record, position) > 0;
}
