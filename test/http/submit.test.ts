import { describe, expect, it } from 'vitest';
import { house, refusedWith, SIGNUP, WAIT } from './support.ts';

const KEY = { 'idempotency-key': 'k-1' };

describe('a submit that nobody waits for', () => {
  it('is 202 with the stored job, its address and its trace', async () => {
    const { submit } = house();
    const told = await submit(KEY);
    expect(told.status).toBe(202);
    expect(told.body).toMatchObject({
      current_state: 'PENDING',
      idempotency_key: 'k-1',
      caller_id: 'local',
      source: 'api',
    });
    expect(told.headers.get('location')).toBe(`/jobs/${told.body.job_id}`);
    expect(told.headers.get('traceparent')).toBe((told.body.trace_context as { traceparent: string }).traceparent);
    expect(told.headers.get('preference-applied')).toBeNull();
    expect(told.headers.get('idempotency-replayed')).toBeNull();
  });

  it('stays 202 when the first hint fails: the job is stored', async () => {
    const { submit, drives, ask } = house();
    drives.fail = true;
    const told = await submit(KEY);
    expect(told.status).toBe(202);
    expect((await ask(`/jobs/${told.body.job_id}`)).body.current_state).toBe('PENDING');
  });

  it('carries correlation id and trace of its caller', async () => {
    const { submit } = house();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const told = await submit({ ...KEY, 'x-correlation-id': 'c-1', traceparent, tracestate: 'a=1' });
    expect(told.body).toMatchObject({ correlation_id: 'c-1', trace_context: { traceparent, tracestate: 'a=1' } });
  });

  it('starts a new trace when the one it was given cannot be read', async () => {
    const { submit } = house();
    const told = await submit({ ...KEY, traceparent: '00-xyz', tracestate: 'a=1' });
    expect(told.status).toBe(202);
    expect(told.body.trace_context).toEqual({ traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-/) });
  });
});

describe('a submit that waits', () => {
  it('is 201 with the result', async () => {
    const { submit, drives } = house();
    const told = await submit({ ...KEY, ...WAIT });
    expect(told.status).toBe(201);
    expect(told.body).toMatchObject({
      current_state: 'COMPLETED',
      output: { tenant_id: 't1', account_id: 'a1', user_id: 'u1' },
    });
    expect(told.headers.get('preference-applied')).toBe('wait=10');
    expect(drives.started).toEqual([{ jobId: told.body.job_id, waited: true }]);
  });

  it('is 202 when the time is up first', async () => {
    const { submit, drives, ports } = house();
    drives.hold = true;
    const asked = submit({ ...KEY, prefer: 'wait=2' });
    await ports.clock.advanceAsync(2_000);
    const told = await asked;
    expect([told.status, told.body.current_state]).toEqual([202, 'PENDING']);
    expect(told.headers.get('preference-applied')).toBe('wait=2');
  });

  it.each([
    ['CONTRACT_VALIDATION_ERROR', 422],
    ['CONTRACT_CONFLICT', 409],
    ['CONTRACT_NOT_FOUND', 404],
    ['DQ_MISSING_NAME', 422],
    ['LEGAL_EMBARGO', 422],
    ['SOMETHING_ELSE', 500],
  ])('answers a rollback because of %s with %i, after the rollback', async (code, status) => {
    const { submit } = house((call) => (call.topic === 'user:create' ? refusedWith(code, 'not this one') : undefined));
    const told = await submit({ ...KEY, ...WAIT });
    expect([told.status, told.body.status, told.body.code]).toEqual([status, status, code]);
    expect(told.headers.get('content-type')).toContain('application/problem+json');
    expect(told.body.detail).toContain('not this one');
    expect(told.body).toMatchObject({
      job_id: expect.stringMatching(/^j/),
      title: expect.any(String),
      type: expect.stringContaining(code),
    });
    expect(told.body.open_effects).toBeUndefined();
  });

  it('answers 500 with the open effects when an undo was refused for good', async () => {
    const { submit } = house((call) => {
      if (call.topic === 'user:create') return refusedWith('CONTRACT_VALIDATION_ERROR');
      return call.topic === 'tenant:delete' ? refusedWith('CONTRACT_CONFLICT') : undefined;
    });
    const told = await submit({ ...KEY, ...WAIT });
    expect([told.status, told.body.code]).toEqual([500, 'ORCH_COMPENSATION_FAILED']);
    expect(told.body.open_effects).toMatchObject([{ step: 'tenant', state: 'undo_failed' }]);
    expect(told.body.job_id).toEqual(expect.any(String));
  });
});

describe('the same key again', () => {
  it('answers a running job as the first did, 202', async () => {
    const { submit, drives } = house();
    drives.hold = true;
    const first = await submit(KEY);
    const again = await submit(KEY);
    expect([again.status, again.body.job_id]).toEqual([202, first.body.job_id]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('answers an ended job with 200, and one who waits with 201', async () => {
    const { submit } = house();
    await submit({ ...KEY, ...WAIT });
    expect((await submit(KEY)).status).toBe(200);
    const waited = await submit({ ...KEY, ...WAIT });
    expect([waited.status, waited.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  });

  it('answers a failed job with 200, and one who waits with its problem', async () => {
    const { submit } = house((call) => (call.topic === 'user:create' ? refusedWith('DQ_BAD') : undefined));
    const first = await submit({ ...KEY, ...WAIT });
    expect(await submit(KEY)).toMatchObject({
      status: 200,
      body: { current_state: 'FAILED', last_error_code: 'DQ_BAD' },
    });
    expect(await submit({ ...KEY, ...WAIT })).toMatchObject({ status: 422, body: first.body });
  });

  it('answers one that needs review with 202, and one who waits with its 500 at once', async () => {
    const { submit } = house((call) =>
      call.topic === 'tenant:delete' || call.topic === 'user:create' ? refusedWith('CONTRACT_CONFLICT') : undefined,
    );
    await submit({ ...KEY, ...WAIT });
    expect((await submit(KEY)).body.current_state).toBe('NEEDS_REVIEW');
    expect((await submit({ ...KEY, ...WAIT })).status).toBe(500);
  });

  it('with another payload is 409 that names the paths and no values, valid or not', async () => {
    const { submit } = house();
    await submit(KEY);
    for (const other of [
      { ...SIGNUP, company: 'Other' },
      { ...SIGNUP, company: 7 },
    ]) {
      const told = await submit(KEY, other);
      expect([told.status, told.body.code]).toEqual([409, 'ORCH_DUPLICATE_IDEMPOTENCY_KEY']);
      expect(told.body.errors).toEqual([{ path: '/company', message: expect.any(String) }]);
      expect(JSON.stringify(told.body)).not.toContain('Acme');
    }
  });

  it('of another caller is another job', async () => {
    const { submit } = house();
    const mine = await submit(KEY);
    const theirs = await submit({ ...KEY, 'x-caller-id': 'other' });
    expect(theirs.body.job_id).not.toBe(mine.body.job_id);
  });

  it('starts a job again that nothing has touched yet', async () => {
    const { submit, drives } = house();
    drives.fail = true;
    await submit(KEY);
    drives.fail = false;
    expect((await submit({ ...KEY, ...WAIT })).status).toBe(201);
  });
});

it('without a key, the same intent within five minutes is one job', async () => {
  const { submit, ports } = house();
  const first = await submit();
  await ports.clock.settle();
  const again = await submit();
  expect([again.status, again.body.job_id]).toEqual([200, first.body.job_id]);
  await ports.clock.advanceAsync(5 * 60_000 + 1);
  expect((await submit()).body.job_id).not.toBe(first.body.job_id);
});

describe('what is refused', () => {
  it('invalid input makes no job and uses no key', async () => {
    const { submit, ask } = house();
    const told = await submit(KEY, { ...SIGNUP, company: '' });
    expect([told.status, told.body.code]).toEqual([422, 'CONTRACT_INPUT_INVALID']);
    expect(told.body.errors).toMatchObject([{ path: '/company' }]);
    expect((await ask('/jobs')).body.items).toEqual([]);
    expect((await submit(KEY)).status).toBe(202);
  });

  it.each([
    [
      'names',
      '/workflows/signup/jobs',
      422,
      Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`n${i}`, 0])),
    ],
    ['one long name', '/workflows/signup/jobs', 422, { ['n'.repeat(500_000)]: 0 }],
    ['items', '/workflows/signup/jobs:batch', 400, Array.from({ length: 50_000 }, () => 0)],
  ])('with %s without number is told so in few words', async (_what, path, status, body) => {
    const told = await house().ask(path, { body });
    expect([told.status, JSON.stringify(told.body).length < 30_000]).toEqual([status, true]);
  });

  it.each([
    ['?version=1', 202, undefined],
    ['?version=9', 404, 'ORCH_UNKNOWN_WORKFLOW'],
    ['?version=one', 400, 'ORCH_MALFORMED_REQUEST'],
    ['?version=0', 400, 'ORCH_MALFORMED_REQUEST'],
    ['?versoin=1', 400, 'ORCH_MALFORMED_REQUEST'],
    ['?version=1&version=1', 400, 'ORCH_MALFORMED_REQUEST'],
  ])('%s is %i', async (query, status, code) => {
    const told = await house().submit(KEY, SIGNUP, query);
    expect([told.status, told.body.code]).toEqual([status, code]);
  });

  it.each([
    ['not JSON', '{"company":'],
    ['nothing', ''],
    ['a member that changes prototypes', '{"__proto__": {"polluted": 1}}'],
    ['a number that would be rounded', '{"company": 12345678901234567890}'],
    ['a number that is none', '{"company": 1e999}'],
    ['a document too deep', '['.repeat(10_000) + ']'.repeat(10_000)],
  ])('%s is 400', async (_what, raw) => {
    const told = await house().ask('/workflows/signup/jobs', { raw, method: 'POST', headers: KEY });
    expect([told.status, told.body.code]).toEqual([400, 'ORCH_MALFORMED_REQUEST']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it.each([
    ['idempotency-key', ''],
    ['idempotency-key', 'a b'],
    ['idempotency-key', 'é'],
    ['idempotency-key', 'k'.repeat(201)],
    ['x-correlation-id', 'c'.repeat(201)],
    ['x-caller-id', 'c'.repeat(201)],
    ['x-caller-role', 'admin'],
  ])('header %s: %j is 400 and named', async (name, value) => {
    const told = await house().submit({ [name]: value });
    expect([told.status, told.body.code]).toEqual([400, 'ORCH_MALFORMED_REQUEST']);
    expect(told.body.detail).toContain(name);
  });

  it('a body over the limit is 413, announced or not', async () => {
    const { ask } = house();
    const announced = await ask('/workflows/signup/jobs', {
      raw: '"',
      method: 'POST',
      headers: { 'content-length': '5242881' },
    });
    const chunk = new Uint8Array(1024 * 1024).fill(32);
    let sent = 0;
    const stream = new ReadableStream({
      pull(controller) {
        sent += 1;
        if (sent > 6) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const streamed = await ask('/workflows/signup/jobs', { raw: stream, method: 'POST' });
    expect([announced.status, streamed.status]).toEqual([413, 413]);
    expect(streamed.body.code).toBe('ORCH_PAYLOAD_TOO_LARGE');
  });

  it('an error inside is 500 and says nothing of the inside', async () => {
    const { ask, engine, ports } = house();
    engine.ports.jobs.read = () => Promise.reject(new Error('secret table'));
    const told = await ask(`/jobs/j${'a'.repeat(26)}`);
    expect([told.status, told.body.code]).toEqual([500, 'ORCH_INTERNAL_ERROR']);
    expect(JSON.stringify(told.body)).not.toContain('secret');
    expect(ports.log.lines).toMatchObject([{ level: 'error', event: 'request_failed' }]);
  });
});
