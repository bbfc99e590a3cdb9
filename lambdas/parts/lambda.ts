/** What every function shares, in one place: its metrics are written at the end of each invocation, failed or not. */
import middy, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import { flush } from './metrics.ts';

const writeMetrics: MiddlewareObj<unknown, unknown> = { after: () => flush(), onError: () => flush() };

export function lambda<E, R>(handler: (event: E, context: Context) => Promise<R>) {
  return middy<E, R>().use(writeMetrics).handler(handler);
}
