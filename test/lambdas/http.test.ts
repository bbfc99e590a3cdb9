import { describe, expect, it } from 'vitest';
import { answer, requestOf, resultOf } from '../../lambdas/parts/http.ts';
import { world } from '../operations/world.ts';
import { httpEvent } from './events.ts';

const input = { company: 'Acme', email: 'a@b.example', plan: 'free' };
const door = { started: () => undefined };
const submit = (headers: Record<string, string>) =>
  httpEvent({ method: 'POST', path: '/workflows/signup/jobs', headers, body: JSON.stringify(input) });

describe('a request of an HTTP API', () => {
  it('is read as it came: address, query, headers, body', async () => {
    const body = Buffer.from('{"a":"ä"}').toString('base64');
    const request = requestOf(
      httpEvent({
        method: 'POST',
        path: '/a/b%20c',
        query: 'x=1&x=2',
        headers: { 'x-a': '1' },
        body,
        isBase64Encoded: true,
      }),
    );
    expect(request?.url).toBe('https://api.example/a/b%20c?x=1&x=2');
    expect(request?.headers.get('x-a')).toBe('1');
    expect(await request?.text()).toBe('{"a":"ä"}');
  });

  it('keeps an empty header: an empty key is a mistake, not an absence', async () => {
    const { status } = await statusOf(submit({ 'idempotency-key': '' }));
    expect(status).toBe(400);
  });

  it.each([{ 'idempotency-key': 'clé' }, { 'idempotency-key': 'ключ' }])(
    'with %j is refused, not encoded',
    async (headers) => {
      expect((await statusOf(submit(headers))).status).toBe(400);
    },
  );

  it('is answered with status, headers and JSON, under the caller that the authorizer verified', async () => {
    const { status, body, headers } = await statusOf(submit({ 'x-caller-id': 'root', 'x-caller-role': 'operator' }));
    expect(status).toBe(202);
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', location: expect.any(String) });
    expect(body).toMatchObject({ caller_id: '111122223333/role/Shop' });
  });

  it('without a caller is 401', async () => {
    const event = httpEvent({});
    expect((await statusOf({ ...event, requestContext: { ...event.requestContext, authorizer: {} } })).status).toBe(
      401,
    );
  });
});

async function statusOf(event: ReturnType<typeof httpEvent>) {
  const { statusCode, body = '', headers } = await answer(event, world().engine('submit'), door);
  return { status: statusCode, headers, body: JSON.parse(body) as unknown };
}

describe('an answer', () => {
  const most = 6 * 1_024 * 1_024 - 16 * 1_024;
  const wrapped = (body: string): number =>
    Buffer.byteLength(JSON.stringify({ statusCode: 200, headers: HEADERS, body, isBase64Encoded: false }));
  const HEADERS = { 'content-type': 'application/json' };

  it('that a function can carry leaves as it is, to its last byte; a byte more is a refusal that says why', async () => {
    const fits = '"'.repeat(1_000) + 'x'.repeat(most - wrapped('"'.repeat(1_000)));
    expect(wrapped(fits)).toBe(most);
    const told = await resultOf(new Response(fits, { headers: HEADERS }));
    expect([told.statusCode, told.body === fits]).toEqual([200, true]);
    const over = await resultOf(new Response(`${fits}x`, { headers: HEADERS }));
    expect(over.statusCode).toBe(413);
    expect(JSON.parse(over.body ?? '')).toMatchObject({ code: 'ORCH_PAYLOAD_TOO_LARGE' });
  });
});
