/**
 * Calls participants over HTTPS: an envelope in, an envelope out, and in between one bounded request to an address that
 * was declared and checked. Invariant: it never throws, and its answer says what is known of the effect.
 */
import { type EnvelopeRequest, type EnvelopeResponse, HEADERS, problemResponse } from '../contract/envelope.ts';
import { type HttpTarget, type HttpTargets, readPlainUrl } from '../contract/http-targets.ts';
import { LIMITS } from '../core/limits.ts';
import { answerOfBreakdown, answerOfHttp } from './answer.ts';
import type { Resolve } from './destination.ts';
import { type Dial, dialer, systemResolver } from './dial.ts';
import { follow } from './follow.ts';
import { cachedSecrets, type SecretSource, type Secrets, SecretUnavailable } from './secrets.ts';

export interface HttpWorkerOptions {
  readonly targets: HttpTargets;
  readonly secrets: SecretSource;
  readonly now: () => number;
  readonly resolve?: Resolve;
  readonly dial?: Dial;
  /** What no answer stands for: a mistake of ours. */
  readonly onError?: (error: unknown, target: string) => void;
}

export interface HttpCall {
  readonly target: string;
  readonly request: EnvelopeRequest;
  readonly timeoutMs: number;
}

export type HttpWorker = (call: HttpCall) => Promise<EnvelopeResponse>;

const publicDialer = dialer();
/** Of the time a call has, for saying that it was not enough. */
const MARGIN_MS = 200;
/** The name of the topic, where a service has one address for several. */
const TOPIC_HEADER = 'x-topic';

export function httpWorker(options: HttpWorkerOptions): HttpWorker {
  const secrets = cachedSecrets(options.secrets, options.now);
  return async (call) => {
    const target = options.targets.targets.get(call.target);
    if (target === undefined) return unknownTarget(call.target);
    try {
      return await send(target, call, secrets, options);
    } catch (error) {
      const answer = answerOfBreakdown(error);
      if (answer !== null) return answer;
      if (error instanceof SecretUnavailable) return withoutSecret(error);
      options.onError?.(error, call.target);
      return problemResponse('unexpected-error', { detail: 'the call failed in a way that nobody foresaw' });
    }
  };
}

async function send(
  target: HttpTarget,
  { request, timeoutMs }: HttpCall,
  secrets: Secrets,
  { targets, now, resolve = systemResolver, dial = publicDialer }: HttpWorkerOptions,
): Promise<EnvelopeResponse> {
  const size = Buffer.byteLength(request.body);
  if (size > LIMITS.httpBodyBytesMax) return tooLarge(size);
  const declared = readPlainUrl(target.url);
  if (declared === null) throw new Error(`target ${target.target} has no plain url`);
  const { method = 'POST', path } = target.calls[request.topic] ?? {};
  const { ours, confidential } = headersOf(target, request);
  const own = await secrets.fill(target.headers);
  const received = await follow(
    {
      url: path === undefined ? target.url : new URL(path, target.url).href,
      method,
      headers: ours,
      confidential: { ...confidential, ...own },
      body: request.body,
      redirects: target.redirects,
    },
    { allowedHosts: targets.allowedHosts, declared },
    {
      resolve,
      dial,
      signal: AbortSignal.timeout(Math.max(1, timeoutMs - MARGIN_MS)),
      bytesMax: LIMITS.httpBodyBytesMax,
    },
  );
  if (received.status === 401 || received.status === 403) secrets.forget(target.headers);
  return answerOfHttp(received, now());
}

/** A token lets its bearer end a step: it is for the declared host alone. */
function headersOf(target: HttpTarget, { headers, topic }: EnvelopeRequest) {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const isToken = ([name]: readonly [string, string]): boolean => name === HEADERS.callbackToken;
  const sent = Object.fromEntries(lower.filter((one) => !isToken(one)));
  const { idempotency_header: idempotency } = target;
  return {
    ours: {
      ...sent,
      ...(idempotency === undefined ? {} : { [idempotency]: sent[HEADERS.operationId] ?? '' }),
      [TOPIC_HEADER]: topic,
      [HEADERS.contentType]: 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    },
    confidential: Object.fromEntries(lower.filter(isToken)),
  };
}

function unknownTarget(name: string): EnvelopeResponse {
  const detail = `there is no http target ${name}: deploy it again until its jobs have ended`;
  return problemResponse('forbidden', { code: 'ORCH_UNROUTED_TOPIC', applied: false, detail });
}

function tooLarge(size: number): EnvelopeResponse {
  const detail = `the input has ${size} bytes, a call carries ${LIMITS.httpBodyBytesMax}: store the bulk elsewhere and send a reference`;
  return problemResponse('bad-request', { code: 'ORCH_PAYLOAD_TOO_LARGE', applied: false, detail });
}

function withoutSecret({ message }: SecretUnavailable): EnvelopeResponse {
  return problemResponse('service-unavailable', { code: 'EXT_UNAVAILABLE', applied: false, detail: message });
}
