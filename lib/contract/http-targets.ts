/**
 * Participants behind HTTPS, as the worker that calls them is told of them. An address is taken literally: what is
 * written in any way but the plain one is refused, so that no two parsers can read two hosts out of it.
 */
import * as z from 'zod';
import { TARGET_NAME, TOPIC_NAME } from './route-names.ts';
import { SECRET_REFERENCE } from './secrets.ts';

/** A host's name in small ASCII letters with a dot in it, whose last label is no number; then port, path and query. */
const PLAIN =
  /^(https?):\/\/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)(?::([1-9]\d{0,4}))?(\/[\x21-\x7e]*)?$/;
/** Only for whoever runs on the same machine, and says so: the address itself, which no resolver has a say in. */
const LOCAL = /^http:\/\/(127\.0\.0\.1|\[::1\]):([1-9]\d{0,4})(\/[\x21-\x7e]*)?$/;

export interface PlainUrl {
  /** `https://api.example.com:443` */
  readonly origin: string;
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** With its query. */
  readonly path: string;
  /** The machine itself. */
  readonly local: boolean;
}

const PORTS = { https: 443, http: 80 } as const;
/** Names that are answered around us and not by the public: whoever answers them, it is no participant. */
const SPECIAL_NAME = /(^|\.)(localhost|local|internal|arpa|invalid|onion)$/;
/** Below it are services that speak other protocols, some of which take a request for commands of theirs. */
const UNPRIVILEGED = 1_024;

/** The usual port, or one that configuration has named itself. */
export function isCallablePort(port: number, declared: number): boolean {
  return port === PORTS.https || (port === declared && port >= UNPRIVILEGED);
}

/** null: it is written in another way, whatever a more lenient parser would make of it. */
export function readPlainUrl(text: string): PlainUrl | null {
  const plain = PLAIN.exec(text);
  const found = plain ?? LOCAL.exec(text);
  if (found === null || /[\\#]/.test(text) || SPECIAL_NAME.test(plain?.[2] ?? '')) return null;
  const scheme = plain?.[1] === 'https' ? 'https' : 'http';
  const [host = '', port, path] = plain === null ? found.slice(1) : found.slice(2);
  const read = URL.canParse(text) ? new URL(text) : null;
  // The platform's own parser has to see the same host, the same port and nothing else.
  if (read === null || read.hostname !== host || read.username !== '' || read.password !== '') return null;
  const number = port === undefined ? PORTS[scheme] : Number(port);
  if (number > 65_535 || (read.port === '' ? PORTS[scheme] : Number(read.port)) !== number) return null;
  return {
    origin: `${scheme}://${host}:${number}`,
    secure: scheme === 'https',
    host: host.replace(/^\[|\]$/g, ''),
    port: number,
    // Dots in a path are resolved as they will be on the wire.
    path: `${read.pathname}${read.search}`.replace(/^$/, path ?? '/'),
    local: plain === null,
  };
}

const URL_HELP =
  'write https://name.of.host/path: small letters, no user, no fragment, no number in place of the name; http only for 127.0.0.1 or [::1] with its port';
const url = z
  .string()
  .max(500)
  .refine((text) => {
    const read = readPlainUrl(text);
    return read !== null && (read.local || (read.secure && isCallablePort(read.port, read.port)));
  }, URL_HELP);

/** Ours, or the connection's own: nobody else may set them. */
const RESERVED =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|x-.*|trace.*)$/;
const headerName = z
  .string()
  .regex(/^[a-z0-9-]{1,60}$/, 'write the name of a header in small letters')
  .refine((name) => !RESERVED.test(name), 'this header is set by the call itself');
const headerValue = z.string().regex(/^[\x20-\x7e]{1,500}$/, 'write visible ASCII, or a reference such as secret:name');

const call = z.strictObject({
  method: z.enum(['POST', 'PUT', 'PATCH']).default('POST'),
  path: z
    .string()
    .regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,300}$/, 'write a path that begins with one /')
    .optional(),
});

export const httpTarget = z
  .strictObject({
    target: z.string().regex(TARGET_NAME, 'write a target name such as tenant'),
    url,
    headers: z.record(headerName, headerValue).default({}),
    /** Where a topic has an address of its own. */
    calls: z.record(z.string().regex(TOPIC_NAME), call).default({}),
    /** Under which name an API wants the operation's id, beside ours. */
    idempotency_header: z
      .string()
      .regex(/^[a-z0-9-]{1,60}$/)
      .optional(),
    redirects: z.int().min(0).max(3).default(0),
  })
  .superRefine((target, context) => {
    for (const [name, value] of Object.entries(target.headers)) {
      const secret = /authorization|cookie|key|token|secret|password/.test(name);
      if (!secret || SECRET_REFERENCE.test(value)) continue;
      context.addIssue({
        code: 'custom',
        path: ['headers', name],
        message: 'write secret:<name or ARN>, not the secret',
      });
    }
  });

const document = z.strictObject({
  /** Names of hosts, or `*.example.com` for those below one. */
  allowed_hosts: z.array(
    z.string().regex(/^(\*\.)?([a-z0-9-]+\.)+[a-z][a-z0-9-]*$/, 'write a host such as api.example.com'),
  ),
  targets: z.array(httpTarget),
});

export type HttpTargetsDocument = z.input<typeof document>;
export type HttpTarget = z.output<typeof httpTarget>;

export interface HttpTargets {
  readonly allowedHosts: readonly string[];
  readonly targets: ReadonlyMap<string, HttpTarget>;
}

/** @throws with what to correct */
export function readHttpTargets(given: unknown): HttpTargets {
  const read = document.safeParse(given);
  if (!read.success)
    throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  const targets = new Map(read.data.targets.map((target) => [target.target, target]));
  if (targets.size < read.data.targets.length) throw new Error('a target is there twice: join its calls in one entry');
  for (const target of read.data.targets) {
    const at = readPlainUrl(target.url);
    if (at !== null && (at.local || isAllowedHost(read.data.allowed_hosts, at.host))) continue;
    throw new Error(`target ${target.target}: its host is not in allowed_hosts: add it there, or correct the url`);
  }
  return { allowedHosts: read.data.allowed_hosts, targets };
}

export function isAllowedHost(allowed: readonly string[], host: string): boolean {
  return allowed.some((one) => (one.startsWith('*.') ? host.endsWith(one.slice(1)) : host === one));
}
