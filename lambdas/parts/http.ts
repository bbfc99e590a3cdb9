/**
 * The router behind an HTTP API, in its payload format 2.0. The router is made anew for each request, with the caller that
 * the authorizer verified in it: so nothing of one request can reach the next, and no header can say who calls.
 */

import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { definitions } from '#definitions';
import { apiDocuments } from '../../lib/contract/api-documents.ts';
import { readDoorEnvironment } from '../../lib/contract/door-environment.ts';
import { createApp } from '../../lib/http/app.ts';
import type { Door } from '../../lib/http/parts.ts';
import { refusal } from '../../lib/http/respond.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { type Authorizer, viewerOf } from './caller.ts';

export type HttpEvent = APIGatewayProxyEventV2 & { readonly requestContext: { readonly authorizer?: Authorizer } };

const doors = readDoorEnvironment();
const documents = apiDocuments(definitions);

export function answer(event: HttpEvent, engine: Engine, door: Door): Promise<APIGatewayProxyStructuredResultV2> {
  const caller = () => viewerOf(event.requestContext.authorizer, doors);
  return answerWith(event, () => createApp({ engine, caller, door, documents }));
}

export async function answerWith(
  event: HttpEvent,
  app: () => { fetch(request: Request): Promise<Response> | Response },
): Promise<APIGatewayProxyStructuredResultV2> {
  const request = requestOf(event);
  if (request === null)
    return resultOf(refusal('ORCH_MALFORMED_REQUEST', 'the request cannot be read: check its headers'));
  return resultOf(await app().fetch(request));
}

/** As it came, empty headers included: whether one may be empty is the router's to say. */
export function requestOf(event: HttpEvent): Request | null {
  const { requestContext, rawPath, rawQueryString, body, isBase64Encoded } = event;
  const query = rawQueryString === '' ? '' : `?${rawQueryString}`;
  const { method } = requestContext.http;
  try {
    const headers = new Headers();
    for (const [name, value] of Object.entries(event.headers)) headers.set(name, value ?? '');
    const bytes = body === undefined ? null : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
    const takesBody = method !== 'GET' && method !== 'HEAD';
    const address = `https://${requestContext.domainName}${rawPath}${query}`;
    return new Request(address, { method, headers, ...(takesBody && bytes !== null ? { body: bytes } : {}) });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** What a function may answer, less room for what it is wrapped in. */
const ANSWER_BYTES_MAX = 6 * 1_024 * 1_024 - 16 * 1_024;
/** Smaller than this it fits, whatever has to be escaped: measuring costs as much as answering. */
const SURELY_FITS = ANSWER_BYTES_MAX / 6;

export async function resultOf(response: Response): Promise<APIGatewayProxyStructuredResultV2> {
  const headers = Object.fromEntries(response.headers);
  const result = { statusCode: response.status, headers, body: await response.text(), isBase64Encoded: false };
  if (result.body.length <= SURELY_FITS || Buffer.byteLength(JSON.stringify(result)) <= ANSWER_BYTES_MAX) return result;
  const detail = 'the documents asked for are larger than one answer can be: lists show the job without them';
  return resultOf(refusal('ORCH_PAYLOAD_TOO_LARGE', detail));
}
