/** The participants that the documentation shows, as it shows them, under what it promises they survive. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { host, memoryOperations, type Service } from '../../lib/worker/index.ts';
import { type Ask, gate, request, told } from '../worker/support.ts';
import { folderOf, ROOT, snippet, typeComplaints } from './snippets.ts';

const PAGE = 'docs/participants.md';

/** It keeps charges by the key they came with, which is all that is asked of it. */
const BANK = `
export const charges = new Map<string, number>();
export const meanwhile = { after: async () => {} };
export const bank = {
  async charge(key: string, amount: number) {
    charges.set(key, amount);
    await meanwhile.after();
    return { charge_id: \`ch_\${key}\` };
  },
  async refund(key: string) {
    return { refunded: charges.delete(key) };
  },
};`;

interface Bank {
  readonly charges: Map<string, number>;
  readonly meanwhile: { after: () => Promise<void> };
}

const take = { topic: 'payment:take', operation: 'op1', body: { amount: 5 } };
const giveBack = { topic: 'payment:return', operation: 'op1.undo', undoOf: 'op1' };
const LEASE_MS = 1_000;

async function start() {
  const folder = folderOf({ 'payments.ts': snippet(PAGE, 'participant'), 'bank.ts': BANK });
  const { payments } = (await import(join(folder, 'payments.ts'))) as { payments: Service };
  const bank = (await import(join(folder, 'bank.ts'))) as Bank;
  const clock = { now: 1_000 };
  const store = memoryOperations();
  /** A process of its own that shares what is stored. */
  const process = () => {
    const serve = host(payments, { store, now: () => clock.now, leaseMs: LEASE_MS });
    return async (asked: Ask) => told(await serve(request(asked)));
  };
  return { ask: process(), process, bank, clock };
}

describe('the participant of ten lines', () => {
  it('has ten lines', () => {
    expect(snippet(PAGE, 'participant').trimEnd().split('\n')).toHaveLength(10);
  });

  it('charges once for 50 duplicates at the same time', async () => {
    const { ask, bank } = await start();
    const { promise, open } = gate<void>();
    let runs = 0;
    bank.meanwhile.after = () => {
      runs += 1;
      return promise;
    };
    const duplicates = () => Array.from({ length: 50 }, () => ask(take));
    const atOnce = duplicates();
    await new Promise(setImmediate);
    open();
    const charged = 'ok {"charge_id":"ch_op1"}';
    const told = await Promise.all(atOnce);
    expect(new Set(told)).toEqual(new Set([charged, 'service-unavailable EXT_IN_PROGRESS']));
    expect(new Set(await Promise.all(duplicates()))).toEqual(new Set([charged]));
    expect([runs, [...bank.charges]]).toEqual([1, [['op1', 5]]]);
  });

  it('charges once when its process dies after the charge and before the answer', async () => {
    const { process, bank, clock } = await start();
    bank.meanwhile.after = () => gate<void>().promise;
    void process()(take);
    await new Promise(setImmediate);
    expect(bank.charges.size).toBe(1);
    bank.meanwhile.after = async () => {};
    clock.now += LEASE_MS;
    const restarted = process();
    expect(await restarted(take)).toBe('ok {"charge_id":"ch_op1"}');
    expect([...bank.charges]).toEqual([['op1', 5]]);
    expect(await restarted(giveBack)).toBe('ok {"refunded":true}');
    expect([...bank.charges]).toEqual([]);
  });

  it('never charges once an undo came before its forward call', async () => {
    const { ask, bank } = await start();
    expect(await ask(giveBack)).toBe('ok {"undone":true,"found":false}');
    expect(await ask(take)).toBe('conflict CONTRACT_OPERATION_REVOKED applied:false');
    expect(bank.charges.size).toBe(0);
  });
});

it('the participant with a record of its own books once for 50 duplicates, and not after its undo', async () => {
  const folder = folderOf({ 'seats.ts': snippet(PAGE, 'local') });
  const { seats } = (await import(join(folder, 'seats.ts'))) as { seats: Service };
  const store = memoryOperations();
  const serve = host(seats, { store, now: () => 1 });
  const ask = async (asked: Ask) => told(await serve(request(asked)));
  const book = { topic: 'seat:book', operation: 'op1', body: { flight: 'OS1' } };
  const records = async () => (await store.operations()).flatMap(({ operation }) => operation.record ?? []);
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(book)));
  expect(new Set(answers).size).toBe(1);
  expect(await records()).toEqual([{ flight: 'OS1' }]);
  await ask({ topic: 'seat:free', operation: 'op1.undo', undoOf: 'op1' });
  expect(await ask(book)).toBe('conflict CONTRACT_OPERATION_REVOKED applied:false');
  expect(await records()).toEqual([]);
});

it('what the page shows compiles', () => {
  const queue = 'export const sendResult = async (result: object): Promise<void> => void result;';
  const imports = "import { payments } from './payments.ts';\nimport { sendResult } from './queue.ts';\n";
  const complaints = typeComplaints({
    'payments.ts': snippet(PAGE, 'participant'),
    'seats.ts': snippet(PAGE, 'local'),
    'bank.ts': BANK,
    'queue.ts': queue,
    'running.ts': imports + snippet(PAGE, 'running'),
  });
  expect(complaints).toBe('');
}, 60_000);

it('everything the package offers is there', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, string>;
  };
  expect(Object.values(exports).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
