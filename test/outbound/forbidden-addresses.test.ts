/**
 * Every way to write an address that is not a public host's: refused, with no packet sent. As the address that
 * configuration names, as one that a redirect names, and as one that a name resolves to.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHttpTargets } from '../../lib/contract/http-targets.ts';
import { isPublicAddress } from '../../lib/outbound/addresses.ts';
import { calling, countingDial, HOST, PUBLIC, targetsOf } from './support.ts';

const METADATA = '169.254.169.254';

const SPELLINGS: readonly (readonly [what: string, url: string])[] = [
  ['loopback', 'https://127.0.0.1/'],
  ['loopback, elsewhere in its range', 'https://127.8.9.1/'],
  ['loopback as one decimal number', 'https://2130706433/'],
  ['loopback in hex', 'https://0x7f000001/'],
  ['loopback in hex, part by part', 'https://0x7f.0x0.0x0.0x1/'],
  ['loopback in octal', 'https://017700000001/'],
  ['loopback in octal, part by part', 'https://0177.0.0.01/'],
  ['loopback, short', 'https://127.1/'],
  ['loopback, shorter by one', 'https://127.0.1/'],
  ['loopback with a dot at its end', 'https://127.0.0.1./'],
  ['loopback with zeros before', 'https://127.000.000.001/'],
  ['this machine', 'https://0.0.0.0/'],
  ['this machine, short', 'https://0/'],
  ['this machine by its name', 'https://localhost/'],
  ['this machine by its name with a dot', 'https://localhost./'],
  ['this machine by a name below its name', 'https://a.localhost/'],
  ['this machine in capitals', 'https://LOCALHOST/'],
  ['loopback in IPv6', 'https://[::1]/'],
  ['loopback in IPv6, long', 'https://[0000:0000:0000:0000:0000:0000:0000:0001]/'],
  ['this machine in IPv6', 'https://[::]/'],
  ['loopback mapped into IPv6', 'https://[::ffff:127.0.0.1]/'],
  ['loopback mapped, in hex', 'https://[::ffff:7f00:1]/'],
  ['loopback as an IPv4-compatible address', 'https://[::127.0.0.1]/'],
  ['metadata', `https://${METADATA}/latest/meta-data/`],
  ['metadata over plain http', `http://${METADATA}/latest/meta-data/`],
  ['metadata as one decimal number', 'https://2852039166/'],
  ['metadata in hex', 'https://0xa9fea9fe/'],
  ['metadata in octal', 'https://0251.0376.0251.0376/'],
  ['metadata, mixed', 'https://169.0xfe.43518/'],
  ['metadata mapped into IPv6', `https://[::ffff:${METADATA}]/`],
  ['metadata translated (NAT64)', `https://[64:ff9b::${METADATA}]/`],
  ['metadata tunnelled (6to4)', 'https://[2002:a9fe:a9fe::1]/'],
  ['metadata of EC2 in IPv6', 'https://[fd00:ec2::254]/'],
  ['metadata in full-width digits', 'https://１６９.２５４.１６９.２５４/'],
  ['metadata in circled digits', 'https://①⑥⑨.②⑤④.①⑥⑨.②⑤④/'],
  ['metadata with ideographic dots', 'https://169。254。169。254/'],
  ['metadata, percent-encoded', 'https://%31%36%39.254.169.254/'],
  ['metadata after a user that looks like a host', `https://${HOST}@${METADATA}/`],
  ['metadata after a user and a password', `https://${HOST}:443@${METADATA}/`],
  ['an allowed host before a user', `https://user@${HOST}/`],
  ['metadata behind a backslash', `https://${METADATA}\\@${HOST}/`],
  ['an allowed host behind a backslash', `https://${HOST}\\.evil.example/`],
  ['a fragment that hides a host', `https://${HOST}#@${METADATA}/`],
  ['private, class A', 'https://10.0.0.1/'],
  ['private, class B', 'https://172.16.5.4/'],
  ['private, class C', 'https://192.168.1.1/'],
  ['shared by a carrier', 'https://100.64.0.1/'],
  ['multicast', 'https://224.0.0.1/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['reserved', 'https://240.0.0.1/'],
  ['for documentation', 'https://192.0.2.1/'],
  ['unique local in IPv6', 'https://[fc00::1]/'],
  ['link-local in IPv6', 'https://[fe80::1]/'],
  ['link-local in IPv6 with its zone', 'https://[fe80::1%25eth0]/'],
  ['site-local in IPv6', 'https://[fec0::1]/'],
  ['multicast in IPv6', 'https://[ff02::1]/'],
  ['a public address, which no list of hosts names', `https://${PUBLIC}/`],
  ['an allowed host with a dot at its end', `https://${HOST}./`],
  ['an allowed host in capitals', 'https://API.EXAMPLE.COM/'],
  ['an allowed host in full-width letters', 'https://ａｐｉ.example.com/'],
  ['an allowed host with a soft hyphen', 'https://a\u00adpi.example.com/'],
  ['an allowed host over http', `http://${HOST}/`],
  ['an allowed host with the port of mail', `https://${HOST}:25/`],
  ['an allowed host with the port of shells', `https://${HOST}:22/`],
  ['an allowed host with no port at all', `https://${HOST}:0/`],
  ['an allowed host with a port beyond all', `https://${HOST}:65536/`],
  ['an allowed host with zeros in its port', `https://${HOST}:00443/`],
  ['an allowed host with an empty port', `https://${HOST}:/`],
  ['a host that only ends like an allowed one', `https://evil${HOST}/`],
  ['a host that only begins like an allowed one', `https://${HOST}.evil.example/`],
  ['a host in punycode that looks like an allowed one', 'https://xn--pi-7lb.example.com/'],
  ['a name without a dot', 'https://metadata/'],
  ['the scheme of files', 'file:///etc/passwd'],
  ['the scheme of gophers', `gopher://${HOST}:70/_x`],
  ['the scheme of data', 'data:application/json,{}'],
  ['the scheme of blobs', `blob:https://${HOST}/1`],
  ['the scheme of sockets', `wss://${HOST}/`],
  ['no scheme', `//${METADATA}/`],
  ['a scheme with one slash', `https:/${METADATA}/`],
  ['a scheme without slashes', `https:${METADATA}`],
  ['a line break in the host', `https://${HOST}\n@${METADATA}/`],
  ['a tab in the host', `https://169.254.\t169.254/`],
  ['blanks around it', ` https://${HOST}/ `],
  ['nothing', ''],
];

/** Lets every host through that the platform sees in the text: only the address itself can be what is refused. */
function everyHostOf(url: string): string[] {
  return URL.canParse(url) && !url.includes('example') ? [HOST, new URL(url).hostname] : [HOST];
}

it('knows the ways to write them', () => {
  expect(SPELLINGS.length).toBeGreaterThanOrEqual(80);
  expect(new Set(SPELLINGS.map(([, url]) => url)).size).toBe(SPELLINGS.length);
});

describe('an address that is refused', () => {
  it.each(SPELLINGS)('when it is called: %s', async (_what, url) => {
    const { dial, to } = countingDial();
    const looked: string[] = [];
    const resolve = async (host: string): Promise<string[]> => {
      looked.push(host);
      return [METADATA];
    };
    const response = await calling(targetsOf(url, {}, everyHostOf(url)), { dial, resolve })();
    expect(response).toMatchObject({ isSuccessful: false });
    expect(to, 'nothing was sent').toEqual([]);
    expect(looked, 'nobody was asked for a name').toEqual([]);
  });

  it.each(SPELLINGS)('when it is configured: %s', (_what, url) => {
    const target = { target: 'crm', url };
    expect(() => readHttpTargets({ allowed_hosts: [HOST], targets: [target] })).toThrow();
  });
});

describe('a redirect to such an address', () => {
  let location = '';
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(307, { location: Buffer.from(location, 'utf8').toString('latin1') }).end();
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => void server.close());

  it.each(SPELLINGS.filter(([, url]) => !/[\n\t]/.test(url) && url.trim() === url && url !== ''))(
    'is not followed: %s',
    async (_what, url) => {
      location = url;
      const { dial, to } = countingDial((server.address() as AddressInfo).port);
      const response = await calling(targetsOf(`https://${HOST}/a`, {}, everyHostOf(url)), { dial })();
      expect(JSON.parse(response.body)).toMatchObject({ code: 'ORCH_ADDRESS_FORBIDDEN', applied: false });
      expect(
        to.map(({ url: { path } }) => path),
        'only the first call was sent',
      ).toEqual(['/a']);
    },
  );

  it('is not followed to another port than its own', async () => {
    location = `https://${HOST}:6379/`;
    const { dial, to } = countingDial((server.address() as AddressInfo).port);
    const response = await calling(targetsOf(`https://${HOST}/a`), { dial })();
    expect(JSON.parse(response.body)).toMatchObject({ code: 'ORCH_ADDRESS_FORBIDDEN', applied: false });
    expect(to).toHaveLength(1);
  });
});

describe('a name that is allowed', () => {
  const resolvesTo = [
    ['loopback', ['127.0.0.1']],
    ['metadata', [METADATA]],
    ['a private address', ['10.1.2.3']],
    ['one public and one private address', [PUBLIC, '192.168.0.1']],
    ['one private and one public address', ['::1', PUBLIC]],
    ['IPv4 mapped into IPv6', [`::ffff:${PUBLIC}`]],
    ['IPv4 translated', [`64:ff9b::${PUBLIC}`]],
    ['IPv4 tunnelled', ['2002:5db8:d70e::1']],
    ['IPv4 in Teredo', ['2001:0:4136:e378:8000:63bf:3fff:fdd2']],
    ['a zone of this machine', ['fe80::1%eth0']],
    ['something that is no address', ['0x7f.1']],
    ['a number', ['2130706433']],
  ] as const;

  it.each(resolvesTo)('and leads to %s is not called', async (_what, addresses) => {
    const { dial, to } = countingDial();
    const response = await calling(targetsOf(`https://${HOST}/`), { dial, resolve: async () => addresses })();
    expect(JSON.parse(response.body)).toMatchObject({ code: 'ORCH_ADDRESS_FORBIDDEN', applied: false });
    expect(to).toEqual([]);
  });

  it('and leads elsewhere a moment later is called where it was checked', async () => {
    let asked = 0;
    const resolve = async (): Promise<string[]> => {
      asked += 1;
      return asked === 1 ? [PUBLIC] : [METADATA];
    };
    const { dial, to } = countingDial();
    await calling(targetsOf(`https://${HOST}/`), { dial, resolve })();
    expect(to.map(({ addresses }) => addresses)).toEqual([[PUBLIC]]);
    await calling(targetsOf(`https://${HOST}/`), { dial, resolve })();
    expect(to).toHaveLength(1);
  });

  it('is looked up again for each redirect', async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(308, { location: '/again' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    let asked = 0;
    const resolve = async (): Promise<string[]> => {
      asked += 1;
      return asked === 1 ? [PUBLIC] : ['169.254.169.254'];
    };
    const { dial, to } = countingDial((server.address() as AddressInfo).port);
    const response = await calling(targetsOf(`https://${HOST}/a`), { dial, resolve })();
    server.close();
    expect(JSON.parse(response.body)).toMatchObject({ code: 'ORCH_ADDRESS_FORBIDDEN' });
    expect(to).toHaveLength(1);
  });
});

describe('an address', () => {
  it.each([
    '93.184.215.14',
    '1.1.1.1',
    '52.94.5.1',
    '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
    '2a00:1450:4001:82b::200e',
  ])('of the public is called: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
