import { describe, expect, it } from 'vitest';
import { house, refusedWith, SIGNUP, WAIT } from './support.ts';

const submitter = (id: string) => ({ 'x-caller-id': id, 'x-caller-role': 'submitter' });
const NOBODY = `/jobs/j${'a'.repeat(26)}`;

describe('a job', () => {
  it('is shown with its history from the first entry', async () => {
    const { submit, ask } = house();
    const { body } = await submit(WAIT);
    const job = await ask(`/jobs/${body.job_id}`);
    const history = await ask(`/jobs/${body.job_id}/history`);
    expect([job.status, history.status]).toEqual([200, 200]);
    const states = (history.body.items as { seq: number; to_state: string }[]).map((entry) => entry.to_state);
    expect(states).toEqual(['PENDING', 'VALIDATING', 'PROCESSING', 'COMPLETED']);
    expect(job.body.state_history).toEqual(history.body.items);
  });

  it.each([[NOBODY], [`${NOBODY}/history`], ['/jobs/x'], ['/jobs/..%2f..'], ['/jobs/%00']])(
    'that does not exist is 404: %s',
    async (path) => {
      const told = await house().ask(path);
      expect([told.status, told.body.code]).toEqual([404, 'ORCH_UNKNOWN_JOB']);
    },
  );

  it('of another caller does not exist for a submitter, in the same words', async () => {
    const { submit, ask } = house();
    const { body } = await submit({ 'x-caller-id': 'ada' });
    const absent = await ask(NOBODY, { headers: submitter('bob') });
    for (const path of ['', '/history']) {
      expect(await ask(`/jobs/${body.job_id}${path}`, { headers: submitter('bob') })).toMatchObject({
        status: 404,
        body: absent.body,
      });
      expect((await ask(`/jobs/${body.job_id}${path}`, { headers: submitter('ada') })).status).toBe(200);
      expect((await ask(`/jobs/${body.job_id}${path}`, { headers: { 'x-caller-id': 'op' } })).status).toBe(200);
    }
    const cancel = { body: { reason: 'mine now' }, headers: submitter('bob') };
    expect((await ask(`/jobs/${body.job_id}/cancel`, cancel)).status).toBe(404);
  });
});

describe('the list of jobs', () => {
  const filled = async (count: number) => {
    const rig = house();
    for (let i = 0; i < count; i += 1) {
      await rig.submit({ 'idempotency-key': `k${i}`, 'x-correlation-id': `c${i % 2}` });
      await rig.ports.clock.advanceAsync(1_000);
    }
    return rig;
  };
  const keysOf = (body: Record<string, unknown>) =>
    (body.items as { idempotency_key: string }[]).map((job) => job.idempotency_key);

  it('holds no more documents than an answer can carry, the newest first; by id a job is shown whole', async () => {
    const { ask, ports } = house();
    const question = 'x'.repeat(1_000_000);
    for (let i = 0; i < 8; i += 1) {
      await ask('/workflows/research/jobs', { headers: { 'idempotency-key': `k${i}` }, body: { question } });
      await ports.clock.advanceAsync(1_000);
    }
    const { status, body } = await ask('/jobs?limit=100');
    expect([status, JSON.stringify(body).length < 6_000_000]).toEqual([200, true]);
    const items = body.items as { job_id: string; input?: unknown }[];
    expect(items.map((job) => 'input' in job)).toEqual([true, true, true, false, false, false, false, false]);
    expect((await ask(`/jobs/${items.at(-1)?.job_id}`)).body.input).toEqual({ question });
  });

  it('goes newest first, page by page, without gap or repeat', async () => {
    const { ask } = await filled(5);
    const seen: string[] = [];
    let cursor: unknown = '';
    while (cursor !== null) {
      const { body } = await ask(`/jobs?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...keysOf(body));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(['k4', 'k3', 'k2', 'k1', 'k0']);
  });

  it('filters by state, type, correlation and time', async () => {
    const { ask } = await filled(4);
    expect(keysOf((await ask('/jobs?correlation_id=c1')).body)).toEqual(['k3', 'k1']);
    expect(keysOf((await ask('/jobs?state=FAILED')).body)).toEqual([]);
    expect(keysOf((await ask('/jobs?workflow_type=order')).body)).toEqual([]);
    const { created_at } = ((await ask('/jobs')).body.items as { created_at: string }[])[1] ?? { created_at: '' };
    expect(keysOf((await ask(`/jobs?from=${created_at}`)).body)).toEqual(['k3', 'k2']);
    expect(keysOf((await ask(`/jobs?to=${created_at}`)).body)).toEqual(['k2', 'k1', 'k0']);
  });

  it('shows a submitter only its own', async () => {
    const { ask } = await filled(2);
    expect((await ask('/jobs', { headers: submitter('bob') })).body.items).toEqual([]);
  });

  it.each([
    ['limit=0', '?limit'],
    ['limit=101', '?limit'],
    ['limit=1.5', '?limit'],
    ['state=DONE', '?state'],
    ['state=', '?state'],
    ['from=yesterday', '?from'],
    ['from=2030-01-01', '?from'],
    ['from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z', '?from'],
    ['correlation_id=', '?correlation_id'],
    ['caller_id=me', '?caller_id'],
    ['state=FAILED&state=FAILED', '?state'],
    ['cursor=abc', '?cursor'],
    ['__proto__=1', '?__proto__'],
  ])('refuses %s and names it', async (query, path) => {
    const told = await house().ask(`/jobs?${query}`);
    expect([told.status, told.body.code]).toEqual([400, 'ORCH_MALFORMED_REQUEST']);
    expect(told.body.errors).toMatchObject([{ path }]);
  });

  it('takes a cursor only from the caller and the filters it was made for', async () => {
    const { ask } = await filled(3);
    const { next_cursor } = (await ask('/jobs?limit=1')).body;
    expect((await ask(`/jobs?limit=2&cursor=${next_cursor}`)).status).toBe(200);
    expect((await ask(`/jobs?limit=1&state=PENDING&cursor=${next_cursor}`)).status).toBe(400);
    expect((await ask(`/jobs?limit=1&cursor=${next_cursor}`, { headers: { 'x-caller-id': 'bob' } })).status).toBe(400);
    expect((await ask(`/dead-letters?limit=1&cursor=${next_cursor}`)).status).toBe(400);
  });
});

describe('cancel', () => {
  it('is 202 with the job as it is then', async () => {
    const { submit, ask, drives } = house();
    drives.hold = true;
    const { body } = await submit();
    const told = await ask(`/jobs/${body.job_id}/cancel`, {
      body: { reason: 'changed my mind', expected_revision: 0 },
    });
    expect([told.status, told.body.current_state]).toEqual([202, 'CANCELLED']);
    expect(told.headers.get('location')).toBe(`/jobs/${body.job_id}`);
  });

  it('of an ended job is 409, and with a stale revision too', async () => {
    const { submit, ask, drives } = house();
    const { body } = await submit(WAIT);
    expect(await ask(`/jobs/${body.job_id}/cancel`, { body: { reason: 'late' } })).toMatchObject({
      status: 409,
      body: { code: 'ORCH_INVALID_STATE_TRANSITION', job_id: body.job_id },
    });
    drives.hold = true;
    const running = await submit({ 'idempotency-key': 'other' });
    const stale = { reason: 'x', expected_revision: 7 };
    expect((await ask(`/jobs/${running.body.job_id}/cancel`, { body: stale })).status).toBe(409);
  });

  it('lets a submitter cancel its own', async () => {
    const { submit, ask, drives } = house();
    drives.hold = true;
    const { body } = await submit(submitter('ada'));
    expect(
      (await ask(`/jobs/${body.job_id}/cancel`, { body: { reason: 'x' }, headers: submitter('ada') })).status,
    ).toBe(202);
  });

  it('tells a waiting duplicate that the job was cancelled', async () => {
    const { submit, ask, drives } = house();
    drives.hold = true;
    const { body } = await submit({ 'idempotency-key': 'k' });
    await ask(`/jobs/${body.job_id}/cancel`, { body: { reason: 'x' } });
    expect(await submit({ 'idempotency-key': 'k', ...WAIT })).toMatchObject({
      status: 409,
      body: { code: 'ORCH_CANCELLED' },
    });
  });

  it.each([
    [{}, '/reason'],
    [{ reason: '  ' }, '/reason'],
    [{ reason: 'r'.repeat(501) }, '/reason'],
    [{ reason: 'x', expected_revision: '1' }, '/expected_revision'],
    [{ reason: 'x', expected_revision: -1 }, '/expected_revision'],
    [{ reason: 'x', force: true }, '/force'],
    [[], '/'],
  ])('refuses %j and names %s', async (body, path) => {
    const told = await house().ask(`${NOBODY}/cancel`, { body });
    expect([told.status, told.body.code]).toEqual([400, 'ORCH_MALFORMED_REQUEST']);
    expect(told.body.errors).toMatchObject([{ path }]);
  });
});

describe('dead letters', () => {
  const poisoned = () => house((call) => (call.topic === 'user:create' ? refusedWith('SOMETHING_ELSE') : undefined));

  it('are there by id as soon as the job says so, and in the list', async () => {
    const { submit, ask, ports } = poisoned();
    const { body } = await submit(WAIT);
    await ports.clock.settle();
    const one = await ask(`/dead-letters/d${body.job_id}`);
    expect(one.status).toBe(200);
    expect(one.body).toMatchObject({
      dead_letter_id: `d${body.job_id}`,
      job_id: body.job_id,
      reason: 'unrecoverable_error',
      status: 'open',
      payload: SIGNUP,
      replay_eligible: true,
      replayed_by: null,
      discarded_by: null,
    });
    expect(one.body.parked_at).toBe(one.body.quarantined_at);
    for (const query of ['', '?status=open', '?reason=unrecoverable_error&workflow_type=signup']) {
      expect((await ask(`/dead-letters${query}`)).body).toEqual({ items: [one.body], next_cursor: null });
    }
    expect((await ask('/dead-letters?status=discarded')).body.items).toEqual([]);
  });

  it('of others do not exist for a submitter', async () => {
    const { submit, ask, ports } = poisoned();
    const { body } = await submit(WAIT);
    await ports.clock.settle();
    expect((await ask(`/dead-letters/d${body.job_id}`, { headers: submitter('bob') })).status).toBe(404);
    expect((await ask('/dead-letters', { headers: submitter('bob') })).body.items).toEqual([]);
  });

  it('refuses reasons and states that are none', async () => {
    const { ask } = house();
    expect((await ask('/dead-letters?reason=bad_luck')).status).toBe(400);
    expect((await ask('/dead-letters?status=closed')).status).toBe(400);
    expect((await ask('/dead-letters/x')).body.code).toBe('ORCH_UNKNOWN_DEAD_LETTER');
  });
});

describe('definitions', () => {
  it('are listed and described with stages, steps, topics and undos', async () => {
    const { ask } = house();
    const types = ((await ask('/workflows')).body.items as { workflow_type: string }[]).map((one) => one.workflow_type);
    expect(types).toEqual(expect.arrayContaining(['signup', 'order', 'research']));
    const { body } = await ask('/workflows/signup');
    expect(body).toMatchObject({
      workflow_type: 'signup',
      workflow_version: 1,
      versions: [1],
      digest: expect.any(String),
      stages: [
        {
          stage: 1,
          steps: [
            {
              step: 'tenant',
              kind: 'compensatable',
              topic: 'tenant:create',
              compensation: { topics: ['tenant:delete'] },
            },
            { step: 'billing' },
          ],
        },
        { stage: 2, steps: [{ step: 'user' }] },
      ],
    });
    expect((await ask('/workflows/signup?version=1')).body).toEqual(body);
  });

  it('that are unknown are 404', async () => {
    const { ask } = house();
    expect((await ask('/workflows/nope')).body.code).toBe('ORCH_UNKNOWN_WORKFLOW');
    expect((await ask('/workflows/signup?version=9')).body.code).toBe('ORCH_UNKNOWN_WORKFLOW');
    expect((await ask('/workflows/__proto__')).body.code).toBe('ORCH_UNKNOWN_WORKFLOW');
  });
});

describe('addresses and methods', () => {
  it('answers an unknown address with 404', async () => {
    expect(await house().ask('/nothing/here')).toMatchObject({ status: 404, body: { code: 'ORCH_NOT_FOUND' } });
  });

  it('answers a wrong method with 405 and what is allowed, and OPTIONS with the same', async () => {
    const { ask } = house();
    const wrong = await ask('/jobs', { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow'), wrong.body.code]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      'ORCH_METHOD_NOT_ALLOWED',
    ]);
    const options = await ask('/workflows/signup/jobs', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  });

  it('answers HEAD as GET without a body, and never lets answers be cached or sniffed', async () => {
    const { ask } = house();
    const head = await ask('/jobs', { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, {}]);
    expect(head.headers.get('cache-control')).toBe('no-store');
    expect(head.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
