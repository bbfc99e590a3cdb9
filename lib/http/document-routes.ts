/** The interface's own descriptions. */
import type { Hono } from 'hono';
import { refuseParameters } from '../contract/requests.ts';
import type { JsonObject } from '../core/json.ts';
import type { AppParts } from './parts.ts';
import { json } from './respond.ts';
import { resource } from './routing.ts';

export function documentRoutes(app: Hono, { caller, documents }: AppParts): void {
  const serve = (path: string, document: () => JsonObject): void =>
    resource(app, path, {
      GET: (asked) => {
        caller(asked.request);
        refuseParameters(asked.parameters);
        return json(200, document());
      },
    });
  serve('/openapi.json', documents.openApi);
  serve('/asyncapi.json', documents.asyncApi);
}
