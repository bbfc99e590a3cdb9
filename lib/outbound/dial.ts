/**
 * Opens connections, and nothing else does. A connection is to a checked address, never to a name: whoever answers for
 * that name a moment later has no say any more. It is new for each call, so that one which cannot be opened is known
 * to have carried nothing, and a stale one never makes a call doubtful.
 */
import { lookup } from 'node:dns/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { Destination, Resolve } from './destination.ts';

export type Dial = (to: Destination, signal: AbortSignal) => Promise<Socket>;

export const systemResolver: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/**
 * Tries the addresses in turn.
 * @param ca whose certificates count in place of the public ones: an authority of the team's own
 */
export function dialer(ca?: string): Dial {
  return async (to, signal) => {
    let last: unknown = new Error('the host has no address');
    for (const address of to.addresses) {
      try {
        return await open(address, to, signal, ca);
      } catch (error) {
        last = error;
        if (signal.aborted) break;
      }
    }
    throw last;
  };
}

/** A certificate is always checked, whatever the environment says: the name in it is what the address was looked up for. */
const TLS = { minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'], rejectUnauthorized: true } as const;

function open(address: string, { url }: Destination, signal: AbortSignal, ca: string | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const to = { host: address, port: url.port };
    const socket = url.secure
      ? connectSecure({ ...to, ...TLS, servername: url.host, ...(ca === undefined ? {} : { ca }) })
      : connectPlain(to);
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(error);
    };
    const giveUp = (): void => fail(signal.reason);
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('error', fail);
    socket.once(url.secure ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', giveUp);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
