/** Many submits in one request: each is a submit of its own, with its own key, answer and refusal. */
import { describe, expect, it } from 'vitest';
import { house, refusedWith, SIGNUP } from './support.ts';

type Item = { status: number; job?: Record<string, unknown>; problem?: Record<string, unknown> };
const itemOf = (key: string, input: unknown = SIGNUP, more: object = {}) => ({ input, idempotency_key: key, ...more });
const PATH = '/workflows/signup/jobs:batch';

function rig() {
  const there = house();
  const send = async (body: unknown, headers: Record<string, string> = {}) => {
    const told = await there.ask(PATH, { body, headers });
    return { ...told, items: (told.body.items ?? []) as Item[] };
  };
  return { ...there, send };
}

describe('a batch', () => {
  it('answers each item in its place as a submit of its own would be answered', async () => {
    const { send, submit, ask, ports } = rig();
    await submit({ 'idempotency-key': 'used' }, { ...SIGNUP, company: 'Other' });
    const { status, items } = await send([
      itemOf('a'),
      itemOf('b', { company: '' }),
      itemOf('used'),
      itemOf('c', SIGNUP, { correlation_id: 'corr-c' }),
    ]);
    expect([status, items.map((item) => item.status)]).toEqual([200, [202, 422, 409, 202]]);
    expect(items[1]?.problem).toMatchObject({ code: 'CONTRACT_INPUT_INVALID', errors: [{ path: '/company' }, {}, {}] });
    expect(items[2]?.problem).toMatchObject({
      code: 'ORCH_DUPLICATE_IDEMPOTENCY_KEY',
      errors: [{ path: '/company' }],
    });
    expect(items[3]?.job).toMatchObject({ correlation_id: 'corr-c', source: 'batch', idempotency_key: 'c' });
    await ports.clock.settle();
    expect((await ask(`/jobs/${items[0]?.job?.job_id}`)).body.current_state).toBe('COMPLETED');
    // The refused item has used no key.
    expect((await send([itemOf('b')])).items.map((item) => item.status)).toEqual([202]);
  });

  it('sent again is the same jobs, as they are now', async () => {
    const { send, ports, drives } = rig();
    const first = await send([itemOf('a'), itemOf('b')]);
    await ports.clock.settle();
    const again = await send([itemOf('b'), itemOf('a')]);
    expect(again.items.map(({ job }) => job?.job_id)).toEqual(first.items.map(({ job }) => job?.job_id).reverse());
    expect(again.items.map((item) => [item.status, item.job?.current_state])).toEqual(
      Array(2).fill([200, 'COMPLETED']),
    );
    expect(drives.started).toHaveLength(2);
  });

  it('that names a key twice makes one job, and of another payload a conflict', async () => {
    const { send, ports } = rig();
    const { items } = await send([itemOf('a'), itemOf('a'), itemOf('a', { ...SIGNUP, plan: 'premium' })]);
    expect(items.map((item) => item.status)).toEqual([202, 202, 409]);
    expect(items[1]?.job?.job_id).toBe(items[0]?.job?.job_id);
    const all = { callerId: null, state: null, workflowType: null, correlationId: null, from: null, to: null };
    expect((await ports.jobs.list({ ...all, limit: 100, after: null })).items).toHaveLength(1);
  });

  it('shares its keys with single submits, not with other callers', async () => {
    const { send, submit } = rig();
    const single = await submit({ 'idempotency-key': 'a' });
    expect((await send([itemOf('a')])).items[0]?.job?.job_id).toBe(single.body.job_id);
    expect((await send([itemOf('a')], { 'x-caller-id': 'other' })).items[0]?.job?.job_id).not.toBe(single.body.job_id);
  });

  it('takes a hundred items, and refuses one more with nothing done', async () => {
    const { send, ports } = rig();
    const many = Array.from({ length: 101 }, (_, index) => itemOf(`k${index}`));
    expect((await send(many)).body.code).toBe('ORCH_MALFORMED_REQUEST');
    const all = { callerId: null, state: null, workflowType: null, correlationId: null, from: null, to: null };
    expect((await ports.jobs.list({ ...all, limit: 100, after: null })).items).toEqual([]);
    const { items } = await send(many.slice(1));
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(items.map(({ job }) => job?.job_id)).size).toBe(100);
  });

  it.each([
    ['no list', { items: [] }, '/'],
    ['nothing', [], '/'],
    ['an item without a key', [{ input: SIGNUP }], '/0/idempotency_key'],
    ['an item without an input', [{ idempotency_key: 'a' }], '/0/input'],
    ['a key that is no text', [itemOf('a'), { ...itemOf('b'), idempotency_key: 7 }], '/1/idempotency_key'],
    ['a key with a blank', [itemOf('a b')], '/0/idempotency_key'],
    ['an empty key', [itemOf('')], '/0/idempotency_key'],
    ['a key that is too long', [itemOf('k'.repeat(201))], '/0/idempotency_key'],
    ['a field that nobody knows', [itemOf('a', SIGNUP, { version: 1 })], '/0/version'],
  ])('of %s is refused whole, and says where', async (_what, body, path) => {
    const told = await rig().send(body);
    expect([told.status, told.body.code]).toEqual([400, 'ORCH_MALFORMED_REQUEST']);
    expect(told.body.errors).toEqual([{ path, message: expect.any(String) }]);
  });

  it('of a workflow nobody knows says so at each item', async () => {
    const { ask } = rig();
    const { body } = await ask('/workflows/nothing/jobs:batch', { body: [itemOf('a')] });
    expect((body.items as Item[])[0]).toMatchObject({ status: 404, problem: { code: 'ORCH_UNKNOWN_WORKFLOW' } });
  });

  it('tells no caller of a refused one’s job but its own', async () => {
    const there = house((call) => (call.topic === 'user:create' ? refusedWith('DQ_EMAIL') : undefined));
    const send = async () => (await there.ask(PATH, { body: [itemOf('a')] })).body.items as Item[];
    await send();
    await there.ports.clock.settle();
    expect(await send()).toMatchObject([
      { status: 200, job: { current_state: 'FAILED', last_error_code: 'DQ_EMAIL' } },
    ]);
  });
});

/** Keys that would break out of whatever they were pasted into, or be taken for something else. */
const HOSTILE = [
  `k${'y'.repeat(199)}`,
  '"quoted"',
  "'; DROP TABLE jobs; --",
  '__proto__',
  'constructor',
  'toString',
  'a.r1',
  'j'.repeat(27),
  'auto:x:1',
  'replay:djx',
  '{"$ne":null}',
  '../../etc/passwd',
  '%00',
  '\\u0000',
  '#undo.2',
].filter((key) => /^[\x21-\x7e]+$/.test(key));

describe.each(HOSTILE)('the key %j', (key) => {
  it('is a key as any other, for each caller its own', async () => {
    const { send, ask, ports } = rig();
    const [first] = (await send([itemOf(key)])).items;
    await ports.clock.settle();
    const again = await ask('/workflows/signup/jobs', { body: SIGNUP, headers: { 'idempotency-key': key } });
    expect([again.status, again.body.job_id, again.body.idempotency_key]).toEqual([200, first?.job?.job_id, key]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(String(again.body.job_id)).toMatch(/^j[a-z2-7]{26}$/);
    const other = await ask('/workflows/signup/jobs', {
      body: SIGNUP,
      headers: { 'idempotency-key': key, 'x-caller-id': `${key.slice(0, 20)}` },
    });
    expect(other.body.job_id).not.toBe(again.body.job_id);
    expect((await ask(`/jobs/${again.body.job_id}/history`)).status).toBe(200);
  });
});

it.each(['schlüssel', '🔑', 'a b', 'a\tb', 'k'.repeat(201), ''])('the key %j is refused in a batch', async (key) => {
  expect((await rig().send([itemOf(key)])).status).toBe(400);
});
