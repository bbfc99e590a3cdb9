/** A service to call, a clock to move, and short ways to write an envelope. */
import { type EnvelopeRequest, HEADERS } from '../../lib/contract/envelope.ts';
import { isObject, type Json } from '../../lib/contract/json.ts';

export interface Ask {
  readonly topic: string;
  readonly operation?: string;
  readonly body?: Json;
  readonly attempt?: number;
  readonly undoOf?: string;
  readonly queryOf?: string;
  readonly fence?: boolean;
}

export function request({ topic, operation, body = null, attempt = 1, undoOf, queryOf, fence }: Ask): EnvelopeRequest {
  return {
    topic,
    headers: {
      [HEADERS.attempt]: String(attempt),
      ...(operation === undefined ? {} : { [HEADERS.operationId]: operation }),
      ...(undoOf === undefined ? {} : { [HEADERS.undoOf]: undoOf }),
      ...(queryOf === undefined ? {} : { [HEADERS.queryOf]: queryOf }),
      ...(fence === true ? { [HEADERS.fence]: 'true' } : {}),
    },
    body: JSON.stringify(body),
  };
}

/** `ok {"a":1}`, or `conflict CONTRACT_CONFLICT applied:false`: what a test wants to see at one glance. */
export function told({ statusCode, body }: { readonly statusCode: string; readonly body: string }): string {
  const parsed = JSON.parse(body) as Json;
  if (!isObject(parsed) || !('benzeneStatus' in parsed)) return `${statusCode} ${body}`;
  const applied = 'applied' in parsed ? ` applied:${String(parsed.applied)}` : '';
  return `${statusCode} ${String(parsed.code ?? '-')}${applied}`;
}

/** A promise and the ways to end it: lets a test decide when a handler ends. */
export function gate<T>(): { readonly promise: Promise<T>; open(value: T): void; fail(error: unknown): void } {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  return { promise, open: resolve, fail: reject };
}
