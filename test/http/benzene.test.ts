/** dacapo as a Benzene service: reachable by the envelope, described from its registry, honest about its health. */
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../lib/core/store-error.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { house, SIGNUP } from './support.ts';

const envelope = (topic: string, body: unknown = {}, headers: Record<string, string> = {}) => ({
  topic,
  headers,
  body: JSON.stringify(body),
});
function service() {
  const place = house();
  const call = async (topic: string, body?: unknown, headers?: Record<string, string>) => {
    const { status, body: told } = await place.ask('/benzene/invoke', { body: envelope(topic, body, headers) });
    expect(status).toBe(200);
    return { statusCode: told.statusCode, isSuccessful: told.isSuccessful, body: JSON.parse(told.body as string) };
  };
  return { ...place, call };
}

describe('the envelope', () => {
  it("submits a job as the workflow's own door does, under the same keys", async () => {
    const { call, submit } = service();
    const first = await call('signup:submit', SIGNUP, { 'idempotency-key': 'k1' });
    expect([first.statusCode, first.isSuccessful]).toEqual(['accepted', true]);
    const again = await call('signup:submit', SIGNUP, { 'Idempotency-Key': 'k1', 'x-workflow-version': 'v1' });
    expect(again.body.job_id).toBe(first.body.job_id);
    expect((await submit({ 'idempotency-key': 'k1' })).body.job_id).toBe(first.body.job_id);
  });

  it('joins the trace that its headers bring', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const { body } = await service().call('signup:submit', SIGNUP, { traceparent });
    expect(body.trace_context.traceparent).toContain('4bf92f3577b34da6a3ce929d0e0e4736');
  });

  it.each<[string, unknown, Record<string, string>, string, string]>([
    ['signup:submit', { company: '' }, {}, 'validation-error', 'CONTRACT_INPUT_INVALID'],
    ['signup:submit', SIGNUP, { 'idempotency-key': 'with space' }, 'bad-request', 'ORCH_MALFORMED_REQUEST'],
    ['signup:submit', SIGNUP, { 'x-workflow-version': '9' }, 'not-found', 'ORCH_UNKNOWN_WORKFLOW'],
    ['nothing:submit', SIGNUP, {}, 'not-found', 'ORCH_UNKNOWN_WORKFLOW'],
    ['tenant:create', {}, {}, 'not-found', 'ORCH_NOT_FOUND'],
  ])('refuses %s %j with headers %j as %s', async (topic, body, headers, status, code) => {
    const told = await service().call(topic, body, headers);
    expect([told.statusCode, told.isSuccessful, told.body.code, told.body.applied]).toEqual([
      status,
      false,
      code,
      false,
    ]);
  });

  it('tells a used key with another payload as a conflict', async () => {
    const { call } = service();
    await call('signup:submit', SIGNUP, { 'idempotency-key': 'k1' });
    const told = await call('signup:submit', { ...SIGNUP, company: 'Other' }, { 'idempotency-key': 'k1' });
    expect([told.statusCode, told.body.code]).toEqual(['conflict', 'ORCH_DUPLICATE_IDEMPOTENCY_KEY']);
  });

  it('must be one', async () => {
    const { ask } = service();
    for (const body of [{}, { topic: 'a' }, { topic: 'a', headers: {}, body: {} }, []]) {
      expect((await ask('/benzene/invoke', { body })).body.code).toBe('ORCH_MALFORMED_REQUEST');
    }
    expect((await service().call('')).statusCode).toBe('validation-error');
  });
});

describe('the descriptor', () => {
  it('names every version of every workflow with what it takes, and hashes its contract', async () => {
    const { body } = await service().call('benzene:mesh');
    expect(body.topics.map(({ id, version }: { id: string; version: string }) => `${id} ${version}`)).toEqual(
      examples.list().map(({ type, version }) => `${type}:submit v${version}`),
    );
    const signup = body.topics.find(({ id }: { id: string }) => id === 'signup:submit');
    expect(signup.requestSchema.required).toEqual(['company', 'email', 'plan']);
    expect(JSON.stringify(body.topics)).not.toContain('$ref');
    expect(body.produces).toContainEqual({ id: 'signup:completed' });
    expect(body.descriptorHash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect((await service().call('benzene:mesh')).body).toEqual(body);
  });

  it('and the spec show the same topics', async () => {
    const { ask, call } = service();
    expect((await ask('/benzene/spec')).body.topics).toEqual((await call('benzene:mesh')).body.topics);
  });
});

describe('health', () => {
  it('is good while the store answers, by path and by topic', async () => {
    const { ask, call } = service();
    const healthy = { isHealthy: true, healthChecks: { store: { status: 'ok', type: 'job-store' } } };
    expect(await ask('/benzene/health')).toMatchObject({ status: 200, body: healthy });
    expect(await call('benzene:healthcheck')).toEqual({ statusCode: 'ok', isSuccessful: true, body: healthy });
  });

  it('is bad when it does not, and says nothing about the inside', async () => {
    const { ask, call, ports } = service();
    Object.assign(ports.jobs, { read: () => Promise.reject(new StoreError('disk /dev/sda1 is full')) });
    const sick = { isHealthy: false, healthChecks: { store: { status: 'failed', type: 'job-store' } } };
    expect(await ask('/benzene/health')).toMatchObject({ status: 503, body: sick });
    expect(await call('benzene:healthcheck')).toMatchObject({ statusCode: 'service-unavailable', body: sick });
  });
});
