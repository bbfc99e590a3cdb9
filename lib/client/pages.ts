/** A list read to its end, one page after the other, each only when it is needed. */
import type { Send } from './transport.ts';
import type { Page } from './types.ts';

export async function* everyItem<T>(
  send: Send,
  path: string,
  filter: Readonly<Record<string, string | number | undefined>>,
): AsyncGenerator<T, void, void> {
  let cursor: string | undefined;
  do {
    const { body } = await send({ method: 'GET', path, query: { ...filter, cursor }, repeatable: true });
    const page = body as Page<T>;
    yield* page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
