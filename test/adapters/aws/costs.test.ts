/**
 * What a job costs on AWS, counted from real requests through the adapters. The numbers are part of what the product
 * promises, so a change that makes a job dearer has to change them here.
 */
import { randomBytes } from 'node:crypto';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { problemResponse } from '../../../lib/contract/envelope.ts';
import { EXAMPLE_TOPICS } from '../../../lib/contract/examples.ts';
import { registry, step, workflow } from '../../../lib/definition/index.ts';
import { examples } from '../../../lib/workflows/examples.ts';
import { localClients } from './clients.ts';
import { type Between, type Bill, costOf } from './deployment.ts';
import { writeUnits } from './item-size.ts';
import { TABLE_NAME } from './table.ts';

const clients = localClients();
const SIGNUP = { company: 'Wagner & Söhne GmbH', email: 'einkauf@wagner-soehne.example', plan: 'standard' };

const table: Record<string, Record<string, number>> = {};
afterAll(() => console.table(table));

function keep(what: string, bill: Bill): void {
  const { writes, tableUnits, indexUnits, readUnits, calls, messages, events, invocations, functionRuns } = bill;
  table[what] = {
    writes,
    'write units': tableUnits + indexUnits,
    '(indexes)': indexUnits,
    'read units': readUnits,
    calls,
    messages,
    // Each message is sent by us, received and deleted by the event source mapping.
    'queue requests': 3 * messages,
    events,
    'participants invoked': invocations,
    'function runs': functionRuns,
  };
}

describe('the meter', () => {
  it('counts an item as the engine does', async () => {
    for (const size of [1, 900, 980, 1_000, 2_000, 5_000]) {
      const Item = { pk: { S: `METER#${size}` }, sk: { S: 'ü' }, n: { N: '-1234500' }, b: { B: randomBytes(size) } };
      const put = new PutItemCommand({ TableName: TABLE_NAME, Item, ReturnConsumedCapacity: 'TOTAL' });
      const { ConsumedCapacity } = await clients.dynamodb.send(put);
      expect(writeUnits(null, Item), `${size} bytes`).toBe(ConsumedCapacity?.CapacityUnits);
    }
  });
});

describe('a signup', () => {
  it('that succeeds takes 5 writes, at most 12 write units with indexes, 8 calls and 1 message', async () => {
    const { job, bill } = await costOf(clients, examples, 'signup', SIGNUP);
    keep('signup, success', bill);
    expect(job.state).toBe('COMPLETED');
    expect(bill.writes).toBeLessThanOrEqual(5);
    expect(bill.tableUnits + bill.indexUnits).toBeLessThanOrEqual(12);
    expect(bill.calls).toBeLessThanOrEqual(8);
    expect(bill.messages).toBeLessThanOrEqual(1);
    expect(bill).toMatchObject({ indexUnits: 4, events: 1, invocations: 3, functionRuns: 2 });
  });

  it('that is rolled back costs the undo of two steps and the way to the other queue', async () => {
    const { job, bill } = await costOf(clients, examples, 'signup', { ...SIGNUP, email: 'nobody' });
    keep('signup, rollback', bill);
    expect(job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
    expect(bill.writes).toBeLessThanOrEqual(9);
    expect(bill.tableUnits + bill.indexUnits).toBeLessThanOrEqual(22);
    expect(bill.messages).toBeLessThanOrEqual(2);
    expect(bill.invocations).toBe(5);
  });

  it('that waits once for a busy participant costs a park, a timer and a second run', async () => {
    const { job, bill } = await costOf(clients, examples, 'signup', SIGNUP, busyOnce('user:create'));
    keep('signup, one retry', bill);
    expect(job.state).toBe('COMPLETED');
    expect(job.retryCount).toBe(1);
    expect(bill.writes).toBeLessThanOrEqual(7);
    expect(bill.tableUnits + bill.indexUnits).toBeLessThanOrEqual(18);
    expect(bill.messages).toBe(2);
    expect(bill.invocations).toBe(4);
  });
});

/** Asks to be left alone for three seconds, which is longer than a driver stays. */
function busyOnce(topic: string): Between {
  let calls = 0;
  return async (request, deliver) => {
    if (request.topic !== topic) return deliver();
    calls += 1;
    if (calls > 1) return deliver();
    return problemResponse('too-many-requests', { detail: 'busy', retryAfterSeconds: 3 });
  };
}

describe('a larger payload', () => {
  it('costs its own storing once, and not a unit more at any other write', async () => {
    const bills: Bill[] = [];
    for (const kilobytes of [1, 10, 50, 200]) {
      const text = randomBytes(kilobytes * 1_024)
        .toString('base64')
        .slice(0, kilobytes * 1_024);
      const { job, bill } = await costOf(clients, registry(noted), 'noted', { ...SIGNUP, notes: text });
      keep(`signup with ${kilobytes} KB`, bill);
      expect(job.state).toBe('COMPLETED');
      bills.push(bill);
    }
    const [first] = bills;
    for (const bill of bills) {
      const { writes, tableUnits, valueUnits, indexUnits, calls, messages } = bill;
      const rest = { writes, units: tableUnits - valueUnits, indexUnits, calls, messages };
      expect(rest).toEqual({
        writes: first?.writes,
        units: (first?.tableUnits ?? 0) - (first?.valueUnits ?? 0),
        indexUnits: first?.indexUnits,
        calls: first?.calls,
        messages: first?.messages,
      });
    }
    // 200 KB of letters without any pattern pack to three quarters.
    expect(bills.at(-1)?.valueUnits).toBeLessThanOrEqual(160);
  });
});

/** A signup that carries along what no participant reads. */
const noted = workflow('noted', 1)
  .input(z.strictObject({ company: z.string(), email: z.string(), plan: z.string(), notes: z.string() }))
  .stage(
    step('tenant', {
      topic: 'tenant:create',
      undo: 'tenant:delete',
      input: ({ input }) => ({ company: input.company }),
      output: EXAMPLE_TOPICS['tenant:create'].output,
    }),
    step('billing', {
      topic: 'billing:setup',
      undo: 'billing:teardown',
      input: ({ input }) => ({ company: input.company, plan: input.plan }),
      output: EXAMPLE_TOPICS['billing:setup'].output,
    }),
  )
  .stage(
    step('user', {
      topic: 'user:create',
      undo: 'user:delete',
      input: ({ input, outputs }) => ({
        email: input.email,
        tenant_id: outputs.tenant.tenant_id,
        account_id: outputs.billing.account_id,
      }),
      output: EXAMPLE_TOPICS['user:create'].output,
    }),
  )
  .output(({ outputs }) => ({ user_id: outputs.user.user_id }));
