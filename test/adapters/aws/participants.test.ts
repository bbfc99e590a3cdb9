/** What every way of not hearing from a participant means for its effect. One attempt a call, whatever happens. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { answerOfFailure } from '../../../lib/adapters/aws/call-failures.ts';
import { awsClients } from '../../../lib/adapters/aws/clients.ts';
import { awsParticipants } from '../../../lib/adapters/aws/participants.ts';
import { problemResponse, successResponse } from '../../../lib/contract/envelope.ts';
import { readHttpCall } from '../../../lib/contract/http-call.ts';
import { parseRoutes } from '../../../lib/contract/routes.ts';
import type { CallEnvelope } from '../../../lib/ports.ts';
import { idOf, T0 } from '../../contracts/jobs.ts';
import { localClients } from './clients.ts';
import {
  always,
  applyThenBreak,
  bodyOf,
  breakBefore,
  type Fault,
  fail,
  faulty,
  neverAnswers,
  type SentRequest,
} from './faulty-handler.ts';
import { freshQueues } from './queues.ts';
import { LOCAL } from './table.ts';

const clients = localClients();
const jobId = idOf('participants');

const envelope = (over: Partial<CallEnvelope['call']> = {}): CallEnvelope => ({
  call: {
    step: 'tenant',
    direction: 'do',
    topic: 'tenant:create',
    target: 'tenant',
    operationId: `${jobId}.tenant`,
    about: null,
    attempt: 1,
    body: { company: 'Acme' },
    fence: false,
    token: null,
    timeoutMs: 5_000,
    lastStartAt: T0,
    deadlineAt: T0 + 10_000,
    ...over,
  },
  jobId,
  callerId: 'arn:aws:iam::123456789012:role/shop',
  workflowVersion: 1,
  correlationId: jobId,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate: null,
});

const routes = (queueUrl = 'http://127.0.0.1/q') =>
  parseRoutes(
    JSON.stringify([
      { target: 'tenant', function: 'acme-tenant', topics: ['tenant:create'] },
      { target: 'notify', queue_url: queueUrl, topics: ['notify:send'] },
      { target: 'crm', http_worker: 'acme-web', topics: ['crm:create'] },
      { target: 'news', event_bus: 'acme-bus', topics: ['news:tell'] },
    ]),
  );

const returned = (document: unknown, functionError?: string): Fault => {
  return async () => ({
    statusCode: 200,
    headers: {
      'content-type': 'application/json',
      ...(functionError === undefined ? {} : { 'x-amz-function-error': functionError }),
    },
    body: Readable.from([Buffer.from(JSON.stringify(document))]),
  });
};

const APPLIED_MAYBE = { mayHaveApplied: true };
const NOT_APPLIED = { mayHaveApplied: false };
const error = (errorType: string) => ({ errorType, errorMessage: 'Task failed for secret-of-acme' });

const rows: readonly [string, Fault, object][] = [
  ['a success', returned(successResponse('created', { id: 1 })), { kind: 'success', output: { id: 1 } }],
  ['accepted', returned(successResponse('accepted', null)), { kind: 'accepted' }],
  [
    'a refusal',
    returned(problemResponse('conflict', { detail: 'taken' })),
    { code: 'CONTRACT_CONFLICT', ...NOT_APPLIED },
  ],
  [
    'a transient failure',
    returned(problemResponse('service-unavailable', { detail: 'busy' })),
    { code: 'EXT_UNAVAILABLE', ...APPLIED_MAYBE },
  ],
  ['something that is no envelope', returned('hello'), { code: 'EXT_UNEXPECTED', ...APPLIED_MAYBE }],
  ['nothing', returned(null), { code: 'EXT_UNEXPECTED', ...APPLIED_MAYBE }],
  ['an error of the function', returned(error('TypeError'), 'Unhandled'), { code: 'EXT_UNEXPECTED', ...APPLIED_MAYBE }],
  [
    'a function that ran out of its time',
    returned(error('Sandbox.Timedout'), 'Unhandled'),
    { code: 'EXT_TIMEOUT', ...APPLIED_MAYBE },
  ],
  [
    'a function that ran out of memory',
    returned(error('Runtime.OutOfMemory'), 'Unhandled'),
    { code: 'EXT_UNEXPECTED', ...APPLIED_MAYBE },
  ],
  ['429', fail(429, 'TooManyRequestsException'), { code: 'EXT_THROTTLED', ...NOT_APPLIED }],
  ['403', fail(403, 'AccessDeniedException'), { code: 'EXT_UNAVAILABLE', ...NOT_APPLIED }],
  ['404', fail(404, 'ResourceNotFoundException'), { code: 'EXT_UNAVAILABLE', ...NOT_APPLIED }],
  ['409', fail(409, 'ResourceConflictException'), { code: 'EXT_UNAVAILABLE', ...NOT_APPLIED }],
  ['413', fail(413, 'RequestTooLargeException'), { code: 'ORCH_PAYLOAD_TOO_LARGE', ...NOT_APPLIED }],
  ['500', fail(500, 'ServiceException'), { code: 'EXT_UNAVAILABLE', ...APPLIED_MAYBE }],
  ['502', fail(502, 'EC2UnexpectedException'), { code: 'EXT_UNAVAILABLE', ...APPLIED_MAYBE }],
  ['504', fail(504, 'GatewayTimeout'), { code: 'EXT_UNAVAILABLE', ...APPLIED_MAYBE }],
  ['connection refused', breakBefore('ECONNREFUSED'), { code: 'EXT_UNAVAILABLE', ...NOT_APPLIED }],
  ['no such host', breakBefore('ENOTFOUND'), { code: 'EXT_UNAVAILABLE', ...NOT_APPLIED }],
  ['a resolver that fails', breakBefore('EAI_AGAIN'), { code: 'EXT_UNAVAILABLE', ...NOT_APPLIED }],
  ['a connection that broke', breakBefore('ECONNRESET'), { code: 'EXT_UNAVAILABLE', ...APPLIED_MAYBE }],
  ['a pipe that broke', breakBefore('EPIPE'), { code: 'EXT_UNAVAILABLE', ...APPLIED_MAYBE }],
  ['a connection that timed out', breakBefore('ETIMEDOUT'), { code: 'EXT_UNAVAILABLE', ...APPLIED_MAYBE }],
];

describe('a function that is invoked', () => {
  it.each(rows)('and answers with %s', async (_what, fault, expected) => {
    const attempts = faulty(clients.lambda, always('POST', fault));
    const answer = await awsParticipants(clients, routes()).call(envelope());
    expect(answer).toMatchObject(expected);
    expect(attempts).toEqual(['POST']);
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('and never answers, is given up when the time of the call is up, and not called again', async () => {
    const attempts = faulty(clients.lambda, always('POST', neverAnswers()));
    const began = Date.now();
    const answer = await awsParticipants(clients, routes()).call(envelope({ timeoutMs: 100 }));
    expect(answer).toMatchObject({ code: 'EXT_TIMEOUT', mayHaveApplied: true });
    expect(Date.now() - began).toBeLessThan(4_000);
    expect(attempts).toEqual(['POST']);
  });

  it('and cannot be connected to at all, has not applied', async () => {
    const nowhere = awsClients({ pathStyleBuckets: true }, { ...LOCAL, endpoint: 'http://127.0.0.1:1' });
    const answer = await awsParticipants(nowhere, routes()).call(envelope());
    expect(answer).toMatchObject({ code: 'EXT_UNAVAILABLE', mayHaveApplied: false });
  });

  it('is asked to wait as long as the service says', async () => {
    const throttled = Object.assign(new Error('slow'), {
      name: 'TooManyRequestsException',
      retryAfterSeconds: '7',
      $metadata: { httpStatusCode: 429 },
    });
    expect(answerOfFailure(throttled, 'function tenant')).toMatchObject({ retryAfterMs: 7_000 });
  });

  it('gets the envelope, synchronously, under its own name', async () => {
    let seen: SentRequest | null = null;
    const look: Fault = async (request, deliver) => {
      seen = request;
      return returned(successResponse('ok', null))(request, deliver);
    };
    faulty(clients.lambda, always('POST', look));
    await awsParticipants(clients, routes()).call(envelope());
    if (seen === null) throw new Error('nothing was sent');
    const sent: SentRequest = seen;
    expect(sent.path).toBe('/2015-03-31/functions/acme-tenant/invocations');
    expect(sent.headers['x-amz-invocation-type']).toBe('RequestResponse');
    expect(bodyOf(sent)).toMatchObject({
      topic: 'tenant:create',
      headers: { 'x-operation-id': `${jobId}.tenant`, 'x-attempt': '1' },
      body: '{"company":"Acme"}',
    });
  });

  it('is not called with more than an invoke can carry', async () => {
    const attempts = faulty(clients.lambda, () => null);
    const body = { text: 'x'.repeat(6 * 1_024 * 1_024) };
    const answer = await awsParticipants(clients, routes()).call(envelope({ body }));
    expect(answer).toMatchObject({ code: 'ORCH_PAYLOAD_TOO_LARGE', mayHaveApplied: false });
    expect(attempts).toEqual([]);
  });
});

describe('a queue that takes commands', () => {
  const notify = { topic: 'notify:send', target: 'notify', step: 'notify' };

  it('gets the command, which counts as accepted', async () => {
    const { urls, reader } = await freshQueues(clients.sqs);
    const answer = await awsParticipants(clients, routes(urls.dispatch)).call(envelope(notify));
    expect(answer).toEqual({ kind: 'accepted' });
    const received = await reader.receive('dispatch', 10, 30_000);
    expect(received.map(({ message }) => message)).toMatchObject([
      { topic: 'notify:send', headers: { 'x-operation-id': `${jobId}.tenant` }, body: '{"company":"Acme"}' },
    ]);
  });

  it.each([
    ['refuses', fail(403, 'AccessDenied'), { code: 'EXT_UNAVAILABLE', ...NOT_APPLIED }, 1],
    ['throttles', fail(429, 'RequestThrottled'), { code: 'EXT_THROTTLED', ...NOT_APPLIED }, 3],
    ['is not reached', breakBefore('ECONNREFUSED'), { code: 'EXT_UNAVAILABLE', ...NOT_APPLIED }, 3],
    ['may have taken it', applyThenBreak, { code: 'EXT_UNAVAILABLE', ...APPLIED_MAYBE }, 3],
    ['does not answer', neverAnswers(), { code: 'EXT_TIMEOUT', ...APPLIED_MAYBE }, 1],
  ])('and %s', async (_what, fault, expected, tries) => {
    const { urls } = await freshQueues(clients.sqs);
    const attempts = faulty(clients.sqs, always('SendMessage', fault));
    const timeoutMs = expected.code === 'EXT_TIMEOUT' ? 200 : 10_000;
    expect(
      await awsParticipants(clients, routes(urls.dispatch)).call(envelope({ ...notify, timeoutMs })),
    ).toMatchObject(expected);
    // A command sent twice is one operation, so the SDK may repeat it.
    expect(attempts).toHaveLength(tries);
  });

  const sentTo = async (queueUrl: string, given: CallEnvelope) => {
    let seen: SentRequest | null = null;
    const look: Fault = (request, deliver) => {
      seen = request;
      return deliver(request);
    };
    faulty(clients.sqs, always('SendMessage', look));
    await awsParticipants(clients, routes(queueUrl)).call(given);
    if (seen === null) throw new Error('nothing was sent');
    return bodyOf(seen) as { MessageGroupId?: string; MessageDeduplicationId?: string; MessageAttributes: object };
  };

  it('can share itself out among callers, whom it does not know, and route without reading', async () => {
    const { urls } = await freshQueues(clients.sqs);
    const [one, other] = [envelope(notify), { ...envelope(notify), callerId: 'somebody else' }];
    const [mine, again, theirs] = [
      await sentTo(urls.dispatch, one),
      await sentTo(urls.dispatch, one),
      await sentTo(urls.dispatch, other),
    ];
    expect(mine.MessageGroupId).toMatch(/^[0-9a-f]{64}$/);
    expect(again.MessageGroupId).toBe(mine.MessageGroupId);
    expect(theirs.MessageGroupId).not.toBe(mine.MessageGroupId);
    expect(mine.MessageAttributes).toMatchObject({
      topic: { StringValue: 'notify:send' },
      operation_id: { StringValue: `${jobId}.tenant` },
    });
  });

  it('that is a FIFO one takes each attempt, in the order of its job', async () => {
    const url = 'http://127.0.0.1:1/q.fifo';
    const sent: { MessageGroupId?: string; MessageDeduplicationId?: string }[] = [];
    const look: Fault = async (request) => {
      sent.push(bodyOf(request) as (typeof sent)[number]);
      return { statusCode: 200, headers: {}, body: Readable.from([Buffer.from('{}')]) };
    };
    faulty(clients.sqs, always('SendMessage', look));
    for (const attempt of [1, 2]) await awsParticipants(clients, routes(url)).call(envelope({ ...notify, attempt }));
    expect(sent.map(({ MessageGroupId }) => MessageGroupId)).toEqual([jobId, jobId]);
    expect(new Set(sent.map(({ MessageDeduplicationId }) => MessageDeduplicationId)).size).toBe(2);
  });

  it('is asked under a name of its own, so that no result is taken for another', async () => {
    const { urls, reader } = await freshQueues(clients.sqs);
    const asked = envelope({ ...notify, direction: 'query', about: `${jobId}.tenant` });
    await awsParticipants(clients, routes(urls.dispatch)).call(asked);
    const [received] = await reader.receive('dispatch', 10, 30_000);
    expect(received?.message).toMatchObject({
      headers: { 'x-operation-id': `${jobId}.tenant.query`, 'x-query-of': `${jobId}.tenant` },
    });
  });

  it('gets nothing that does not fit in a message', async () => {
    const attempts = faulty(clients.sqs, () => null);
    const large = envelope({ ...notify, body: { text: 'x'.repeat(250_000) } });
    expect(await awsParticipants(clients, routes()).call(large)).toMatchObject({ code: 'ORCH_PAYLOAD_TOO_LARGE' });
    expect(attempts).toEqual([]);
  });
});

describe('a service behind HTTPS', () => {
  const crm = { topic: 'crm:create', target: 'crm', step: 'crm' };

  it('is called by the function for that, which gives up a moment before us', async () => {
    let seen: SentRequest | null = null;
    const look: Fault = async (request, deliver) => {
      seen = request;
      return returned(successResponse('created', { id: 1 }))(request, deliver);
    };
    faulty(clients.lambda, always('POST', look));
    const answer = await awsParticipants(clients, routes()).call(envelope(crm));
    expect(answer).toEqual({ kind: 'success', output: { id: 1 } });
    if (seen === null) throw new Error('nothing was sent');
    const sent: SentRequest = seen;
    expect(sent.path).toBe('/2015-03-31/functions/acme-web/invocations');
    expect(readHttpCall(bodyOf(sent))).toMatchObject({
      target: 'crm',
      timeoutMs: 4_500,
      request: { topic: 'crm:create', headers: { 'x-operation-id': `${jobId}.tenant` }, body: '{"company":"Acme"}' },
    });
  });

  it('has not been called when that function has no room', async () => {
    faulty(clients.lambda, always('POST', fail(429, 'TooManyRequestsException')));
    const answer = await awsParticipants(clients, routes()).call(envelope(crm));
    expect(answer).toMatchObject({ code: 'EXT_THROTTLED', mayHaveApplied: false });
  });
});

describe('a bus that is told', () => {
  const news = { topic: 'news:tell', target: 'news', step: 'news' };
  const entries = (...results: object[]): Fault => {
    return async () => ({
      statusCode: 200,
      headers: { 'content-type': 'application/x-amz-json-1.1' },
      body: Readable.from([Buffer.from(JSON.stringify({ FailedEntryCount: 0, Entries: results }))]),
    });
  };

  it('gets the event under the id of its operation; taken is done', async () => {
    let seen: SentRequest | null = null;
    const look: Fault = async (request, deliver) => {
      seen = request;
      return entries({ EventId: 'e1' })(request, deliver);
    };
    faulty(clients.events, always('PutEvents', look));
    const answer = await awsParticipants(clients, routes()).call(envelope(news));
    expect(answer).toEqual({ kind: 'success', output: { event_id: `${jobId}.tenant` } });
    if (seen === null) throw new Error('nothing was sent');
    const { Entries } = bodyOf(seen) as { Entries: { Detail: string }[] };
    expect(Entries).toMatchObject([{ EventBusName: 'acme-bus', Source: 'dacapo.step', DetailType: 'news:tell' }]);
    expect(JSON.parse(Entries[0]?.Detail ?? '')).toMatchObject({
      event_id: `${jobId}.tenant`,
      job_id: jobId,
      headers: { 'x-operation-id': `${jobId}.tenant` },
      body: { company: 'Acme' },
    });
  });

  it.each([
    ['throttles the entry', entries({ ErrorCode: 'ThrottlingException' }), { code: 'EXT_THROTTLED', ...NOT_APPLIED }],
    ['has trouble with it', entries({ ErrorCode: 'InternalFailure' }), { code: 'EXT_THROTTLED', ...NOT_APPLIED }],
    ['refuses it', entries({ ErrorCode: 'MalformedDetail' }), { code: 'CONTRACT_BAD_REQUEST', ...NOT_APPLIED }],
    ['says nothing of it', entries(), { code: 'EXT_UNEXPECTED', ...APPLIED_MAYBE }],
    ['is not allowed to us', fail(403, 'AccessDeniedException'), { code: 'EXT_UNAVAILABLE', ...NOT_APPLIED }],
    ['may have taken it', breakBefore('ECONNRESET'), { code: 'EXT_UNAVAILABLE', ...APPLIED_MAYBE }],
  ])('and %s', async (_what, fault, expected) => {
    faulty(clients.events, always('PutEvents', fault));
    expect(await awsParticipants(clients, routes()).call(envelope(news))).toMatchObject(expected);
  });

  it('is not told more than an event can say', async () => {
    const attempts = faulty(clients.events, () => null);
    const large = envelope({ ...news, body: { text: 'x'.repeat(250_000) } });
    expect(await awsParticipants(clients, routes()).call(large)).toMatchObject({ code: 'ORCH_PAYLOAD_TOO_LARGE' });
    expect(attempts).toEqual([]);
  });
});

describe('a target that is not there', () => {
  it('has not applied anything, and says what to deploy', async () => {
    const answer = await awsParticipants(clients, routes()).call(envelope({ target: 'gone' }));
    expect(answer).toMatchObject({ code: 'ORCH_UNROUTED_TOPIC', mayHaveApplied: false });
  });

  it('because the function has no routes at all, is a mistake of the deployment', async () => {
    await expect(awsParticipants(clients, null).call(envelope())).rejects.toThrow(/DACAPO_ROUTES is not set/);
  });
});
