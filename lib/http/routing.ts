/**
 * One resource, its methods, and honest answers to all others: OPTIONS says what is allowed, a wrong method is 405 with
 * the same list. HEAD is GET without a body.
 */
import type { Hono } from 'hono';
import { empty, refusal } from './respond.ts';

export interface Asked {
  readonly request: Request;
  readonly parameters: URLSearchParams;
  /** A named part of the address, decoded. */
  part(name: string): string;
}

export type Handler = (asked: Asked) => Promise<Response> | Response;
export type Methods = Readonly<Partial<Record<'GET' | 'PUT' | 'POST' | 'DELETE', Handler>>>;

const NO_PARAMETERS = new URLSearchParams();

export function resource(app: Hono, path: string, methods: Methods): void {
  const allowed = Object.keys(methods).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = { allow: [...allowed, 'OPTIONS'].join(', ') };
  for (const [method, handler] of Object.entries(methods)) {
    app.on(method, path, (context) => {
      const request = context.req.raw;
      const part = (name: string): string => context.req.param(name) ?? '';
      return handler({ request, parameters: parametersOf(request.url), part });
    });
  }
  app.all(path, (context) => {
    if (context.req.method === 'OPTIONS') return empty(204, allow);
    const detail = `${context.req.method} is not possible here: use ${allowed.join(' or ')}`;
    return refusal('ORCH_METHOD_NOT_ALLOWED', detail, {}, allow);
  });
}

/** Most addresses carry none, and parsing the whole address costs more than looking for the mark. */
function parametersOf(url: string): URLSearchParams {
  const mark = url.indexOf('?');
  return mark === -1 ? NO_PARAMETERS : new URLSearchParams(url.slice(mark + 1));
}
