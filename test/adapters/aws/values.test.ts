/** Where values lie, by size; what lies in the bucket is promised by an item, and never the other way round. */
import { randomBytes } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Objects } from '../../../lib/adapters/aws/objects.ts';
import { dynamoValues } from '../../../lib/adapters/aws/values.ts';
import { VALUE_KEPT_MS } from '../../../lib/contract/aws-table.ts';
import { sha256Hex } from '../../../lib/core/json.ts';
import { LIMITS } from '../../../lib/core/limits.ts';
import { ThrottledError } from '../../../lib/core/store-error.ts';
import type { ValueStore } from '../../../lib/ports.ts';
import { idOf, T0 } from '../../contracts/jobs.ts';
import { unique } from '../../contracts/support.ts';
import { BUCKET_NAME, localClients } from './clients.ts';
import { always, breakBefore, faulty } from './faulty-handler.ts';
import { TABLE_NAME } from './table.ts';

const clients = localClients();

/** The real bucket, with every call on record. */
function recorded(over: Partial<Objects> = {}) {
  const calls: string[] = [];
  const s3: Objects = {
    put: (bucket, key, json) => {
      calls.push(`put ${bucket}/${key}`);
      return (over.put ?? clients.s3.put)(bucket, key, json);
    },
    get: (bucket, key) => {
      calls.push(`get ${bucket}/${key}`);
      return (over.get ?? clients.s3.get)(bucket, key);
    },
    destroy: () => {},
  };
  const store: ValueStore = dynamoValues({
    dynamodb: clients.dynamodb,
    s3,
    tableName: TABLE_NAME,
    bucketName: BUCKET_NAME,
    now: () => T0,
  });
  return { calls, store };
}

/** Text of so many bytes that does not get smaller by packing more than it must. */
function textOf(bytes: number): string {
  return JSON.stringify(
    randomBytes(bytes)
      .toString('base64')
      .slice(0, bytes - 2),
  );
}

const LIMIT = LIMITS.valueItemBytesMax;

describe('a value', () => {
  it.each([
    ['at the limit lies in the table', LIMIT, []],
    ['a byte over it lies in the bucket, under job and hash', LIMIT + 1, ['put', 'get']],
    ['of the largest input lies in the bucket', LIMITS.inputBytesMax, ['put', 'get']],
  ])('%s', async (_where, size, expected) => {
    const { calls, store } = recorded();
    const jobId = idOf(unique('key'));
    const text = textOf(size);
    expect(Buffer.byteLength(text)).toBe(size);
    const hash = sha256Hex(text);
    await store.put(jobId, hash, text);
    expect((await store.get(jobId, hash)) === text).toBe(true);
    expect(calls).toEqual(expected.map((call) => `${call} ${BUCKET_NAME}/${jobId}/${hash}`));
  });

  it('counts bytes and not characters', async () => {
    const { calls, store } = recorded();
    const text = JSON.stringify('ü'.repeat(LIMIT / 2));
    await store.put(idOf(unique('key')), sha256Hex(text), text);
    expect(calls).toHaveLength(1);
  });

  it('that is not there is not looked for in the bucket', async () => {
    const { calls, store } = recorded();
    expect(await store.get(idOf(unique('key')), sha256Hex('{}'))).toBeNull();
    expect(calls).toEqual([]);
  });

  it('whose item was not written is not there, and can be put again', async () => {
    const { store } = recorded();
    const jobId = idOf(unique('key'));
    const text = textOf(LIMIT + 1);
    const put = () => store.put(jobId, sha256Hex(text), text);
    let broken = true;
    faulty(clients.dynamodb, (operation) => (broken && operation === 'PutItem' ? breakBefore('ECONNRESET') : null));
    await expect(put()).rejects.toThrow();
    broken = false;
    expect(await store.get(jobId, sha256Hex(text))).toBeNull();
    await put();
    expect(await store.get(jobId, sha256Hex(text))).toBe(text);
  });

  it('leaves no item behind when the bucket refuses it', async () => {
    const slowDown = Object.assign(new Error('slow'), { name: 'SlowDown', $metadata: { httpStatusCode: 503 } });
    const { store } = recorded({ put: () => Promise.reject(slowDown) });
    const attempts = faulty(
      clients.dynamodb,
      always('GetItem', async (request, deliver) => deliver(request)),
    );
    const text = textOf(LIMIT + 1);
    await expect(store.put(idOf(unique('key')), sha256Hex(text), text)).rejects.toThrow(ThrottledError);
    expect(attempts).toEqual([]);
  });

  it('that was changed in the bucket is not answered', async () => {
    const { store } = recorded({ get: async () => '"something else"' });
    const jobId = idOf(unique('key'));
    const text = textOf(LIMIT + 1);
    await store.put(jobId, sha256Hex(text), text);
    await expect(store.get(jobId, sha256Hex(text))).rejects.toThrow(sha256Hex(text));
  });

  it('expires by itself, after the longest job there can be', async () => {
    const { store } = recorded();
    const jobId = idOf(unique('key'));
    await store.put(jobId, sha256Hex('{}'), '{}');
    const Key = { pk: { S: `VALUE#${jobId}#${sha256Hex('{}')}` }, sk: { S: 'VALUE' } };
    const { Item } = await clients.dynamodb.send(new GetItemCommand({ TableName: TABLE_NAME, Key }));
    expect(Item?.expires_at).toEqual({ N: String((T0 + VALUE_KEPT_MS) / 1_000) });
    expect(VALUE_KEPT_MS).toBeGreaterThanOrEqual(LIMITS.jobDeadlineMsMax + LIMITS.jobRetentionMs);
  });
});
