/**
 * The HTTP server of embedded mode: loopback only, and only for requests that mean it. A page in a browser can reach
 * the loopback interface under a name of its own (DNS rebinding) or post across origins; both carry headers that
 * say so and are refused.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { problemOf } from '../contract/problem.ts';
import { problem } from '../http/respond.ts';

/** `drop` destroys the connection without an answer, as a killed process would. */
export type Answer = (request: Request, drop: () => void) => Promise<Response> | Response;

export interface LocalServer {
  readonly port: number;
  /** Destroys every connection that waits for an answer, but the given request's own. */
  dropWaiting(except: Request): void;
  /** Takes no more connections, gives running answers a moment, then ends. */
  close(graceMs: number): Promise<void>;
}

const HOST = '127.0.0.1';
/** Longer than the pause of any client that keeps its connections: it should be the one to close them. */
const KEEP_ALIVE_MS = 65_000;
const BACKLOG = 1_024;
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
const LOOPBACK_ORIGIN = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

export async function startServer(port: number, answer: Answer): Promise<LocalServer> {
  /** Requests that wait for their answer. */
  const waiting = new Map<ServerResponse, Request>();
  const listener = getRequestListener(
    (request, { incoming, outgoing }) => {
      const response = outgoing as ServerResponse;
      waiting.set(response, request);
      response.once('close', () => waiting.delete(response));
      return answer(request, () => incoming.socket.destroy());
    },
    { hostname: HOST, errorHandler: unreadable },
  );
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, outgoing) => {
    const stranger = strangerIn(incoming);
    if (stranger === null) void listener(incoming, outgoing);
    else refuse(outgoing, stranger);
  });
  await listen(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    dropWaiting: (except) => {
      for (const [response, request] of waiting) if (request !== except) response.socket?.destroy();
    },
    close: (graceMs) => closeServer(server, graceMs),
  };
}

function strangerIn({ headers, url = '' }: IncomingMessage): string | null {
  // An address with a host of its own would speak past the header that is checked.
  if (!LOOPBACK_HOST.test(headers.host ?? '') || !url.startsWith('/')) {
    return 'this server answers to 127.0.0.1, localhost and [::1] only: use one of these as host';
  }
  if (headers.origin !== undefined && !LOOPBACK_ORIGIN.test(headers.origin)) {
    return 'pages of other origins may not call this server';
  }
  return null;
}

function refuse(outgoing: ServerResponse, detail: string): void {
  const body = problemOf('ORCH_FORBIDDEN', detail);
  // The rest of the request is not read, so the connection cannot be used again.
  outgoing.writeHead(body.status, { 'content-type': 'application/problem+json; charset=utf-8', connection: 'close' });
  outgoing.end(JSON.stringify(body));
}

/** What cannot even be made a request: an address that is none. */
function unreadable(): Response {
  return problem(problemOf('ORCH_MALFORMED_REQUEST', 'the request line cannot be read: check the address'));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, port)));
    server.listen({ port, host: HOST, backlog: BACKLOG }, resolve);
  });
}

function explained(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(`port ${port} is in use: end the program that holds it, or set PORT to another one (0: any free)`);
  }
  if (error.code === 'EACCES') return new Error(`port ${port} may not be opened: set PORT to one above 1023`);
  return error;
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    server.closeIdleConnections();
  });
}
