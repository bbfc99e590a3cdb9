/** The rules of the example services, and what every one of them owes its callers: tried on each topic in turn. */
import { describe, expect, it } from 'vitest';
import type { EnvelopeResponse } from '../../lib/contract/envelope.ts';
import type { Json, JsonObject } from '../../lib/contract/json.ts';
import { EXAMPLE_SERVICES } from '../../lib/participants/index.ts';
import { host, memoryOperations, type Service } from '../../lib/worker/index.ts';
import { type Ask, request } from '../worker/support.ts';

function start(name: string) {
  const found = EXAMPLE_SERVICES.find((service) => service.name === name);
  if (found === undefined) throw new Error(`no service ${name}`);
  return startService(found);
}

function startService(service: Service) {
  const store = memoryOperations();
  const serve = host(service, { store, now: () => 1_000 });
  const records = async () => (await store.operations()).flatMap(({ operation }) => operation.record ?? []);
  return { ask: (asked: Ask) => serve(request(asked)), records };
}

const bodyOf = (response: EnvelopeResponse) => JSON.parse(response.body) as JsonObject;

const FORWARD: Readonly<Record<string, { body: JsonObject; undo: string; query?: string }>> = {
  'tenant:create': { body: { company: 'Ada' }, undo: 'tenant:delete' },
  'billing:setup': { body: { company: 'Ada', plan: 'free' }, undo: 'billing:teardown' },
  'user:create': { body: { email: 'ada@example.com', tenant_id: 't', account_id: 'a' }, undo: 'user:delete' },
  'inventory:reserve': {
    body: { order_id: 'o', sku: 's', quantity: 1 },
    undo: 'inventory:release',
    query: 'inventory:find',
  },
  'payment:authorise': { body: { order_id: 'o', amount: 5 }, undo: 'payment:cancel', query: 'payment:find' },
  'fulfilment:create': {
    body: { order_id: 'o', address: '1 Main St', reservation_id: 'r', payment_id: 'p' },
    undo: 'fulfilment:cancel',
    query: 'fulfilment:find',
  },
};

describe.each(Object.entries(FORWARD))('%s', (topic, { body, undo }) => {
  const service = topic.split(':')[0] ?? '';

  it('keeps a record of what it answered, and gives it up when undone', async () => {
    const { ask, records } = start(service);
    const made = await ask({ topic, operation: 'op1', body });
    expect(made.statusCode).toBe('ok');
    expect(await records()).toEqual([{ ...bodyOf(made), ...body }]);
    const undone = await ask({
      topic: undo,
      operation: 'op1.undo',
      undoOf: 'op1',
      body: { input: body, output: null },
    });
    expect(undone.statusCode).toBe('ok');
    expect(await records()).toEqual([]);
  });

  it('names what it makes after the operation: same operation, same name; others never', async () => {
    const first = await start(service).ask({ topic, operation: 'op1', body });
    expect(await start(service).ask({ topic, operation: 'op1', body })).toEqual(first);
    expect((await start(service).ask({ topic, operation: 'op2', body })).body).not.toBe(first.body);
  });

  it('does nothing after its undo', async () => {
    const { ask, records } = start(service);
    await ask({ topic: undo, operation: 'op1.undo', undoOf: 'op1', body: null });
    expect(bodyOf(await ask({ topic, operation: 'op1', body }))).toMatchObject({ code: 'CONTRACT_OPERATION_REVOKED' });
    expect(await records()).toEqual([]);
  });
});

const ASKABLE = Object.entries(FORWARD).flatMap(([topic, { body, query }]) =>
  query === undefined ? [] : ([[topic, query, body]] as const),
);

it.each(ASKABLE)('%s can be asked about by %s', async (topic, query, body) => {
  const { ask } = start(topic.split(':')[0] ?? '');
  const asked = { topic: query, operation: 'op1', queryOf: 'op1' };
  expect(bodyOf(await ask(asked))).toEqual({ state: 'not_applied' });
  const output = bodyOf(await ask({ topic, operation: 'op1', body }));
  expect(bodyOf(await ask(asked))).toEqual({ state: 'applied', output });
});

describe('rules', () => {
  const refusal = async (service: string, topic: string, body: Json) => {
    const { ask, records } = start(service);
    const response = await ask({ topic, operation: 'op1', body });
    expect(await records()).toEqual([]);
    return `${response.statusCode}: ${String(bodyOf(response).detail)}`;
  };

  it('billing knows three plans and says which', async () => {
    const { ask } = start('billing');
    for (const plan of ['free', 'standard', 'premium']) {
      const setup = { topic: 'billing:setup', operation: plan, body: { company: 'Ada', plan } };
      expect((await ask(setup)).statusCode).toBe('ok');
    }
    const refused = await refusal('billing', 'billing:setup', { company: 'Ada', plan: 'gold' });
    expect(refused).toMatch(/^validation-error: .*free, standard, premium/);
  });

  it.each(['', 'ada', 'ada@', '@example.com', 'ada@example', 'a b@example.com', 'ada@example..com'])(
    'user takes %j for no email',
    async (email) => {
      const refused = await refusal('user', 'user:create', { email, tenant_id: 't', account_id: 'a' });
      expect(refused).toMatch(/^validation-error: /);
    },
  );

  it('fulfilment sends nothing to nowhere', async () => {
    const order = { order_id: 'o', address: ' ', reservation_id: 'r', payment_id: 'p' };
    expect(await refusal('fulfilment', 'fulfilment:create', order)).toMatch(/^validation-error: /);
  });

  it('tenant keeps a sticky company for good', async () => {
    const { ask, records } = start('tenant');
    await ask({ topic: 'tenant:create', operation: 'op1', body: { company: 'sticky & sons' } });
    const undo = { topic: 'tenant:delete', operation: 'op1.undo', undoOf: 'op1', body: null };
    expect((await ask(undo)).statusCode).toBe('conflict');
    expect((await ask({ ...undo, operation: 'op1.undo.2' })).statusCode).toBe('conflict');
    expect(await records()).toHaveLength(1);
  });

  it('research goes from a question to a plan without any effect', async () => {
    const { ask, records } = start('research');
    const question = 'why?';
    const { findings } = bodyOf(await ask({ topic: 'research:mine', body: { question } })) as { findings: string[] };
    const audited = bodyOf(await ask({ topic: 'research:audit', body: { question, findings } }));
    expect([...(audited.accepted as string[]), ...(audited.rejected as string[])].sort()).toEqual(findings.toSorted());
    const body = { question, findings: audited.accepted as string[] };
    expect(bodyOf(await ask({ topic: 'research:plan', body }))).toEqual({
      plan: body.findings.map((finding, index) => `${index + 1}. follow up on ${finding}`),
    });
    expect(await records()).toEqual([]);
  });
});
