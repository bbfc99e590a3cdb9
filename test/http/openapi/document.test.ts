/** The OpenAPI document: whole, in order by a linter's rules, and of the same operations as the router. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { house } from '../support.ts';
import { openApi, operations } from './document.ts';

const inBraces = (path: string): string => path.replaceAll(/\/:(\w+)/g, '/{$1}');

describe('the OpenAPI document', () => {
  it('describes every operation that the router has, and no other', () => {
    const routed = house()
      .app.routes.filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${inBraces(path)}`);
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...new Set(routed)].sort());
  });

  it('passes a linter', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const found = await lintFromString({ source: JSON.stringify(openApi), config });
    expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('is served to every caller', async () => {
    const { ask } = house();
    const told = await ask('/openapi.json', { headers: { 'x-caller-role': 'submitter' } });
    expect([told.status, told.body]).toEqual([200, openApi]);
  });

  it('shows what each workflow takes', () => {
    expect(openApi.components.schemas.SignupInput).toMatchObject({
      type: 'object',
      properties: { company: { type: 'string', minLength: 1, maxLength: 100 } },
      required: ['company', 'email', 'plan'],
      additionalProperties: false,
    });
  });
});
