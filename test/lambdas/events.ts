/** Events as Lambda hands them over, and a context whose time can be set. */
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import type { HttpEvent } from '../../lambdas/parts/http.ts';

export function contextWith(remainingMs = 60_000): Context {
  return { awsRequestId: 'request-1', getRemainingTimeInMillis: () => remainingMs } as unknown as Context;
}

export function messages(...bodies: string[]): SQSEvent {
  return { Records: bodies.map((body, index) => ({ body, messageId: `m-${index}` }) as SQSRecord) };
}

export interface HttpRequest {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

export function httpEvent({
  method = 'GET',
  path = '/jobs',
  query = '',
  headers = {},
  body,
  isBase64Encoded = false,
}: HttpRequest): HttpEvent {
  const event = {
    version: '2.0',
    rawPath: path,
    rawQueryString: query,
    headers,
    isBase64Encoded,
    ...(body === undefined ? {} : { body }),
    requestContext: {
      domainName: 'api.example',
      http: { method, path },
      authorizer: { iam: { userArn: 'arn:aws:sts::111122223333:assumed-role/Shop/s' } },
    },
  };
  return event as unknown as HttpEvent;
}
