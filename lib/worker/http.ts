/**
 * A participant behind HTTP: the web's own Request in, its Response out, so that it runs under any server. The topic
 * comes in a header, what else the envelope says in headers of the same name, the status as its HTTP number.
 */
import { type EnvelopeRequest, type EnvelopeResponse, HEADERS, problemResponse } from '../contract/envelope.ts';
import { httpOfStatus } from '../contract/status.ts';
import type { Host } from './host.ts';

export interface HttpServing {
  /** The topic of a request, where each has an address of its own. Default: the header `x-topic`. */
  readonly topicOf?: (request: Request) => string;
}

/** No response of these may have a body. */
const EMPTY: ReadonlySet<number> = new Set([204]);

export function serveHttp(host: Host, { topicOf }: HttpServing = {}): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      return responseOf(problemResponse('not-implemented', { applied: false, detail: 'an operation is sent by POST' }));
    }
    const topic = topicOf?.(request) ?? request.headers.get('x-topic') ?? '';
    const envelope: EnvelopeRequest = {
      topic,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    };
    return responseOf(await host(envelope));
  };
}

/** A success without a body loses its output, so one that has some says `ok` over HTTP. */
function responseOf({ statusCode, isSuccessful, headers, body }: EnvelopeResponse): Response {
  const http = httpOfStatus(statusCode, isSuccessful);
  const hasOutput = body !== '' && body !== 'null';
  const status = EMPTY.has(http) && hasOutput ? 200 : http;
  return new Response(EMPTY.has(status) ? null : body, {
    status,
    headers: { ...headers, [HEADERS.contentType]: 'application/json' },
  });
}
