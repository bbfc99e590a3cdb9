/** The first of many: as many as were asked for, and whether there are more. */
import type { Session } from './session.ts';
import { cleanJson } from './text.ts';

export interface ListOptions {
  readonly limit: number;
  readonly all?: boolean;
}

export const LIMIT_DEFAULT = 25;
/** The largest page the server gives. */
const PAGE_MAX = 100;

/** One more than is shown tells whether there are more. */
export function pageSize({ limit, all }: ListOptions): number {
  return all === true ? PAGE_MAX : Math.min(PAGE_MAX, limit + 1);
}

export interface Taken<T> {
  readonly items: readonly T[];
  readonly more: boolean;
}

export async function take<T>(from: AsyncIterable<T>, { limit, all }: ListOptions): Promise<Taken<T>> {
  const items: T[] = [];
  for await (const item of from) {
    if (all !== true && items.length === limit) return { items, more: true };
    items.push(item);
  }
  return { items, more: false };
}

export function showList<T>(
  { io, json }: Session,
  { items, more }: Taken<T>,
  none: string,
  text: (items: readonly T[]) => string,
): void {
  if (json) io.out.write(`${cleanJson({ items, more }, 2)}\n`);
  else io.out.write(items.length === 0 ? `${none}\n` : text(items));
  if (more && !json) io.err.write('There are more: --limit shows more of them, --all all.\n');
}
