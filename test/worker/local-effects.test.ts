/**
 * Effects that are records of the operation itself: applied once or not at all, whatever the order of calls. Each case
 * runs on every store.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type HostOptions,
  host,
  localForward,
  localUndoOf,
  memoryOperations,
  queryOf,
  Refusal,
  service,
  sqliteOperations,
} from '../../lib/worker/index.ts';
import { sqliteFile } from './sqlite-file.ts';
import { request, told } from './support.ts';

let bug = false;

const shop = service('shop', {
  'stock:take': localForward(
    { input: z.object({ sku: z.string() }), output: z.object({ id: z.string() }) },
    ({ input: { sku }, newId }) => {
      if (bug) throw new Error('secret of the payload');
      if (sku === 'none') throw new Refusal('not-found', { code: 'DQ_NO_SUCH_SKU' });
      if (sku === 'busy') throw new Refusal('service-unavailable', { code: 'EXT_BUSY', retryAfterSeconds: 3 });
      return { record: { sku }, output: { id: newId('stk') } };
    },
  ),
  'stock:give': localUndoOf('stock:take', ({ sku }) => {
    if (sku === 'glued') throw new Refusal('conflict', { code: 'LEGAL_GLUED' });
  }),
  'stock:find': queryOf('stock:take'),
});

const take = { topic: 'stock:take', operation: 'op1', body: { sku: 'pen' } };
const give = {
  topic: 'stock:give',
  operation: 'op1.undo',
  undoOf: 'op1',
  body: { input: { sku: 'pen' }, output: null },
};
const find = { topic: 'stock:find', operation: 'op1', queryOf: 'op1' };
const REVOKED = 'conflict CONTRACT_OPERATION_REVOKED applied:false';

describe.each([
  ['memory', async () => memoryOperations()],
  ['SQLite', async () => sqliteOperations('shop', sqliteFile().write)],
])('a local effect in %s', (_name, open) => {
  async function start(options: Partial<HostOptions> = {}) {
    bug = false;
    const store = await open();
    const serve = host(shop, { store, now: () => 1_000, ...options });
    const ask = async (asked: Parameters<typeof request>[0]) => told(await serve(request(asked)));
    const records = async () => (await store.operations()).flatMap(({ operation }) => operation.record ?? []);
    const results = async () => (await store.calls()).map(({ topic, result }) => `${topic} ${result}`);
    return { ask, records, results, store, serve };
  }

  it('applies once for 50 duplicates at the same time, which all get the one answer', async () => {
    const { ask, records, results } = await start();
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(take)));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^ok \{"id":"stk_[0-9a-f]{24}"\}$/);
    expect(await records()).toEqual([{ sku: 'pen' }]);
    expect(await results()).toEqual(Array.from({ length: 50 }, () => 'stock:take ok'));
  });

  it('refuses the same operation with another payload, and stays as it was', async () => {
    const { ask, records } = await start();
    await ask(take);
    expect(await ask({ ...take, body: { sku: 'ink' } })).toBe('conflict CONTRACT_CONFLICT applied:false');
    expect(await records()).toEqual([{ sku: 'pen' }]);
  });

  it('takes payloads as the same whatever the order of their members', async () => {
    const { ask } = await start();
    const first = await ask({ ...take, body: { sku: 'pen', note: 'a' } });
    expect(await ask({ ...take, body: { note: 'a', sku: 'pen' } })).toBe(first);
  });

  it('repeats a refusal', async () => {
    const { ask } = await start();
    const none = { ...take, body: { sku: 'none' } };
    expect([await ask(none), await ask(none)]).toEqual(Array(2).fill('not-found DQ_NO_SUCH_SKU applied:false'));
    expect(await ask({ ...take, body: { sku: 'pen' } })).toBe('conflict CONTRACT_CONFLICT applied:false');
  });

  it('says where an invalid payload is wrong, and repeats that', async () => {
    const { serve } = await start();
    const [first, second] = [await serve(request({ ...take, body: {} })), await serve(request({ ...take, body: {} }))];
    expect(JSON.parse(first.body)).toMatchObject({ applied: false, errors: [{ path: '/sku' }] });
    expect(second).toEqual(first);
  });

  it('does not repeat trouble that passes', async () => {
    const { ask } = await start();
    expect(await ask({ ...take, body: { sku: 'busy' } })).toBe('service-unavailable EXT_BUSY applied:false');
    bug = true;
    expect(await ask(take)).toBe('service-unavailable EXT_UNEXPECTED applied:false');
    bug = false;
    expect(await ask(take)).toMatch(/^ok/);
  });

  it('tells what a handler threw to the log and not to the caller', async () => {
    const errors: unknown[] = [];
    const { serve } = await start({ onError: (error) => errors.push(error) });
    bug = true;
    expect((await serve(request(take))).body).not.toContain('secret');
    expect(errors).toHaveLength(1);
  });

  it('is undone once, whether or not the output ever came back', async () => {
    const { ask, records } = await start();
    await ask(take);
    const undone = await ask(give);
    expect(undone).toBe('ok {"undone":true,"found":true}');
    expect(await ask(give)).toBe(undone);
    expect(await records()).toEqual([]);
  });

  it('never applies after an undo that came first', async () => {
    const { ask, records, results } = await start();
    expect(await ask(give)).toBe('ok {"undone":true,"found":false}');
    expect(await ask(take)).toBe(REVOKED);
    expect(await records()).toEqual([]);
    expect(await results()).toEqual(['stock:give ok', 'stock:take CONTRACT_OPERATION_REVOKED']);
  });

  it('does not come back when its forward call is delivered again after the undo', async () => {
    const { ask, records } = await start();
    await ask(take);
    await ask(give);
    expect(await ask(take)).toBe(REVOKED);
    expect(await records()).toEqual([]);
  });

  it('is either undone or revoked, for any order of a forward call and its undo that race', async () => {
    const { ask, records } = await start();
    await Promise.all([ask(take), ask(give), ask(take), ask(give)]);
    expect(await records()).toEqual([]);
  });

  it('stays when its undo is refused; that undo stays refused, a later one is a new question', async () => {
    const { ask, records } = await start();
    const glued = { ...take, body: { sku: 'glued' } };
    const applied = await ask(glued);
    expect([await ask(give), await ask(give)]).toEqual(Array(2).fill('conflict LEGAL_GLUED applied:false'));
    expect(await ask({ ...give, operation: 'op1.undo.2' })).toBe('conflict LEGAL_GLUED applied:false');
    expect(await records()).toEqual([{ sku: 'glued' }]);
    expect(await ask(glued)).toBe(applied);
  });

  it('has nothing to undo after it was refused, and then stays revoked', async () => {
    const { ask } = await start();
    await ask({ ...take, body: { sku: 'none' } });
    expect(await ask(give)).toBe('ok {"undone":true,"found":false}');
    expect(await ask({ ...take, body: { sku: 'none' } })).toBe(REVOKED);
  });

  it('is found with its output, and missed without leaving a fence', async () => {
    const { ask } = await start();
    expect(await ask(find)).toBe('ok {"state":"not_applied"}');
    const output = (await ask(take)).slice('ok '.length);
    expect(await ask(find)).toBe(`ok {"state":"applied","output":${output}}`);
    expect(await ask({ ...find, fence: true })).toBe(`ok {"state":"applied","output":${output}}`);
    await ask(give);
    expect(await ask(find)).toBe('ok {"state":"not_applied","fenced":true}');
  });

  it('never applies after a query that asked for a fence', async () => {
    const { ask } = await start();
    expect(await ask({ ...find, fence: true })).toBe('ok {"state":"not_applied","fenced":true}');
    expect(await ask(take)).toBe(REVOKED);
    expect(await ask(give)).toBe('ok {"undone":true,"found":false}');
  });

  it('needs to know which operation it is, and which one an undo is about', async () => {
    const { serve, results } = await start();
    const { operation: _, ...anonymous } = take;
    const { undoOf: __, ...aimless } = give;
    for (const [asked, header] of [
      [anonymous, 'x-operation-id'],
      [aimless, 'x-undo-of'],
    ] as const) {
      const response = await serve(request(asked));
      expect(response.statusCode).toBe('bad-request');
      expect(response.body).toContain(header);
    }
    expect(await results()).toEqual(['stock:take CONTRACT_BAD_REQUEST', 'stock:give CONTRACT_BAD_REQUEST']);
  });

  it('cannot be told apart from applied when the store fails', async () => {
    const { store } = await start();
    const broken = {
      ...store,
      change: () => Promise.reject(new Error('disk')),
      log: () => Promise.reject(new Error()),
    };
    const response = await host(shop, { store: broken, now: () => 1_000 })(request(take));
    expect(told(response)).toBe('service-unavailable EXT_UNEXPECTED');
  });
});

it('a process that dies after the effect and before the answer has the answer ready afterwards', async () => {
  bug = false;
  const file = sqliteFile();
  const lost = await host(shop, { store: await sqliteOperations('shop', file.write), now: () => 1 })(request(take));
  const store = await sqliteOperations('shop', file.reopen().write);
  expect(await host(shop, { store, now: () => 2 })(request({ ...take, attempt: 2 }))).toEqual(lost);
  expect((await store.operations()).map(({ operation }) => operation.record)).toEqual([{ sku: 'pen' }]);
  expect((await store.calls()).map(({ attempt }) => attempt)).toEqual([1, 2]);
});
