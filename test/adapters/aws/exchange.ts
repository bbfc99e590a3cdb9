/** One HTTP exchange of an SDK client as its request handler sees it, below the SDK's retries. */
import { Readable } from 'node:stream';

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface SentResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Handler {
  handle(request: SentRequest, options?: object): Promise<{ response: SentResponse }>;
}

export function bodyOf(request: SentRequest): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(request.body as Uint8Array));
}

export function json(statusCode: number, document: object): SentResponse {
  const body = Buffer.from(JSON.stringify(document));
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'content-length': String(body.length) };
  const { __type: type } = document as { __type?: string };
  const errorType = type === undefined ? {} : { 'x-amzn-errortype': type };
  return { statusCode, headers: { ...headers, ...errorType }, body: Readable.from([body]) };
}

export async function textOf({ body }: SentResponse): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of body as Readable) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

/** The JSON protocols name their operation; the REST ones are told by method. */
export function operationOf({ headers, method }: SentRequest): string {
  return headers['x-amz-target']?.split('.')[1] ?? method;
}

export function socketError(code: string): Error {
  return Object.assign(new Error(`socket: ${code}`), { code });
}
