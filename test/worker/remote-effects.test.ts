/** Effects elsewhere: between the two changes of the record anything may happen, and the record never claims to know. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Call,
  forward,
  host,
  localForward,
  memoryOperations,
  queryOf,
  Refusal,
  readOnly,
  reply,
  service,
  undoOf,
} from '../../lib/worker/index.ts';
import { gate, request, told } from './support.ts';

const any = { input: z.unknown(), output: z.unknown() };
const charge = { topic: 'card:charge', operation: 'op1', body: { amount: 5 } };
const refund = { topic: 'card:refund', operation: 'op1.undo', undoOf: 'op1', body: { input: null, output: null } };
const find = { topic: 'card:find', operation: 'op1', queryOf: 'op1' };
const IN_PROGRESS = 'service-unavailable EXT_IN_PROGRESS';
const LEASE_MS = 100;

interface Bank {
  charge: (call: Call<unknown>) => Promise<unknown>;
  refund: () => Promise<null>;
}

function start(bank: Partial<Bank> = {}) {
  const runs: string[] = [];
  const handlers: Bank = { charge: async () => ({ id: 'c1' }), refund: async () => null, ...bank };
  const clock = { now: 1_000 };
  const card = service('card', {
    'card:charge': forward(any, (call) => {
      runs.push('charge');
      return handlers.charge(call);
    }),
    'card:refund': undoOf('card:charge', (call) => {
      runs.push(`refund ${call.undoOf}`);
      return handlers.refund();
    }),
    'card:find': queryOf('card:charge'),
  });
  const store = memoryOperations();
  const serve = host(card, { store, now: () => clock.now, leaseMs: LEASE_MS });
  const ask = async (asked: Parameters<typeof request>[0]) => told(await serve(request(asked)));
  return { ask, runs, clock, handlers, store };
}

/** Lets everything that is ready to go on do so. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a remote effect', () => {
  it('runs once for 50 duplicates at the same time; who comes too early is told so', async () => {
    const { promise, open } = gate<unknown>();
    const { ask, runs } = start({ charge: () => promise });
    const first = ask(charge);
    await turn();
    const others = await Promise.all(Array.from({ length: 49 }, () => ask(charge)));
    expect(new Set(others)).toEqual(new Set([IN_PROGRESS]));
    open({ id: 'c1' });
    expect(await first).toBe('ok {"id":"c1"}');
    expect(await ask(charge)).toBe('ok {"id":"c1"}');
    expect(runs).toEqual(['charge']);
  });

  it('keeps its undo waiting while it is at work', async () => {
    const { promise, open } = gate<unknown>();
    const { ask, runs } = start({ charge: () => promise });
    const first = ask(charge);
    await turn();
    expect(await ask(refund)).toBe(IN_PROGRESS);
    expect(await ask({ ...find, fence: true })).toBe('ok {"state":"running"}');
    open(null);
    await first;
    expect(await ask(refund)).toBe('ok null');
    expect(runs).toEqual(['charge', 'refund op1']);
  });

  it('is unknown after its handler threw, may be tried again, and is undone', async () => {
    const { ask, runs, handlers } = start({ charge: () => Promise.reject(new Error('socket')) });
    expect(await ask(charge)).toBe('service-unavailable EXT_UNEXPECTED');
    expect(await ask({ ...find, fence: true })).toBe('ok {"state":"unknown"}');
    handlers.charge = () => Promise.reject(new Refusal('forbidden', { code: 'LEGAL_LIMIT' }));
    expect(await ask(charge)).toBe('forbidden LEGAL_LIMIT');
    expect(await ask(find)).toBe('ok {"state":"unknown"}');
    expect(await ask(refund)).toBe('ok null');
    expect(await ask(find)).toBe('ok {"state":"not_applied","fenced":true}');
    expect(runs).toEqual(['charge', 'charge', 'refund op1']);
  });

  it('is not applied after trouble of which the handler says so', async () => {
    const { ask, runs } = start({ charge: () => Promise.reject(new Refusal('too-many-requests', {})) });
    expect(await ask(charge)).toBe('too-many-requests -');
    expect(await ask(find)).toBe('ok {"state":"not_applied"}');
    expect(await ask(refund)).toBe('ok {"undone":true,"found":false}');
    expect(runs).toEqual(['charge']);
  });

  it('is unknown once its lease is over without an answer: it may be repeated or undone', async () => {
    const never = gate<unknown>();
    const { ask, runs, clock, handlers } = start({ charge: () => never.promise });
    void ask(charge);
    await turn();
    clock.now += LEASE_MS;
    expect(await ask({ ...find, fence: true })).toBe('ok {"state":"unknown"}');
    handlers.charge = async () => ({ id: 'c2' });
    expect(await ask(charge)).toBe('ok {"id":"c2"}');
    expect(await ask(refund)).toBe('ok null');
    expect(runs).toEqual(['charge', 'charge', 'refund op1']);
  });

  it('that succeeds behind the back of its undo is known, and the next undo runs', async () => {
    const late = gate<unknown>();
    const { ask, runs, clock } = start({ charge: () => late.promise });
    const first = ask(charge);
    await turn();
    clock.now += LEASE_MS;
    expect(await ask(refund)).toBe('ok null');
    late.open({ id: 'c1' });
    expect(await first).toBe('ok {"id":"c1"}');
    expect(await ask(find)).toBe('ok {"state":"applied","output":{"id":"c1"}}');
    expect(await ask(charge)).toBe('ok {"id":"c1"}');
    expect(await ask({ ...refund, operation: 'op1.undo.2' })).toBe('ok null');
    expect(await ask(charge)).toBe('conflict CONTRACT_OPERATION_REVOKED applied:false');
    expect(runs).toEqual(['charge', 'refund op1', 'refund op1']);
  });

  it('is not failed by an attempt that was overtaken', async () => {
    const late = gate<unknown>();
    const { ask, clock, handlers } = start({ charge: () => late.promise });
    const first = ask(charge);
    await turn();
    clock.now += LEASE_MS;
    handlers.charge = async () => ({ id: 'c2' });
    await ask(charge);
    late.fail(new Refusal('conflict', { applied: false }));
    expect(await first).toBe('ok {"id":"c2"}');
    expect(await ask(find)).toBe('ok {"state":"applied","output":{"id":"c2"}}');
  });

  it('does not lose the lease of a later attempt to the failure of an earlier one', async () => {
    const [early, later] = [gate<unknown>(), gate<unknown>()];
    const { ask, clock, handlers, runs } = start({ charge: () => early.promise });
    const first = ask(charge);
    await turn();
    clock.now += LEASE_MS;
    handlers.charge = () => later.promise;
    const second = ask(charge);
    await turn();
    early.fail(new Error('socket'));
    await first;
    expect(await ask(charge)).toBe(IN_PROGRESS);
    later.open(1);
    expect(await second).toBe('ok 1');
    expect(runs).toEqual(['charge', 'charge']);
  });

  it('stays in doubt for an attempt that never ended, whatever a later one says', async () => {
    const early = gate<unknown>();
    const { ask, clock, handlers, runs } = start({ charge: () => early.promise });
    const first = ask(charge);
    await turn();
    clock.now += LEASE_MS;
    handlers.charge = () => Promise.reject(new Refusal('forbidden', {}));
    expect(await ask(charge)).toBe('forbidden -');
    expect(await ask({ ...find, fence: true })).toBe('ok {"state":"unknown"}');
    early.fail(new Error('socket'));
    expect(await first).toBe('forbidden -');
    expect(await ask(charge)).toBe('forbidden -');
    expect(await ask(refund)).toBe('ok null');
    expect(runs).toEqual(['charge', 'charge', 'refund op1']);
  });

  it('keeps the lease, and then the answer, of an undo that overtook an earlier attempt', async () => {
    const [early, later] = [gate<null>(), gate<null>()];
    const { ask, clock, handlers, runs } = start({ refund: () => early.promise });
    await ask(charge);
    const first = ask(refund);
    await turn();
    clock.now += LEASE_MS;
    handlers.refund = () => later.promise;
    const second = ask(refund);
    await turn();
    early.fail(new Error('socket'));
    expect(await first).toBe('service-unavailable EXT_UNEXPECTED');
    expect(await ask(refund)).toBe(IN_PROGRESS);
    later.open(null);
    expect(await second).toBe('ok null');
    expect(runs).toEqual(['charge', 'refund op1', 'refund op1']);
  });

  it('stays undone when an overtaken attempt of its undo is refused afterwards', async () => {
    const early = gate<null>();
    const { ask, clock, handlers } = start({ refund: () => early.promise });
    await ask(charge);
    const first = ask(refund);
    await turn();
    clock.now += LEASE_MS;
    handlers.refund = async () => null;
    expect(await ask(refund)).toBe('ok null');
    early.fail(new Refusal('conflict', {}));
    expect(await first).toBe('ok null');
    expect(await ask(refund)).toBe('ok null');
  });

  it('is not started again once its undo has begun', async () => {
    const { ask, runs, handlers } = start({ charge: () => Promise.reject(new Error('socket')) });
    await ask(charge);
    const undoing = gate<null>();
    handlers.refund = () => undoing.promise;
    const undo = ask(refund);
    await turn();
    expect(await ask(charge)).toBe(IN_PROGRESS);
    expect(await ask(refund)).toBe(IN_PROGRESS);
    expect(await ask({ ...refund, operation: 'op1.undo.2' })).toBe(IN_PROGRESS);
    undoing.fail(new Error('socket'));
    expect(await undo).toBe('service-unavailable EXT_UNEXPECTED');
    expect(await ask(charge)).toBe(IN_PROGRESS);
    expect(runs).toEqual(['charge', 'refund op1']);
  });

  it('is undone again after trouble, and by a new undo after a refusal', async () => {
    const { ask, handlers, runs } = start();
    await ask(charge);
    handlers.refund = () => Promise.reject(new Refusal('timeout', {}));
    expect(await ask(refund)).toBe('timeout -');
    handlers.refund = () => Promise.reject(new Refusal('conflict', { code: 'LEGAL_HOLD' }));
    expect([await ask(refund), await ask(refund)]).toEqual(Array(2).fill('conflict LEGAL_HOLD'));
    handlers.refund = async () => null;
    expect(await ask(refund)).toBe('conflict LEGAL_HOLD');
    expect(await ask({ ...refund, operation: 'op1.undo.2' })).toBe('ok null');
    expect(await ask({ ...refund, operation: 'op1.undo.3' })).toBe('ok {"undone":true,"found":false}');
    expect(runs).toEqual(['charge', 'refund op1', 'refund op1', 'refund op1']);
  });

  it('whose undo finds nothing counts as undone', async () => {
    const { ask } = start({ refund: () => Promise.reject(new Refusal('not-found', {})) });
    await ask(charge);
    expect(await ask(refund)).toBe('not-found -');
    expect(await ask(charge)).toBe('conflict CONTRACT_OPERATION_REVOKED applied:false');
  });

  it('that goes on after the answer is running until it is undone', async () => {
    const { ask, runs } = start({ charge: async () => reply('accepted', null) });
    expect([await ask(charge), await ask(charge)]).toEqual(['accepted null', 'accepted null']);
    expect(await ask({ ...find, fence: true })).toBe('ok {"state":"running"}');
    expect(await ask(refund)).toBe('ok null');
    expect(runs).toEqual(['charge', 'refund op1']);
  });

  it('logs each call when it is answered', async () => {
    const { promise, open } = gate<unknown>();
    const { ask, store } = start({ charge: () => promise });
    const first = ask({ ...charge, attempt: 1 });
    await turn();
    await ask({ ...charge, attempt: 2 });
    open(null);
    await first;
    expect((await store.calls()).map(({ attempt, result }) => `${attempt} ${result}`)).toEqual([
      '2 EXT_IN_PROGRESS',
      '1 ok',
    ]);
  });
});

describe('a handler', () => {
  it('is told what it works on', async () => {
    const seen: Call<unknown>[] = [];
    const { ask } = start({ charge: async (call) => void seen.push(call) });
    await ask({ ...charge, attempt: 3 });
    expect(seen).toMatchObject([{ input: { amount: 5 }, operationId: 'op1', attempt: 3, deadlineAt: null }]);
    expect(seen[0]?.newId('chg')).toMatch(/^chg_[0-9a-f]{24}$/);
  });

  it('is told until when somebody waits, and under which trace to call others', async () => {
    const seen: Call<unknown>[] = [];
    const service_ = service('look', { 'a:look': readOnly(any, (call) => void seen.push(call)) });
    const serve = host(service_, { store: memoryOperations(), now: () => 1 });
    const traceId = 'a'.repeat(32);
    const headers = {
      'x-deadline-at': '2026-01-31T08:00:00.000Z',
      traceparent: `00-${traceId}-${'b'.repeat(16)}-01`,
      tracestate: 'vendor=1',
    };
    await serve({ topic: 'a:look', headers, body: '' });
    await serve({ topic: 'a:look', headers: { ...headers, traceparent: 'nonsense' }, body: '' });
    expect(seen).toMatchObject([
      {
        deadlineAt: Date.UTC(2026, 0, 31, 8),
        trace: { traceId, parentSpanId: 'b'.repeat(16), tracestate: 'vendor=1' },
      },
      { trace: { parentSpanId: null, tracestate: null } },
    ]);
    expect(seen[0]?.trace.traceparent).toMatch(new RegExp(`^00-${traceId}-(?!b{16})[0-9a-f]{16}-01$`));
  });

  it('maps what its libraries throw once for all topics; a call that was given up is a timeout by itself', async () => {
    const handlers = { throws: new Error('none') as Error };
    const errors: unknown[] = [];
    const card = service('card', {
      'card:charge': forward(any, () => Promise.reject(handlers.throws)),
      'card:hold': localForward(any, () => {
        throw handlers.throws;
      }),
    });
    const explain = (error: unknown) =>
      error instanceof RangeError ? new Refusal('too-many-requests', { retryAfterSeconds: 2 }) : undefined;
    const serve = host(card, { store: memoryOperations(), now: () => 1, explain, onError: (e) => errors.push(e) });
    const ask = async (asked: Parameters<typeof request>[0]) => told(await serve(request(asked)));
    handlers.throws = new RangeError('slow down');
    expect(await ask(charge)).toBe('too-many-requests -');
    expect(await ask({ ...charge, topic: 'card:hold', operation: 'op2' })).toBe('too-many-requests - applied:false');
    handlers.throws = new DOMException('late', 'TimeoutError');
    expect(await ask(charge)).toBe('timeout EXT_TIMEOUT');
    expect(errors).toHaveLength(3);
  });

  it('cannot reply with a failure: that is what a refusal is for', () => {
    expect(() => reply('conflict', null)).toThrow('throw a Refusal');
  });
});

describe('a service', () => {
  const noUndo = undoOf('card:charge', async () => null);

  it('is refused when an undo or a query is about nothing it does', () => {
    expect(() => service('card', { 'card:refund': noUndo })).toThrow('card:refund is about card:charge');
    expect(() => service('card', { 'card:find': queryOf('card:find') })).toThrow('forward or localForward');
    expect(() => service('card', { 'card:charge': readOnly(any, () => 1), 'card:refund': noUndo })).toThrow();
  });

  it('is refused when an effect elsewhere would be undone here, or the other way round', () => {
    const here = localForward(any, () => ({ record: {}, output: null }));
    expect(() => service('card', { 'card:charge': here, 'card:refund': noUndo })).toThrow('no forward topic');
  });

  it('says which topics it serves when asked for another one', async () => {
    const { ask } = start();
    expect(await ask({ topic: 'card:burn' })).toBe('not-found CONTRACT_UNKNOWN_TOPIC applied:false');
  });

  it('refuses a body that is no JSON', async () => {
    const { store } = start();
    const look = service('look', { 'a:look': readOnly(any, () => 1) });
    const serve = host(look, { store, now: () => 1 });
    expect(told(await serve({ topic: 'a:look', headers: {}, body: '{' }))).toBe('bad-request - applied:false');
    expect(told(await serve({ topic: 'a:look', headers: {}, body: '' }))).toBe('ok 1');
  });
});
