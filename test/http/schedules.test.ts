/** Schedules over HTTP: who may, what is taken, what is shown. */
import { describe, expect, it } from 'vitest';
import { createApp } from '../../lib/http/app.ts';
import { localCaller } from '../../lib/local/caller.ts';
import { tickDue } from '../../lib/operations/tick.ts';
import { world } from '../operations/world.ts';
import { documents } from './seeded.ts';

const BODY = { workflow_type: 'research', input: { question: 'what is new?' }, expression: 'cron(0 8 * * MON-FRI)' };

function api() {
  const where = world();
  const engine = where.engine('operate');
  const app = createApp({ engine, caller: localCaller, documents, door: { started: () => {} } });
  const ask = async (method: string, path: string, body?: unknown, role = 'operator') => {
    const response = await app.request(path, {
      method,
      headers: { 'x-caller-id': 'ada', 'x-caller-role': role, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { where, ask, engine };
}

describe('a schedule', () => {
  it('is set, shown, listed, paused, resumed and removed', async () => {
    const { ask } = api();
    const set = await ask('PUT', '/schedules/nightly', { ...BODY, timezone: 'Europe/Berlin', reason: 'the news' });
    expect(set).toMatchObject({
      status: 200,
      body: {
        ...BODY,
        name: 'nightly',
        workflow_version: null,
        timezone: 'Europe/Berlin',
        overlap: 'skip',
        backfill: { max_ticks: 1, within_seconds: 86_400 },
        paused: false,
        caller_id: 'ada',
        correlation_id: 'schedule:nightly',
        updated_by: 'operator:ada',
        reason: 'the news',
        next_tick_at: '2030-01-01T07:00:00.000Z',
        last_tick_at: null,
        ticks: [],
        revision: 1,
      },
    });
    expect((await ask('GET', '/schedules/nightly')).body).toEqual(set.body);
    expect((await ask('GET', '/schedules')).body).toEqual({ items: [set.body], next_cursor: null });
    const paused = await ask('POST', '/schedules/nightly/pause', { reason: 'too much' });
    expect(paused).toMatchObject({ status: 200, body: { paused: true, next_tick_at: null, reason: 'too much' } });
    expect(await ask('POST', '/schedules/nightly/pause', { reason: 'go on', paused: false })).toMatchObject({
      body: { paused: false, next_tick_at: '2030-01-01T07:00:00.000Z' },
    });
    expect(await ask('POST', '/schedules/nightly/resume', { reason: 'go on' })).toMatchObject({ status: 200 });
    expect(await ask('DELETE', '/schedules/nightly')).toMatchObject({ status: 200, body: { name: 'nightly' } });
    expect(await ask('GET', '/schedules/nightly')).toMatchObject({
      status: 404,
      body: { code: 'ORCH_UNKNOWN_SCHEDULE' },
    });
    expect((await ask('GET', '/schedules')).body).toEqual({ items: [], next_cursor: null });
  });

  it('shows what became of its ticks, and its jobs name it', async () => {
    const { ask, where, engine } = api();
    await ask('PUT', '/schedules/often', { ...BODY, expression: '*/5 * * * *' });
    where.ports.clock.advance(5 * 60_000);
    await tickDue(engine);
    const { body } = await ask('GET', '/schedules/often');
    expect(body).toMatchObject({ expression: 'cron(*/5 * * * *)', last_tick_at: '2030-01-01T00:05:00.000Z' });
    const [tick] = body.ticks as { at: string; status: string; job_id: string; reason: null }[];
    expect(tick).toMatchObject({ at: '2030-01-01T00:05:00.000Z', status: 'started', reason: null });
    const job = await ask('GET', `/jobs/${tick?.job_id}`);
    expect(job.body).toMatchObject({
      source: 'schedule',
      caller_id: 'ada',
      idempotency_key: 'often@2030-01-01T00:05:00.000Z',
      correlation_id: 'schedule:often',
    });
  });

  it('is listed by name, a page at a time', async () => {
    const { ask } = api();
    for (const name of ['c', 'a', 'b']) await ask('PUT', `/schedules/${name}`, BODY);
    const first = await ask('GET', '/schedules?limit=2');
    const names = (items: unknown) => (items as { name: string }[]).map(({ name }) => name);
    expect(names(first.body.items)).toEqual(['a', 'b']);
    const second = await ask('GET', `/schedules?limit=2&cursor=${first.body.next_cursor}`);
    expect(names(second.body.items)).toEqual(['c']);
    expect(await ask('GET', '/schedules?cursor=nonsense')).toMatchObject({ status: 400 });
  });

  it('is for operators only', async () => {
    const { ask } = api();
    await ask('PUT', '/schedules/nightly', BODY);
    for (const [method, path, body] of [
      ['GET', '/schedules', undefined],
      ['GET', '/schedules/nightly', undefined],
      ['PUT', '/schedules/nightly', BODY],
      ['DELETE', '/schedules/nightly', undefined],
      ['POST', '/schedules/nightly/pause', { reason: 'why' }],
      ['POST', '/schedules/nightly/resume', { reason: 'why' }],
    ] as const) {
      expect(await ask(method, path, body, 'submitter'), `${method} ${path}`).toMatchObject({
        status: 403,
        body: { code: 'ORCH_FORBIDDEN' },
      });
    }
    expect((await ask('GET', '/schedules/nightly')).body).toMatchObject({ revision: 1, paused: false });
  });

  it.each<[string, string, unknown, number, string]>([
    ['PUT', '/schedules/Nightly', BODY, 400, 'path:name'],
    ['PUT', `/schedules/${'a'.repeat(65)}`, BODY, 400, 'path:name'],
    ['PUT', '/schedules/a', { ...BODY, expression: 'at noon' }, 400, '/expression'],
    ['PUT', '/schedules/a', { ...BODY, expression: 'cron(0 0 30 2 *)' }, 400, '/expression'],
    ['PUT', '/schedules/a', { ...BODY, timezone: '+01:00' }, 400, '/timezone'],
    ['PUT', '/schedules/a', { ...BODY, overlap: 'never' }, 400, '/overlap'],
    ['PUT', '/schedules/a', { ...BODY, backfill: { max_ticks: 101 } }, 400, '/backfill/max_ticks'],
    ['PUT', '/schedules/a', { ...BODY, backfill: { within_seconds: -1 } }, 400, '/backfill/within_seconds'],
    ['PUT', '/schedules/a', { ...BODY, cron: '* * * * *' }, 400, '/cron'],
    ['PUT', '/schedules/a', { ...BODY, input: undefined }, 400, '/input'],
    ['PUT', '/schedules/a', { ...BODY, input: { question: 1 } }, 422, '/input/question'],
    ['POST', '/schedules/a/pause', {}, 400, '/reason'],
    ['POST', '/schedules/a/pause', { reason: ' ' }, 400, '/reason'],
    ['POST', '/schedules/a/resume', { reason: 'x', paused: false }, 400, '/paused'],
  ])('%s %s %j is refused, and says where', async (method, path, body, status, place) => {
    const { ask } = api();
    const answer = await ask(method, path, body);
    expect(answer.status).toBe(status);
    expect((answer.body.errors as { path: string }[]).map((error) => error.path)).toContain(place);
  });

  it('of a type or a name that is not there is a 404, on an old revision a 409', async () => {
    const { ask } = api();
    expect(await ask('PUT', '/schedules/a', { ...BODY, workflow_type: 'nothing' })).toMatchObject({ status: 404 });
    expect(await ask('POST', '/schedules/a/pause', { reason: 'why' })).toMatchObject({ status: 404 });
    expect(await ask('DELETE', '/schedules/Not-a-name')).toMatchObject({ status: 404 });
    await ask('PUT', '/schedules/a', BODY);
    expect(await ask('PUT', '/schedules/a', { ...BODY, expected_revision: 0 })).toMatchObject({ status: 409 });
    expect(await ask('DELETE', '/schedules/a?expected_revision=1&reason=done')).toMatchObject({
      status: 200,
    });
  });
});
