/**
 * Participants by every way in embedded mode: over a queue in the file, over real sockets, as events. The workflows do
 * not know, faults lie on each way, and a restart loses nothing.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseLocalSecrets, parseLocalWays } from '../../lib/contract/local-ways.ts';
import { localRoutes } from '../../lib/local/routes.ts';
import { EXAMPLE_SERVICES } from '../../lib/participants/index.ts';
import { host, memoryOperations, serveHttp } from '../../lib/worker/index.ts';
import { SIGNUP, start, temporaryDirectory, WAIT } from './rig.ts';

const world = (targets: readonly object[], secrets: Record<string, string> = {}) => ({
  ways: parseLocalWays(JSON.stringify({ targets })),
  secrets: parseLocalSecrets(JSON.stringify(secrets)),
});

/** An example service of its own process, as far as anybody can tell: real HTTP, its own memory. */
async function webService(name: string, token?: string) {
  const found = EXAMPLE_SERVICES.find((service) => service.name === name);
  if (found === undefined) throw new Error(`no service ${name}`);
  const store = memoryOperations();
  const serve = serveHttp(host(found, { store, now: () => Date.now() }));
  const server = createServer(async (request, response) => {
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const headers = new Headers(Object.entries(request.headers).map(([key, value]) => [key, String(value)]));
    const body = await new Response(Readable.toWeb(request) as ReadableStream).text();
    const url = `http://localhost${request.url}`;
    const answer = await serve(new Request(url, { method: request.method ?? 'POST', headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/benzene`, store };
}

const QUEUE = [{ by: 'queue', target: 'tenant' }];

describe('a participant behind a queue', () => {
  it('does its part, and its undo, while the caller waits', async () => {
    const { submit, get } = await start(await temporaryDirectory(), 0, world(QUEUE));
    expect((await submit('good', WAIT)).body.current_state).toBe('COMPLETED');
    expect((await submit('bad', WAIT, { ...SIGNUP, plan: 'gold' })).status).toBe(422);
    const { records, calls } = (await get('/local/participants/tenant')).body as { records: object[]; calls: object[] };
    expect(records).toHaveLength(1);
    expect(calls).toMatchObject([
      { topic: 'tenant:create', result: 'ok' },
      { topic: 'tenant:create', result: 'ok' },
      { topic: 'tenant:delete', result: 'ok' },
    ]);
  });

  it.each(['fail', 'fail_after_effect', 'drop_response', 'duplicate', 'delay'])(
    'with the fault %s on its way comes to the same',
    async (mode) => {
      const { submit, fault, get } = await start(await temporaryDirectory(), 0, world(QUEUE));
      await fault({ target: 'tenant:create', mode, ...(mode === 'delay' ? { delay_ms: 300 } : {}) });
      expect((await submit('k', WAIT)).body.current_state).toBe('COMPLETED');
      expect((await get('/local/participants/tenant')).body.records).toHaveLength(1);
      expect((await get('/local/faults')).body.items).toMatchObject([{ fired: 1 }]);
    },
  );

  it('works on after a restart on what was sent before it', async () => {
    const { submit, fault, post, until, get } = await start(await temporaryDirectory(), 0, world(QUEUE));
    await fault({ target: 'tenant:create', mode: 'delay', delay_ms: 2_000 });
    const { body } = await submit('k');
    await until('/local/faults', ({ items }) => (items as { fired: number }[])[0]?.fired === 1);
    await post('/local/restart');
    const job = await until(`/jobs/${body.job_id}`, ({ outcome }) => outcome !== null);
    expect(job.current_state).toBe('COMPLETED');
    expect((await get('/local/participants/tenant')).body.records).toHaveLength(1);
  });
});

describe('a participant over HTTP', () => {
  const by = (url: string, over: object = {}) => [
    { by: 'http', target: 'billing', url, topics: ['billing:setup', 'billing:teardown'], ...over },
  ];

  it('does its part over a real socket, with its secret', async () => {
    const billing = await webService('billing', 'hush');
    const told = world(by(billing.url, { headers: { authorization: 'Bearer secret:billing' } }), { billing: 'hush' });
    const { submit, get, lines } = await start(await temporaryDirectory(), 0, told);
    const done = await submit('k', WAIT);
    expect(done.body.current_state).toBe('COMPLETED');
    expect(await billing.store.operations()).toHaveLength(1);
    const refused = await submit('bad', WAIT, { ...SIGNUP, plan: 'gold' });
    expect(refused).toMatchObject({ status: 422, body: { code: 'CONTRACT_VALIDATION_ERROR' } });
    expect((await get('/local/participants/billing')).body.calls, 'nobody in the process was called').toEqual([]);
    expect(JSON.stringify([done.body, refused.body, lines])).not.toContain('hush');
  });

  it('is undone over HTTP', async () => {
    const billing = await webService('billing');
    const { submit } = await start(await temporaryDirectory(), 0, world(by(billing.url)));
    expect((await submit('k', WAIT, { ...SIGNUP, email: 'none' })).status).toBe(422);
    const operations = await billing.store.operations();
    expect(operations.map(({ operation }) => operation.effect)).not.toContain('applied');
    expect((await billing.store.calls()).map(({ topic }) => topic)).toEqual(['billing:setup', 'billing:teardown']);
  });

  it.each(['fail', 'fail_after_effect', 'drop_response', 'duplicate'])(
    'with the fault %s comes to the same',
    async (mode) => {
      const billing = await webService('billing');
      const { submit, fault } = await start(await temporaryDirectory(), 0, world(by(billing.url)));
      await fault({ target: 'billing:setup', mode });
      expect((await submit('k', WAIT)).body.current_state).toBe('COMPLETED');
      expect(await billing.store.operations()).toHaveLength(1);
    },
  );

  it('that is not there has done nothing, and the job is rolled back clean', async () => {
    const gone = by('http://127.0.0.1:1/benzene');
    const { submit, post, until } = await start(await temporaryDirectory(), 0, world(gone));
    const { body } = await submit('k');
    await until(`/jobs/${body.job_id}`, ({ retry_count }) => Number(retry_count) > 0);
    await post('/local/clock', { advance_ms: 600_000 });
    const job = await until(`/jobs/${body.job_id}`, ({ outcome }) => outcome !== null);
    expect(job).toMatchObject({ outcome: 'rolled_back', last_error_code: 'EXT_UNAVAILABLE', open_effects: [] });
  });
});

describe('an event', () => {
  it('goes to the bus under the id of its operation', async () => {
    const news = world([{ by: 'event', target: 'news', topics: ['research:mine'] }]);
    const { ask, until } = await start(await temporaryDirectory(), 0, news);
    const headers = { 'idempotency-key': 'k', ...WAIT };
    const { body } = await ask('POST', '/workflows/research/jobs', { question: 'why' }, headers);
    const isTold = ({ detail_type }: { detail_type?: string }) => detail_type === 'research:mine';
    const { items } = await until('/local/events', (shown) => (shown.items as object[]).some(isTold));
    expect((items as object[]).filter(isTold)).toMatchObject([
      { source: 'dacapo.step', detail: { event_id: `${body.job_id}.miner`, job_id: body.job_id } },
    ]);
  });

  it('cannot be what a step undoes with, or what it would undo', () => {
    const routes = (topic: string) => () => localRoutes(world([{ by: 'event', target: 'news', topics: [topic] }]).ways);
    expect(routes('tenant:delete')).toThrow(/leads to an event bus/);
    expect(routes('tenant:create')).toThrow(/no undo takes an event back/);
    expect(routes('payment:find')).toThrow(/leads to an event bus/);
  });
});

describe('ways that make no sense stop the start:', () => {
  it.each([
    ['a service that is not there', [{ by: 'queue', target: 'nobody' }], /there is no such service/],
    [
      'a host that is not allowed',
      [{ by: 'http', target: 'x', url: 'https://a.example.com/', topics: ['x:y'] }],
      /allowed_hosts/,
    ],
    [
      'an address that is not plain',
      [{ by: 'http', target: 'x', url: 'https://10.0.0.1/', topics: ['x:y'] }],
      /https:\/\/name/,
    ],
    ['a way that is none', [{ by: 'pigeon', target: 'tenant' }], /by/],
  ])('%s', (_what, targets, complaint) => {
    expect(() => localRoutes(world(targets).ways)).toThrow(complaint);
  });
});
