import { describe, expect, it } from 'vitest';
import {
  answerOf,
  answerOfUnknown,
  type Call,
  headerOf,
  type OutgoingCall,
  problemResponse,
  requestOf,
  successResponse,
  UNKNOWN_TOPIC,
} from '../../lib/contract/envelope.ts';

const call: Call = {
  step: 'tenant',
  direction: 'do',
  topic: 'tenant:create',
  target: 'tenant',
  operationId: 'j1.tenant',
  about: null,
  attempt: 2,
  body: { company: 'Ada' },
  fence: false,
  token: null,
  timeoutMs: 10_000,
  lastStartAt: 0,
  deadlineAt: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
};
const outgoing = (changes: Partial<Call> = {}, tracestate: string | null = null): OutgoingCall => ({
  call: { ...call, ...changes },
  jobId: 'j1',
  workflowVersion: 3,
  correlationId: 'c-1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate,
});

describe('a request', () => {
  it('names the operation, the attempt and where it comes from', () => {
    expect(requestOf(outgoing())).toEqual({
      topic: 'tenant:create',
      headers: {
        'x-operation-id': 'j1.tenant',
        'x-attempt': '2',
        'x-job-id': 'j1',
        'x-workflow-version': '3',
        'x-correlation-id': 'c-1',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        'x-deadline-at': '2026-01-02T03:04:05.006Z',
      },
      body: '{"company":"Ada"}',
    });
  });

  it('carries the trace state where there is one', () => {
    expect(requestOf(outgoing({}, 'a=1')).headers).toMatchObject({ tracestate: 'a=1' });
  });

  it('says so too of an undo that is the step of a recovery job', () => {
    const { headers } = requestOf(outgoing({ operationId: 'j1.tenant.undo.2', about: 'j1.tenant' }));
    expect(headers).toMatchObject({ 'x-operation-id': 'j1.tenant.undo.2', 'x-undo-of': 'j1.tenant' });
  });

  it('says of an undo which operation it takes back', () => {
    const { headers } = requestOf(outgoing({ direction: 'undo', operationId: 'j1.tenant.undo', about: 'j1.tenant' }));
    expect(headers).toMatchObject({ 'x-operation-id': 'j1.tenant.undo', 'x-undo-of': 'j1.tenant' });
    expect(headers).not.toHaveProperty('x-query-of');
  });

  it('says of a query which operation it asks about, and whether to fence', () => {
    const asked = { direction: 'query', about: 'j1.tenant' } as const;
    expect(requestOf(outgoing(asked)).headers).toMatchObject({ 'x-query-of': 'j1.tenant' });
    expect(requestOf(outgoing(asked)).headers).not.toHaveProperty('x-fence');
    expect(requestOf(outgoing({ ...asked, fence: true })).headers).toMatchObject({ 'x-fence': 'true' });
  });
});

describe('an answer', () => {
  const failing = (status: string, body: object | string, headers = {}) =>
    answerOf({
      statusCode: status,
      isSuccessful: false,
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('of success carries the output', () => {
    expect(answerOf(successResponse('created', { id: 1 }))).toEqual({ kind: 'success', output: { id: 1 } });
    expect(answerOf({ ...successResponse('deleted', null), body: '' })).toEqual({ kind: 'success', output: null });
  });

  it('of success that is no JSON is kept as the text it is', () => {
    expect(answerOf({ ...successResponse('ok', null), body: 'done' })).toEqual({ kind: 'success', output: 'done' });
  });

  it('of acceptance is a promise', () => {
    expect(answerOf(successResponse('accepted', null))).toEqual({ kind: 'accepted' });
  });

  it('takes code and applied from the problem, for this attempt', () => {
    const refused = problemResponse('service-unavailable', { code: 'EXT_DOWN', applied: false, detail: 'no' });
    expect(answerOf(refused)).toMatchObject({ code: 'EXT_DOWN', mayHaveApplied: false, message: 'no' });
    expect(failing('conflict', { applied: true })).toMatchObject({ code: 'CONTRACT_CONFLICT', mayHaveApplied: true });
  });

  it('goes by the status where the problem cannot be read', () => {
    expect(failing('unexpected-error', '<html>')).toMatchObject({ code: 'EXT_UNEXPECTED', mayHaveApplied: true });
    expect(failing('validation-error', '')).toMatchObject({ code: 'CONTRACT_VALIDATION_ERROR', mayHaveApplied: false });
    const odd = { code: 'no code', applied: 'no', detail: 7 };
    expect(failing('timeout', odd)).toMatchObject({ code: 'EXT_TIMEOUT', mayHaveApplied: true });
  });

  it('says when to come back', () => {
    expect(failing('too-many-requests', {}, { 'Retry-After': '7' })).toMatchObject({ retryAfterMs: 7_000 });
    expect(failing('too-many-requests', {}, { 'retry-after': '1e9' })).toMatchObject({ retryAfterMs: 0 });
    expect(answerOf(problemResponse('timeout', { detail: '', retryAfterSeconds: 2 }))).toMatchObject({
      retryAfterMs: 2_000,
    });
  });

  it('to an undo that finds nothing is told apart from a topic that nobody serves', () => {
    expect(failing('not-found', {})).toMatchObject({ notFound: true });
    expect(failing('not-found', { code: UNKNOWN_TOPIC })).toMatchObject({ notFound: false });
  });

  it('with a status of its own is what isSuccessful says', () => {
    expect(answerOf(successResponse('shipped', 1))).toEqual({ kind: 'success', output: 1 });
    expect(failing('lost', {})).toMatchObject({ kind: 'failure', mayHaveApplied: true });
  });

  it('that calls a success unsuccessful may have applied', () => {
    expect(failing('ok', {})).toMatchObject({ kind: 'failure', mayHaveApplied: true });
  });

  it('may be an HTTP number from an older service', () => {
    expect(answerOfUnknown({ statusCode: '201', headers: {}, body: '1' })).toEqual({ kind: 'success', output: 1 });
    expect(answerOfUnknown({ statusCode: '409' })).toMatchObject({ code: 'CONTRACT_CONFLICT' });
  });

  it('that is no envelope may have applied', () => {
    for (const received of [null, 'x', { errorMessage: 'Task timed out' }, { statusCode: 200 }]) {
      expect(answerOfUnknown(received)).toMatchObject({ code: 'EXT_UNEXPECTED', mayHaveApplied: true });
    }
  });

  it('keeps no more of a detail than people read', () => {
    expect(failing('conflict', { detail: 'x'.repeat(10_000) })).toMatchObject({ message: 'x'.repeat(500) });
  });
});

describe('a header', () => {
  it('is found in any case, and never on the prototype', () => {
    expect(headerOf({ 'X-Attempt': '2' }, 'x-attempt')).toBe('2');
    expect(headerOf({}, 'constructor')).toBeNull();
  });
});
