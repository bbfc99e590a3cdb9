import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { SIGNUP, start, temporaryDirectory, WAIT } from './rig.ts';

const isOver = (body: Record<string, unknown>) => body.outcome !== null;

/** A request as no well-behaved client makes it. */
function strange(port: number, headers: Record<string, string>, path = '/jobs'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('a running process', () => {
  it('runs a signup while its caller waits, and shows what came of it', async () => {
    const { submit, get, until, lines } = await start(await temporaryDirectory());
    const { status, body } = await submit('k', WAIT);
    expect([status, body.current_state]).toEqual([201, 'COMPLETED']);
    const ledger = (await get('/local/participants/tenant')).body;
    expect(ledger.records).toMatchObject([{ company: 'Acme', operation_id: `${body.job_id}.tenant` }]);
    expect(ledger.calls).toMatchObject([{ topic: 'tenant:create', attempt: 1 }]);
    const events = await until('/local/events', ({ items }) => (items as unknown[]).length > 0);
    expect(events.items).toMatchObject([
      { source: 'dacapo', detail_type: 'signup:completed', detail: { job_id: body.job_id } },
    ]);
    expect(lines).toEqual([]);
  });

  it('rolls a refused one back and tells its caller why', async () => {
    const { submit, get } = await start(await temporaryDirectory());
    const told = await submit('k', WAIT, { ...SIGNUP, plan: 'gold' });
    expect(told.status).toBe(422);
    expect((await get('/local/participants/tenant')).body.records).toEqual([]);
  });

  it('answers only on the loopback interface, and only to requests that mean it', async () => {
    const { port } = await start(await temporaryDirectory());
    expect(await strange(port, { host: 'evil.example' })).toBe(403);
    expect(await strange(port, { host: `evil.example:${port}` })).toBe(403);
    expect(await strange(port, { host: '127.0.0.1.evil.example' })).toBe(403);
    expect(await strange(port, { origin: 'https://evil.example' })).toBe(403);
    expect(await strange(port, { origin: 'null' })).toBe(403);
    expect(await strange(port, { host: `localhost:${port}` })).toBe(200);
    expect(await strange(port, { host: '[::1]' })).toBe(200);
    expect(await strange(port, { origin: `http://localhost:${port}` })).toBe(200);
    expect(await strange(port, {}, '/local/faults?x=1')).toBe(400);
    expect(await strange(port, {}, '/local/nothing')).toBe(404);
    expect(await strange(port, {}, 'http://evil.example/jobs')).toBe(403);
  });
});

describe('the clock', () => {
  it('an advance runs what becomes due, and outlives a restart', async () => {
    const { submit, fault, post, until, get } = await start(await temporaryDirectory());
    await fault({ target: 'user:create', mode: 'fail', times: 2 });
    const { body } = await submit('k');
    await until(`/jobs/${body.job_id}`, ({ error_log }) => (error_log as unknown[]).length > 0);
    const before = Date.now();
    expect((await post('/local/clock', { advance_ms: 60_000 })).status).toBe(200);
    await post('/local/clock', { advance_ms: 60_000 });
    expect((await until(`/jobs/${body.job_id}`, isOver)).current_state).toBe('COMPLETED');
    await post('/local/restart');
    const { created_at } = (await submit('later')).body;
    expect(Date.parse(String(created_at)) - before).toBeGreaterThanOrEqual(120_000);
    expect((await get('/local/faults')).body.items).toMatchObject([{ target: 'user:create', fired: 2 }]);
  });

  it.each([[{}], [{ advance_ms: -1 }], [{ advance_ms: 1.5 }], [{ advance_ms: 1, back: true }]])(
    'refuses %j',
    async (body) => {
      const { post } = await start(await temporaryDirectory());
      expect(await post('/local/clock', body)).toMatchObject({ status: 400, body: { code: 'ORCH_MALFORMED_REQUEST' } });
    },
  );
});

describe('a restart', () => {
  it('breaks every waiting connection, and what was accepted goes on', async () => {
    const { submit, fault, post, until, get } = await start(await temporaryDirectory());
    await fault({ target: 'billing:setup', mode: 'hang' });
    const waiting = submit('k', WAIT).then(
      ({ status }) => status,
      () => 'broken',
    );
    const { items } = await until(
      '/jobs',
      ({ items }) => (items as { current_state: string }[])[0]?.current_state === 'PROCESSING',
    );
    const [{ job_id }] = items as [{ job_id: string }];
    await until('/local/participants/billing', ({ records }) => (records as unknown[]).length === 1);
    expect((await post('/local/restart')).status).toBe(202);
    expect(await waiting).toBe('broken');
    expect((await until(`/jobs/${job_id}`, isOver)).current_state).toBe('COMPLETED');
    const ledger = (await get('/local/participants/billing')).body;
    expect(ledger.records).toHaveLength(1);
    expect(new Set((ledger.calls as { operation_id: string }[]).map((call) => call.operation_id)).size).toBe(1);
  });

  it('is waited for by requests that come meanwhile', async () => {
    const { submit, post, get } = await start(await temporaryDirectory());
    const { body } = await submit('k', WAIT);
    const [restarted, ...others] = await Promise.all([
      post('/local/restart'),
      ...Array.from({ length: 5 }, () => get(`/jobs/${body.job_id}`).catch(() => null)),
    ]);
    expect(restarted?.status).toBe(202);
    expect(others.filter((told) => told !== null).every((told) => told.status === 200)).toBe(true);
    expect((await get(`/jobs/${body.job_id}`)).status).toBe(200);
  });

  it('starts a job at once whose first run had died', async () => {
    const { submit, fault, post, until } = await start(await temporaryDirectory());
    await fault({ target: 'dispatch', mode: 'crash', at_call: 2 });
    const { body } = await submit('k');
    await until('/local/faults', ({ items }) => (items as { fired: number }[])[0]?.fired === 1);
    await post('/local/restart');
    const job = await until(`/jobs/${body.job_id}`, isOver);
    expect(job.current_state).toBe('COMPLETED');
    // Five seconds is when the watchdog would have found it.
    expect(Date.parse(String(job.updated_at)) - Date.parse(String(job.created_at))).toBeLessThan(5_000);
  });

  it('takes no body', async () => {
    const { post } = await start(await temporaryDirectory());
    expect((await post('/local/restart', { hard: true })).status).toBe(400);
    expect((await post('/local/restart?hard=1')).status).toBe(400);
  });
});

describe('a crash', () => {
  it('of submit breaks the connection; the key then finds the job or makes it', async () => {
    const { submit, fault, get } = await start(await temporaryDirectory());
    for (const at_call of [1, 2]) {
      await fault({ target: 'submit', mode: 'crash', at_call });
      await expect(submit(`k${at_call}`)).rejects.toThrow();
      expect((await get('/jobs')).body.items).toHaveLength(at_call - 1 + (at_call - 1));
      expect((await submit(`k${at_call}`, WAIT)).status).toBe(201);
    }
  });

  it('leaves other requests alone while it is armed', async () => {
    const { submit, fault, get } = await start(await temporaryDirectory());
    await fault({ target: 'submit', mode: 'crash', at_call: 40 });
    expect((await submit('k', WAIT)).status).toBe(201);
    expect((await get('/local/faults')).body.items).toMatchObject([{ fired: 0 }]);
  });
});

describe('faults', () => {
  it('are listed, and cleared', async () => {
    const { ask, fault, get } = await start(await temporaryDirectory());
    await fault({ target: 'tenant:create', mode: 'delay', delay_ms: 5 });
    expect((await get('/local/faults')).body.items).toMatchObject([
      { target: 'tenant:create', mode: 'delay', delay_ms: 5, times: 1, fired: 0 },
    ]);
    expect((await ask('DELETE', '/local/faults')).status).toBe(200);
    expect((await get('/local/faults')).body.items).toEqual([]);
  });

  it('at a topic that nobody serves are refused: they would never fire', async () => {
    const { post } = await start(await temporaryDirectory());
    const told = await post('/local/faults', { target: 'tenant:craete', mode: 'fail' });
    expect([told.status, told.body.errors]).toEqual([400, [{ path: '/target', message: expect.any(String) }]]);
    expect((await post('/local/faults', { target: 'dispatch', mode: 'fail' })).status).toBe(400);
  });
});

describe('a directory and a port', () => {
  it('are held by one process at a time, and the second is told what to do', async () => {
    const directory = await temporaryDirectory();
    const first = await start(directory);
    await expect(start(directory)).rejects.toThrow(/another process holds the file.*another data directory/s);
    const other = await temporaryDirectory();
    await expect(start(other, first.port)).rejects.toThrow(/port \d+ is in use.*PORT/s);
    // What failed to start holds nothing.
    await start(other);
    await first.close();
    await start(directory);
  });
});
