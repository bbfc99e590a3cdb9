import { describe, expect, it } from 'vitest';
import { readMessage } from '../../lib/contract/messages.ts';

const JOB = `j${'a'.repeat(26)}`;
const answer = {
  kind: 'failure',
  code: 'EXT_TIMEOUT',
  message: 'm',
  mayHaveApplied: true,
  fenced: false,
  retryAfterMs: 0,
  notFound: false,
};
const result = { step: 'tenant', direction: 'undo', operationId: `${JOB}.tenant.undo`, attempt: 2, at: 5, answer };
const read = (document: unknown) => readMessage(JSON.stringify(document), 9);

describe('a message of a command queue', () => {
  it.each([
    { kind: 'hint', jobId: JOB, revision: 3, hops: 0 },
    { kind: 'result', jobId: JOB, result },
    { kind: 'result', jobId: JOB, result: { ...result, answer: { kind: 'success', output: null } } },
    { kind: 'result', jobId: JOB, result: { ...result, answer: { kind: 'accepted' } } },
  ])('is read back as it was sent: %j', (message) => {
    expect(read(message)).toEqual(message);
  });

  it.each<[id: string, direction: string, step: string, jobId?: string, of?: string]>([
    [`${JOB}.tenant`, 'do', 'tenant'],
    [`${JOB}.tenant.r2`, 'do', 'tenant'],
    [`${JOB}.tenant.undo`, 'undo', 'tenant'],
    [`${JOB}.tenant.r1.undo.2`, 'undo', 'tenant'],
    [`${JOB}.r3.tenant.undo`, 'undo', 'tenant', `${JOB}.r3`],
    [`${JOB}.tenant.r1.query`, 'query', 'tenant', JOB, `${JOB}.tenant.r1`],
  ])('of a participant says by its operation %s what it answers', (operation_id, direction, step, jobId = JOB, of) => {
    expect(read({ operation_id, attempt: 1, statusCode: 'ok', body: '{"a":1}' })).toEqual({
      kind: 'result',
      jobId,
      result: {
        step,
        direction,
        operationId: of ?? operation_id,
        attempt: 1,
        at: 9,
        answer: { kind: 'success', output: { a: 1 } },
      },
    });
  });

  it.each([
    'nonsense',
    {},
    { kind: 'hint', jobId: 'j1', revision: 0, hops: 0 },
    { kind: 'hint', jobId: JOB, revision: -1, hops: 0 },
    { kind: 'result', jobId: JOB, result: { ...result, answer: { kind: 'else' } } },
    { operation_id: 'x.tenant', attempt: 1, statusCode: 'ok' },
    { operation_id: JOB, attempt: 1, statusCode: 'ok' },
  ])('that is none of these is nothing: %j', (document) => {
    expect(read(document)).toBeNull();
  });
});
