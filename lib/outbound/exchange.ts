/**
 * One request and its response over one connection, bounded in time and size. What it throws says whether anything can
 * have been sent: before the connection stands nothing was, afterwards everything may have been.
 */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Destination } from './destination.ts';
import type { Dial } from './dial.ts';

export interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** null: it went on past the limit and was cut off. */
  readonly body: string | null;
}

export class NotSent extends Error {
  override readonly name = 'NotSent';
}

export class Broken extends Error {
  override readonly name = 'Broken';
}

export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** A status line and headers are a few hundred bytes; Node's own limit. */
const HEADER_BYTES_MAX = 16_384;

/** @throws NotSent, Broken, TimedOut */
export async function exchange(
  to: Destination,
  outgoing: Outgoing,
  { dial, signal, bytesMax }: { dial: Dial; signal: AbortSignal; bytesMax: number },
): Promise<Received> {
  const socket = await dial(to, signal).catch((error: unknown) => {
    throw new NotSent(`no connection to ${to.url.host} (${codeOf(error)})`);
  });
  return new Promise((resolve, reject) => {
    const broken = (error: unknown): void =>
      reject(
        signal.aborted ? new TimedOut('no answer in time') : new Broken(`the connection broke (${codeOf(error)})`),
      );
    const { url } = to;
    try {
      const request = httpRequest({
        method: outgoing.method,
        host: url.host,
        port: url.port,
        path: url.path,
        headers: { ...outgoing.headers, host: hostHeader(to), 'content-length': Buffer.byteLength(outgoing.body) },
        createConnection: () => socket,
        maxHeaderSize: HEADER_BYTES_MAX,
        signal,
      });
      request.once('error', broken);
      request.once('response', (response) => {
        read(response, bytesMax)
          .then(resolve, broken)
          .finally(() => socket.destroy());
      });
      request.end(outgoing.body);
    } catch (error) {
      socket.destroy();
      reject(new NotSent(`the request cannot be written (${codeOf(error)})`));
    }
  });
}

async function read(response: IncomingMessage, bytesMax: number): Promise<Received> {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) return { status, headers, body: null };
    chunks.push(chunk);
  }
  return { status, headers, body: Buffer.concat(chunks).toString('utf8') };
}

function hostHeader({ url }: Destination): string {
  const host = url.host.includes(':') ? `[${url.host}]` : url.host;
  return url.port === (url.secure ? 443 : 80) ? host : `${host}:${url.port}`;
}

/** Codes are names, `ECONNREFUSED`; messages may quote what was sent. */
function codeOf(error: unknown): string {
  const { code, name } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, name: 'unknown' };
  return code ?? name;
}
