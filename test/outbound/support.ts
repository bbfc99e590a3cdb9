/** A way into a world of our own: names that resolve as a test says, and connections that are counted. */
import { connect, type Socket } from 'node:net';
import type { HttpTarget, HttpTargets } from '../../lib/contract/http-targets.ts';
import type { Destination } from '../../lib/outbound/destination.ts';
import type { Dial } from '../../lib/outbound/dial.ts';
import { type HttpWorkerOptions, httpWorker } from '../../lib/outbound/worker.ts';

export const PUBLIC = '93.184.215.14';
export const HOST = 'api.example.com';

/** Counts what would have been sent; without a port nothing listens. */
export function countingDial(port?: number): { readonly dial: Dial; readonly to: Destination[] } {
  const to: Destination[] = [];
  const dial: Dial = (destination, signal) => {
    to.push(destination);
    return port === undefined ? Promise.reject(new Error('nobody listens')) : open(port, signal);
  };
  return { dial, to };
}

function open(port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, signal });
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** As configuration is read, but without its checks: the call itself has to hold. */
export function targetsOf(url: string, over: Partial<HttpTarget> = {}, allowedHosts = [HOST]): HttpTargets {
  const target: HttpTarget = { target: 'crm', url, headers: {}, calls: {}, redirects: 3, ...over };
  return { allowedHosts, targets: new Map([['crm', target]]) };
}

export function calling(targets: HttpTargets, over: Partial<HttpWorkerOptions> = {}, timeoutMs = 2_000) {
  const work = httpWorker({
    targets,
    secrets: () => Promise.reject(new Error('there are none')),
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    resolve: async () => [PUBLIC],
    ...over,
  });
  return (body = '{"a":1}', headers: Record<string, string> = {}) =>
    work({
      target: 'crm',
      request: { topic: 'crm:create', headers: { 'x-operation-id': 'op', ...headers }, body },
      timeoutMs,
    });
}
