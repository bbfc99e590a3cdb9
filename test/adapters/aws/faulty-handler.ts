/**
 * Faults between a real client and its engine, below the SDK's retries: each attempt is one HTTP exchange and can be
 * lost before or after it took effect, refused, answered in part, or never. This is the only place where an ambiguous
 * commit is real: the service has stored, the client has heard nothing, and the SDK sends the same again.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  bodyOf,
  type Handler,
  json,
  operationOf,
  type SentRequest,
  type SentResponse,
  socketError,
  textOf,
} from './exchange.ts';

export type { SentRequest, SentResponse };
export { bodyOf, json, textOf };

export type Deliver = (request: SentRequest, options?: object) => Promise<SentResponse>;
/** Stands in for one attempt; `deliver` makes it for real. */
export type Fault = (request: SentRequest, deliver: Deliver) => Promise<SentResponse>;

/** Which fault, if any, the n-th attempt of an operation (counted from 1) meets. */
export type FaultPlan = (operation: string, n: number) => Fault | null;

/** Puts the plan in the client's way until the test ends; answers the attempts made, by operation. */
export function faulty(client: { config: { requestHandler: unknown } }, plan: FaultPlan): readonly string[] {
  const inner = client.config.requestHandler as Handler;
  const attempts: string[] = [];
  const counts = new Map<string, number>();
  const handler: Handler = {
    ...inner,
    async handle(request, options) {
      const operation = operationOf(request);
      const n = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, n);
      attempts.push(operation);
      const deliver: Deliver = async (sent, more) => (await inner.handle(sent, { ...options, ...more })).response;
      const fault = plan(operation, n);
      return { response: await (fault === null ? deliver(request) : fault(request, deliver)) };
    },
  };
  client.config.requestHandler = handler;
  onTestFinished(() => {
    client.config.requestHandler = inner;
  });
  return attempts;
}

/** The fault for the first `times` attempts of an operation. */
export function first(times: number, operation: string, fault: Fault): FaultPlan {
  return (made, n) => (made === operation && n <= times ? fault : null);
}

export const always = (operation: string, fault: Fault): FaultPlan => first(Number.POSITIVE_INFINITY, operation, fault);

/** It took effect, and the connection broke before anybody heard. */
export const applyThenBreak: Fault = async (request, deliver) => {
  await textOf(await deliver(request));
  throw socketError('ECONNRESET');
};

/** The connection broke, or never was, before anything took effect. */
export const breakBefore =
  (code: string): Fault =>
  async () => {
    throw socketError(code);
  };

export const throttle: Fault = async () => json(400, { __type: 'ThrottlingException', message: 'slow down' });

export const fail = (status: number, type: string): Fault => {
  return async () => json(status, { __type: type, message: 'failed' });
};

/** The server takes the request and says nothing: a timeout has to end it, the client's own shortened to `timeoutMs`. */
export function neverAnswers(timeoutMs?: number): Fault {
  return async (request, deliver) => {
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return deliver({ ...request, port } as SentRequest, timeoutMs === undefined ? {} : { requestTimeout: timeoutMs });
  };
}

/** Delivers, and changes what the answer says. */
export function answering(change: (answer: Record<string, unknown>, request: SentRequest) => Promise<object>): Fault {
  return async (request, deliver) => {
    const response = await deliver(request);
    return json(response.statusCode, await change(JSON.parse(await textOf(response)), request));
  };
}

/** Answers by itself. */
export function instead(answer: (asked: Record<string, unknown>) => object): Fault {
  return async (request) => json(200, answer(bodyOf(request)));
}

/** Attributes as they travel. */
export type WireItem = Record<string, { readonly S?: string; readonly N?: string; readonly B?: string }>;

/** Asks a table for an item by the way of the request at hand: an attempt that nobody counts. */
export async function lookUp(
  request: SentRequest,
  deliver: Deliver,
  TableName: string,
  Key: WireItem,
): Promise<WireItem | null> {
  const body = Buffer.from(JSON.stringify({ TableName, Key, ConsistentRead: true }));
  const target = { 'x-amz-target': 'DynamoDB_20120810.GetItem', 'content-length': String(body.length) };
  const response = await deliver({ ...request, headers: { ...request.headers, ...target }, body });
  return JSON.parse(await textOf(response)).Item ?? null;
}
