/** Who calls, as the API behind the command line is told. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readOperatorEnvironment } from '../../lib/contract/operator-environment.ts';
import { regionOf, sigV4 } from '../../lib/operator/sign.ts';
import { signatureHeaders } from '../acceptance/support/sign.ts';
import { dacapo } from './support.ts';

const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

function stubKey(): void {
  vi.stubEnv('AWS_ACCESS_KEY_ID', KEY.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', KEY.secretAccessKey);
  vi.stubEnv('AWS_SESSION_TOKEN', undefined);
}

async function listener() {
  const heard: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    heard.push(request);
    response.end('{"items":[],"next_cursor":null}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prod` };
}

it('a signature is the one that another implementation makes of the same request', async () => {
  const url = 'https://abc.execute-api.eu-west-1.amazonaws.com/prod/jobs?state=FAILED&limit=26';
  const headers = { accept: 'application/json', 'idempotency-key': 'k 1' };
  for (const [method, body] of [
    ['GET', null],
    ['POST', '{"a":"ü"}'],
  ] as const) {
    const signed = await sigV4('eu-west-1', async () => KEY)({ method, url, headers, body });
    const at = signed['x-amz-date']?.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6.000Z') ?? '';
    expect(signed.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/execute-api\/aws4_request/,
    );
    const names = /SignedHeaders=([^,]+)/.exec(signed.authorization ?? '')?.[1]?.split(';') ?? [];
    const same = Object.fromEntries(
      Object.entries(signed).filter(([name]) => names.includes(name) && name !== 'x-amz-date'),
    );
    vi.stubEnv('DACAPO_SIGV4', '1');
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    stubKey();
    expect(signed.authorization).toBe(signatureHeaders(method, url, body, same, new Date(at)).authorization);
  }
});

it('requests are signed when asked, with the credentials of the shell', async () => {
  stubKey();
  const { heard, url } = await listener();
  const signed = await dacapo(url, ['jobs', 'list', '--sign'], {}, { region: 'eu-west-1' });
  expect([signed.code, heard[0]?.url]).toEqual([0, '/prod/jobs?limit=26']);
  expect(heard[0]?.headers.authorization).toContain('Credential=AKIDEXAMPLE/');
  await dacapo(url, ['jobs', 'list'], {}, { sign: true, region: 'eu-west-1' });
  expect(heard[1]?.headers.authorization).toContain('AWS4-HMAC-SHA256');
  expect((await dacapo(url, ['jobs', 'list', '--sign'])).err).toContain('set AWS_REGION');
  expect(heard).toHaveLength(2);
});

it('a token of the environment is sent as a bearer token, and none by default', async () => {
  const { heard, url } = await listener();
  await dacapo(url, ['jobs', 'list'], {}, { token: 'secret' });
  await dacapo(url, ['jobs', 'list']);
  expect(heard.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret', undefined]);
});

it('the region is read off an address of API Gateway, and off nothing that merely looks like one', () => {
  expect(regionOf('https://abc.execute-api.eu-central-1.amazonaws.com/prod', null)).toBe('eu-central-1');
  expect(regionOf('https://api.example.com', 'us-east-2')).toBe('us-east-2');
  expect(() => regionOf('https://example.com/.execute-api.us-east-1.amazonaws.com', null)).toThrow('AWS_REGION');
});

it('the environment says where, as whom, and refuses what makes no sense', () => {
  expect(readOperatorEnvironment({})).toEqual({ url: 'http://127.0.0.1:3000', token: null, sign: false, region: null });
  expect(
    readOperatorEnvironment({ DACAPO_URL: 'http://x', DACAPO_TOKEN: 't', DACAPO_SIGV4: '1', AWS_REGION: 'r' }),
  ).toEqual({
    url: 'http://x',
    token: 't',
    sign: true,
    region: 'r',
  });
  expect(() => readOperatorEnvironment({ DACAPO_SIGV4: 'yes' })).toThrow('DACAPO_SIGV4: write 1');
});
