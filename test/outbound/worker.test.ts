/**
 * Calls over real sockets: what is sent, what each end of a call means for its effect, and that nothing is taken in
 * without a bound.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer as createRawServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf } from '../../lib/contract/envelope.ts';
import { STATUSES } from '../../lib/contract/status.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { json, type TestServer, testServer } from './server.ts';
import { calling, countingDial, HOST, targetsOf } from './support.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

const over = () => ({ dial: countingDial(server.port).dial });
const toHost = (target: Parameters<typeof targetsOf>[1] = {}) => targetsOf(`https://${HOST}/benzene`, target);

describe('a call', () => {
  it('carries the envelope as a POST: body, headers, topic', async () => {
    server.respond((_request, response) => json(response, 200, { id: 7 }));
    const headers = { 'x-attempt': '2', traceparent: '00-1-2-01', 'x-callback-token': 'token' };
    const response = await calling(toHost(), over())('{"company":"é"}', headers);
    expect(response).toMatchObject({ statusCode: 'ok', isSuccessful: true, body: '{"id":7}' });
    expect(server.seen).toMatchObject([{ method: 'POST', path: '/benzene', body: '{"company":"é"}' }]);
    expect(server.seen[0]?.headers).toMatchObject({
      ...headers,
      host: HOST,
      'x-topic': 'crm:create',
      'x-operation-id': 'op',
      'content-type': 'application/json',
      'content-length': '16',
      'accept-encoding': 'identity',
    });
  });

  it('goes to the address of its topic, under the name that an API wants for its id', async () => {
    server.respond((_request, response) => json(response, 201, { id: 7 }));
    const call = { method: 'PUT', path: '/v1/contacts?x=1' } as const;
    const target = { calls: { 'crm:create': call }, idempotency_header: 'idempotency-key' };
    expect(await calling(toHost(target), over())()).toMatchObject({ statusCode: 'created' });
    expect(server.seen).toMatchObject([{ method: 'PUT', path: '/v1/contacts?x=1' }]);
    expect(server.seen[0]?.headers['idempotency-key']).toBe('op');
  });

  it('takes no way around by the environment', async () => {
    server.respond((_request, response) => json(response, 200, {}));
    const before = { ...process.env };
    try {
      for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])
        process.env[name] = 'http://127.0.0.1:9';
      process.env.NODE_USE_ENV_PROXY = '1';
      expect(await calling(toHost(), over())()).toMatchObject({ statusCode: 'ok' });
    } finally {
      process.env = before;
    }
  });

  it('goes to this machine only where configuration has named it, over a real socket', async () => {
    server.respond((_request, response) => json(response, 200, { id: 1 }));
    const targets = targetsOf(`http://127.0.0.1:${server.port}/benzene`, {}, []);
    expect(await calling(targets)()).toMatchObject({ statusCode: 'ok', body: '{"id":1}' });
  });
});

describe('an answer', () => {
  const rows: readonly (readonly [http: number, status: keyof typeof STATUSES])[] = [
    [200, 'ok'],
    [201, 'created'],
    [202, 'accepted'],
    [204, 'deleted'],
    [400, 'bad-request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [408, 'timeout'],
    [409, 'conflict'],
    [418, 'unexpected-error'],
    [422, 'validation-error'],
    [429, 'too-many-requests'],
    [500, 'unexpected-error'],
    [501, 'not-implemented'],
    [502, 'service-unavailable'],
    [503, 'service-unavailable'],
    [504, 'timeout'],
  ];
  it.each(rows)('of %i is taken as %s', async (http, status) => {
    server.respond((_request, response) => json(response, http, http === 204 ? undefined : { code: 'X_CODE' }));
    const response = await calling(toHost(), over())();
    expect(response.statusCode).toBe(status);
    const { class: meaning } = STATUSES[status];
    const answer = answerOf(response);
    if (meaning === 'success' || meaning === 'accepted') expect(answer.kind).toBe(meaning);
    else expect(answer).toMatchObject({ code: 'X_CODE', mayHaveApplied: meaning === 'may_have_applied' });
  });

  it('may say when to come again, in seconds or by a date', async () => {
    server.respond((_request, response) => json(response, 429, {}, { 'retry-after': '7' }));
    expect(answerOf(await calling(toHost(), over())())).toMatchObject({ code: 'EXT_THROTTLED', retryAfterMs: 7_000 });
    const dates = { date: 'Thu, 01 Jan 2026 10:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 10:01:30 GMT' };
    server.respond((_request, response) => json(response, 503, {}, dates));
    expect(answerOf(await calling(toHost(), over())())).toMatchObject({ retryAfterMs: 90_000 });
    server.respond((_request, response) => json(response, 503, {}, { 'retry-after': 'soon' }));
    expect(answerOf(await calling(toHost(), over())())).toMatchObject({ retryAfterMs: 0 });
  });

  it('says by code and applied what became of this attempt', async () => {
    server.respond((_request, response) => json(response, 503, { code: 'EXT_DOWN', applied: false, detail: 'no' }));
    const answer = answerOf(await calling(toHost(), over())());
    expect(answer).toMatchObject({ code: 'EXT_DOWN', mayHaveApplied: false, message: 'no' });
  });

  it.each([
    ['a page of somebody in between', { 'content-type': 'text/html' }, '<html>'],
    ['no type', { 'content-type': '' }, '{}'],
    ['broken JSON', { 'content-type': 'application/json' }, '{"a":'],
    ['something packed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, '{}'],
  ])('of 200 that is %s may have applied', async (_what, headers, body) => {
    server.respond((_request, response) => void response.writeHead(200, headers).end(body));
    expect(answerOf(await calling(toHost(), over())())).toMatchObject({ kind: 'failure', mayHaveApplied: true });
  });

  it('of an error counts by its status, whatever page comes with it', async () => {
    server.respond((_request, response) => void response.writeHead(422, { 'content-type': 'text/html' }).end('<p>'));
    const answer = answerOf(await calling(toHost(), over())());
    expect(answer).toMatchObject({ code: 'CONTRACT_VALIDATION_ERROR', mayHaveApplied: false });
  });
});

describe('of a call that has not been sent, it is known that nothing applied:', () => {
  const notApplied = { kind: 'failure', mayHaveApplied: false };

  it('a host that does not resolve', async () => {
    const resolve = () => Promise.reject(new Error('ENOTFOUND'));
    const answer = answerOf(await calling(toHost(), { ...over(), resolve })());
    expect(answer).toMatchObject({ ...notApplied, code: 'EXT_UNAVAILABLE' });
  });

  it('a resolver that does not answer', async () => {
    const resolve = () => new Promise<string[]>(() => {});
    expect(answerOf(await calling(toHost(), { ...over(), resolve }, 300)())).toMatchObject(notApplied);
  });

  it('a connection that is refused', async () => {
    const raw = createRawServer().listen(0, '127.0.0.1');
    await once(raw, 'listening');
    const { port } = raw.address() as AddressInfo;
    raw.close();
    await once(raw, 'close');
    const answer = answerOf(await calling(toHost(), { dial: countingDial(port).dial })());
    expect(answer).toMatchObject({ ...notApplied, code: 'EXT_UNAVAILABLE' });
  });

  it('a connection that does not come about in time', async () => {
    const dial = (_to: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    expect(answerOf(await calling(toHost(), { dial }, 300)())).toMatchObject(notApplied);
  });

  it('a header that cannot be written', async () => {
    server.respond((_request, response) => json(response, 200, {}));
    const answer = answerOf(await calling(toHost(), over())('{}', { 'x-correlation-id': 'a\r\nx-evil: 1' }));
    expect(answer).toMatchObject(notApplied);
    expect(server.seen).toEqual([]);
  });

  it('a body beyond the limit', async () => {
    server.respond((_request, response) => json(response, 200, {}));
    const answer = answerOf(await calling(toHost(), over())('x'.repeat(LIMITS.httpBodyBytesMax + 1)));
    expect(answer).toMatchObject({ ...notApplied, code: 'ORCH_PAYLOAD_TOO_LARGE' });
    expect(server.seen).toEqual([]);
  });

  it('a target that nobody has declared', async () => {
    const answer = answerOf(await calling({ allowedHosts: [], targets: new Map() }, over())());
    expect(answer).toMatchObject({ ...notApplied, code: 'ORCH_UNROUTED_TOPIC' });
  });
});

describe('of a call that has been sent, and not answered, nobody knows whether it applied:', () => {
  const doubt = { kind: 'failure', mayHaveApplied: true };

  it('a connection that breaks', async () => {
    server.respond((_request, response) => response.destroy());
    expect(answerOf(await calling(toHost(), over())())).toMatchObject({ ...doubt, code: 'EXT_UNAVAILABLE' });
  });

  it('an answer that breaks off', async () => {
    server.respond((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id":');
      setImmediate(() => response.destroy());
    });
    expect(answerOf(await calling(toHost(), over())())).toMatchObject(doubt);
  });

  it('silence', async () => {
    server.respond(() => {});
    expect(answerOf(await calling(toHost(), over(), 300)())).toMatchObject({ ...doubt, code: 'EXT_TIMEOUT' });
  });

  it('an answer that never comes to its end', async () => {
    let closed = false;
    server.respond((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 20);
      response.once('close', () => {
        closed = true;
        clearInterval(drip);
      });
    });
    expect(answerOf(await calling(toHost(), over(), 400)())).toMatchObject({ ...doubt, code: 'EXT_TIMEOUT' });
    await expect.poll(() => closed).toBe(true);
  });

  it('what speaks no HTTP', async () => {
    const raw = createRawServer((socket) => void socket.end('220 mail ready\r\n')).listen(0, '127.0.0.1');
    await once(raw, 'listening');
    const { port } = raw.address() as AddressInfo;
    expect(answerOf(await calling(toHost(), { dial: countingDial(port).dial })())).toMatchObject(doubt);
    raw.close();
  });

  it('a success beyond the limit, which is cut off', async () => {
    let sent = 0;
    let closed = false;
    server.respond((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!closed) {
          sent += 65_536;
          if (!response.write('x'.repeat(65_536))) break;
        }
        if (!closed) response.once('drain', more);
      };
      response.once('close', () => {
        closed = true;
      });
      more();
    });
    const answer = answerOf(await calling(toHost(), over(), 10_000)());
    expect(answer).toMatchObject({ ...doubt, code: 'ORCH_PAYLOAD_TOO_LARGE' });
    await expect.poll(() => closed).toBe(true);
    expect(sent).toBeLessThan(4 * LIMITS.httpBodyBytesMax);
  });
});

describe('a redirect', () => {
  const elsewhere = 'other.example.com';
  const redirecting = (status: number, location: string) =>
    server.respond(({ path }, response) => {
      if (path === '/benzene') response.writeHead(status, { location }).end();
      else json(response, 200, { id: 1 });
    });

  it.each([307, 308])('of %i is followed with method and body', async (status) => {
    redirecting(status, '/there');
    expect(await calling(toHost(), over())('{"b":2}')).toMatchObject({ statusCode: 'ok' });
    expect(server.seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/benzene', '{"b":2}'],
      ['POST', '/there', '{"b":2}'],
    ]);
  });

  it.each([300, 301, 302, 303, 304])('of %i is not: what came before it may have been done', async (status) => {
    redirecting(status, '/there');
    expect(answerOf(await calling(toHost(), over())())).toMatchObject({ kind: 'failure', mayHaveApplied: true });
    expect(server.seen).toHaveLength(1);
  });

  it('to another host carries neither secrets nor tokens', async () => {
    redirecting(307, `https://${elsewhere}/there`);
    const targets = targetsOf(`https://${HOST}/benzene`, { headers: { authorization: 'Bearer secret:crm' } }, [
      HOST,
      elsewhere,
    ]);
    const secrets = async () => 'hush';
    await calling(targets, { ...over(), secrets })('{}', { 'x-callback-token': 'token' });
    const [first, second] = server.seen.map(({ headers }) => headers);
    expect(first).toMatchObject({ host: HOST, authorization: 'Bearer hush', 'x-callback-token': 'token' });
    expect(second).toMatchObject({ host: elsewhere, 'x-operation-id': 'op' });
    expect(second).not.toHaveProperty('authorization');
    expect(second).not.toHaveProperty('x-callback-token');
  });

  it('is followed only so often', async () => {
    server.respond((_request, response) => void response.writeHead(307, { location: '/benzene' }).end());
    const answer = answerOf(await calling(toHost({ redirects: 2 }), over())());
    expect(answer).toMatchObject({ code: 'ORCH_ADDRESS_FORBIDDEN', mayHaveApplied: false });
    expect(server.seen).toHaveLength(3);
  });

  it('is not followed at all unless the target says so', async () => {
    redirecting(307, '/there');
    expect(answerOf(await calling(toHost({ redirects: 0 }), over())())).toMatchObject({ mayHaveApplied: false });
    expect(server.seen).toHaveLength(1);
  });
});

describe('a secret', () => {
  const headers = {
    authorization: 'Bearer secret:crm#token',
    'api-key': 'secret:arn:aws:secretsmanager:eu-west-1:1:secret:k-1',
  };

  it('is read when it is needed, kept for a minute, and read again when it was refused', async () => {
    let status = 200;
    server.respond((_request, response) => json(response, status, {}));
    const read: string[] = [];
    const secrets = async (name: string): Promise<string> => {
      read.push(name);
      return name === 'crm' ? '{"token":"hush"}' : 'quiet\n';
    };
    let now = 0;
    const call = calling(toHost({ headers }), { ...over(), secrets, now: () => now });
    await call();
    await call();
    expect(server.seen.map((one) => [one.headers.authorization, one.headers['api-key']])).toEqual([
      ['Bearer hush', 'quiet'],
      ['Bearer hush', 'quiet'],
    ]);
    expect(read).toHaveLength(2);
    now += 60_000;
    await call();
    expect(read).toHaveLength(4);
    status = 401;
    await call();
    await call();
    expect(read).toHaveLength(6);
  });

  it('that cannot be read keeps the call from being sent, and is not quoted', async () => {
    server.respond((_request, response) => json(response, 200, {}));
    for (const secrets of [() => Promise.reject(new Error('hush')), async () => '{"other":"hush"}']) {
      const response = await calling(toHost({ headers }), { ...over(), secrets })();
      expect(answerOf(response)).toMatchObject({ kind: 'failure', mayHaveApplied: false });
      expect(JSON.stringify(response)).not.toContain('hush');
    }
    expect(server.seen).toEqual([]);
  });

  it('is never in what is told, whatever went wrong', async () => {
    const told: unknown[] = [];
    const secrets = async () => 'hush\r\nx-evil: 1';
    const response = await calling(toHost({ headers: { authorization: 'secret:crm' } }), {
      ...over(),
      secrets,
      onError: (error) => told.push(String(error)),
    })();
    expect(JSON.stringify([response, told])).not.toContain('hush');
    expect(answerOf(response)).toMatchObject({ mayHaveApplied: false });
  });
});
