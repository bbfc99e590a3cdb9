/** The interface's own description. */
import type { Hono } from 'hono';
import { refuseParameters } from '../contract/requests.ts';
import type { AppParts } from './parts.ts';
import { json } from './respond.ts';
import { resource } from './routing.ts';

export function documentRoutes(app: Hono, { caller, documents }: AppParts): void {
  resource(app, '/openapi.json', {
    GET: (asked) => {
      caller(asked.request);
      refuseParameters(asked.parameters);
      return json(200, documents.openApi());
    },
  });
}
