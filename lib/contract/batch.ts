/** The body of a batch of submits: a list, each item with its own key, so that a repeated batch changes nothing. */
import * as z from 'zod';
import type { Json } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { isVisibleText } from './headers.ts';
import { pointer, refusalOf } from './refusal-of.ts';
import { anyJson } from './schema.ts';

export interface BatchItem {
  readonly input: Json;
  readonly idempotencyKey: string;
  readonly correlationId: string | null;
}

const visible = (name: string, max: number) =>
  z.string(`${name}: write 1 to ${max} visible ASCII characters`).refine((text) => isVisibleText(text, max), {
    message: `${name}: write 1 to ${max} visible ASCII characters`,
  });

export const BATCH = z
  .array(
    z.strictObject({
      input: anyJson,
      idempotency_key: visible('idempotency_key', LIMITS.idempotencyKeyCharactersMax),
      correlation_id: visible('correlation_id', LIMITS.correlationIdCharactersMax).optional(),
    }),
    'body: send a list of {input, idempotency_key}',
  )
  .min(1, 'body: send at least one item')
  .max(LIMITS.batchSubmitMax, `body: send at most ${LIMITS.batchSubmitMax} items`);

export function readBatch(body: Json): BatchItem[] {
  const read = BATCH.safeParse(body);
  if (!read.success) throw refusalOf('body', read.error, pointer);
  return read.data.map(({ input, idempotency_key, correlation_id }) => ({
    input,
    idempotencyKey: idempotency_key,
    correlationId: correlation_id ?? null,
  }));
}
