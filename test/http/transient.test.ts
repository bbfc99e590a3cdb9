import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { StoreError, ThrottledError } from '../../lib/core/store-error.ts';
import { answerTheRest } from '../../lib/http/app.ts';
import { ContentionError } from '../../lib/operations/apply.ts';

describe('what goes wrong inside', () => {
  it.each([
    ['a store that fails', new StoreError('secret'), 503, 'ORCH_RETRYABLE_STORE', '1'],
    ['a store that is throttled', new ThrottledError('secret'), 429, 'ORCH_RETRYABLE_THROTTLED', '1'],
    ['a job that others keep changing', new ContentionError('secret'), 503, 'ORCH_RETRYABLE_STORE', '1'],
    ['a mistake of ours', new TypeError('secret'), 500, 'ORCH_INTERNAL_ERROR', null],
  ])('%s has its own code and status, and tells nothing more', async (_what, error, status, code, retryAfter) => {
    const app = new Hono();
    app.get('/', () => {
      throw error;
    });
    const seen: unknown[] = [];
    answerTheRest(app, (unexpected) => void seen.push(unexpected));
    const response = await app.request('/');
    const text = await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe(retryAfter);
    expect(JSON.parse(text)).toMatchObject({ code });
    expect(text).not.toContain('secret');
    expect(seen).toEqual([error]);
  });
});
