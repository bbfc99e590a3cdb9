/** Every topic fault, seen from the caller's side and from the participant's. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { virtualClock } from '../../lib/adapters/memory/clock.ts';
import type { Answer, Call } from '../../lib/contract/envelope.ts';
import type { Json, JsonObject } from '../../lib/contract/json.ts';
import { readFault } from '../../lib/contract/local.ts';
import { jobIdOf } from '../../lib/core/ids.ts';
import { openFaultBook } from '../../lib/local/faults.ts';
import { localParticipants } from '../../lib/local/participants.ts';
import type { CallEnvelope } from '../../lib/ports.ts';
import { localForward, readOnly, service, type TraceEvent } from '../../lib/worker/index.ts';
import { sqliteFile } from '../worker/sqlite-file.ts';

const START = Date.UTC(2026, 0, 1);
const TIMEOUT_MS = 10_000;
const jobId = jobIdOf('local', 'signup', 'k1');
const create = (changes: Partial<Call> = {}): CallEnvelope => ({
  call: {
    step: 'tenant',
    direction: 'do',
    topic: 'tenant:create',
    target: 'tenant',
    operationId: `${jobId}.tenant`,
    about: null,
    attempt: 1,
    body: { company: 'Ada' },
    fence: false,
    token: null,
    timeoutMs: TIMEOUT_MS,
    lastStartAt: START,
    deadlineAt: START + TIMEOUT_MS,
    ...changes,
  },
  jobId,
  callerId: 'local',
  workflowVersion: 1,
  correlationId: 'c-1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate: null,
});
const remove = create({
  direction: 'undo',
  topic: 'tenant:delete',
  operationId: `${jobId}.tenant.undo`,
  about: `${jobId}.tenant`,
  body: { input: { company: 'Ada' }, output: null },
});

/** Group commit takes a turn of the loop for each write; a call makes three at most. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function start(file = sqliteFile()) {
  const clock = virtualClock(START, settle);
  const faults = await openFaultBook(file.write);
  const late: { operationId: string; attempt: number; answer: Answer }[] = [];
  const traces: TraceEvent[] = [];
  const participants = await localParticipants({
    write: file.write,
    clock,
    faults,
    onLateAnswer: ({ call: { operationId, attempt } }, answer) => late.push({ operationId, attempt, answer }),
    onTrace: (event) => traces.push(event),
  });
  const arm = (fault: JsonObject) => faults.add(readFault({ target: 'tenant:create', ...fault }));
  const shown = async () => {
    const state = await participants.show('tenant');
    const { records, calls } = state as unknown as { records: JsonObject[]; calls: JsonObject[] };
    return { records: records.length, calls: calls.map(({ result }) => result as Json) };
  };
  return { participants, clock, late, traces, arm, shown };
}

/** Whether the promise is settled when everything that waits for no time has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await settle();
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}

describe('a call without a fault', () => {
  it('is answered at once, recorded, traced, and leaves no timer behind', async () => {
    const { participants, clock, shown, traces } = await start();
    expect(await participants.call(create())).toMatchObject({ kind: 'success' });
    expect(await shown()).toEqual({ records: 1, calls: ['ok'] });
    expect(clock.nextAt()).toBeNull();
    expect(traces).toMatchObject([
      { service: 'tenant', topic: 'tenant:create', status: 'ok', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
    ]);
  });

  it('shows what it was and when', async () => {
    const { participants } = await start();
    await participants.call(create({ attempt: 3 }));
    const operation_id = `${jobId}.tenant`;
    expect(await participants.show('tenant')).toMatchObject({
      records: [{ company: 'Ada', operation_id }],
      calls: [{ topic: 'tenant:create', operation_id, attempt: 3, at: '2026-01-01T00:00:00.000Z', result: 'ok' }],
    });
    expect(await participants.show('nobody')).toBeNull();
  });

  it('to a topic that nobody serves was not applied, and is no undo done', async () => {
    const { participants } = await start();
    const answer = await participants.call({ ...remove, call: { ...remove.call, topic: 'tenant:remove' } });
    expect(answer).toMatchObject({ code: 'CONTRACT_UNKNOWN_TOPIC', mayHaveApplied: false, notFound: false });
  });
});

describe('fail', () => {
  it('keeps the call from the participant and says that nothing was applied', async () => {
    const { participants, arm, shown } = await start();
    await arm({ mode: 'fail', times: 2 });
    const failed = { kind: 'failure', code: 'EXT_UNAVAILABLE', mayHaveApplied: false };
    expect(await participants.call(create())).toMatchObject(failed);
    expect(await participants.call(create({ attempt: 2 }))).toMatchObject(failed);
    expect(await participants.call(create({ attempt: 3 }))).toMatchObject({ kind: 'success' });
    expect(await shown()).toEqual({ records: 1, calls: ['EXT_UNAVAILABLE', 'EXT_UNAVAILABLE', 'ok'] });
  });

  it('answers the code it is given', async () => {
    const { participants, arm } = await start();
    await arm({ mode: 'fail', error_code: 'LEGAL_SANCTIONED' });
    expect(await participants.call(create())).toMatchObject({ code: 'LEGAL_SANCTIONED', mayHaveApplied: false });
  });
});

describe.each([
  ['fail_after_effect', 'EXT_UNEXPECTED'],
  ['drop_response', 'EXT_UNAVAILABLE'],
])('%s', (mode, code) => {
  it('applies, and leaves the caller without knowing; the next attempt learns it', async () => {
    const { participants, arm, shown, clock } = await start();
    await arm({ mode });
    expect(await participants.call(create())).toMatchObject({ kind: 'failure', code, mayHaveApplied: true });
    expect(clock.nextAt()).toBeNull();
    expect(await participants.call(create({ attempt: 2 }))).toMatchObject({ kind: 'success' });
    expect(await shown()).toEqual({ records: 1, calls: ['ok', 'ok'] });
  });
});

describe('hang', () => {
  it('applies and never answers, not even late', async () => {
    const { participants, arm, shown, clock, late } = await start();
    await arm({ mode: 'hang' });
    const answer = participants.call(create());
    await clock.advanceAsync(TIMEOUT_MS - 1);
    expect(await isPending(answer)).toBe(true);
    await clock.advanceAsync(1);
    expect(await answer).toMatchObject({ kind: 'failure', code: 'EXT_TIMEOUT', mayHaveApplied: true });
    await clock.advanceAsync(TIMEOUT_MS * 100);
    expect(late).toEqual([]);
    expect(await shown()).toEqual({ records: 1, calls: ['ok'] });
  });
});

describe('delay', () => {
  it('holds the call back before the effect', async () => {
    const { participants, arm, shown, clock } = await start();
    await arm({ mode: 'delay', delay_ms: 500 });
    const answer = participants.call(create());
    await clock.advanceAsync(499);
    expect(await shown()).toEqual({ records: 0, calls: [] });
    await clock.advanceAsync(1);
    expect(await answer).toMatchObject({ kind: 'success' });
  });

  it('that is longer than the timeout does not stop the participant: its answer comes late', async () => {
    const { participants, arm, shown, clock, late } = await start();
    await arm({ mode: 'delay', delay_ms: TIMEOUT_MS + 500 });
    const answer = participants.call(create());
    await clock.advanceAsync(TIMEOUT_MS);
    expect(await answer).toMatchObject({ code: 'EXT_TIMEOUT', mayHaveApplied: true });
    expect(await shown()).toEqual({ records: 0, calls: [] });
    await clock.advanceAsync(500);
    expect(late).toMatchObject([{ operationId: `${jobId}.tenant`, attempt: 1, answer: { kind: 'success' } }]);
    expect(await shown()).toEqual({ records: 1, calls: ['ok'] });
  });

  it('lets an undo overtake the call, which is then refused', async () => {
    const { participants, arm, shown, clock, late } = await start();
    await arm({ mode: 'delay', delay_ms: TIMEOUT_MS + 500 });
    const answer = participants.call(create());
    await clock.advanceAsync(TIMEOUT_MS);
    await answer;
    expect(await participants.call(remove)).toMatchObject({ kind: 'success' });
    await clock.advanceAsync(500);
    expect(late).toMatchObject([{ answer: { code: 'CONTRACT_OPERATION_REVOKED', fenced: true } }]);
    expect(await shown()).toEqual({ records: 0, calls: ['ok', 'CONTRACT_OPERATION_REVOKED'] });
  });
});

describe('duplicate', () => {
  it('delivers twice, applies once and answers once', async () => {
    const { participants, arm, shown, late } = await start();
    await arm({ mode: 'duplicate' });
    expect(await participants.call(create())).toMatchObject({ kind: 'success' });
    expect(await shown()).toEqual({ records: 1, calls: ['ok', 'ok'] });
    expect(late).toEqual([]);
  });
});

describe('a restart', () => {
  it('keeps records, calls and tombstones', async () => {
    const file = sqliteFile();
    const { participants } = await start(file);
    await participants.call(create());
    await participants.call(remove);
    const again = await start(file.reopen());
    expect(await again.participants.call(create({ attempt: 2 }))).toMatchObject({ fenced: true });
    expect(await again.shown()).toEqual({ records: 0, calls: ['ok', 'ok', 'CONTRACT_OPERATION_REVOKED'] });
  });
});

it('services may be others than the examples', async () => {
  const any = { input: z.unknown(), output: z.unknown() };
  const own = service('own', {
    'own:make': localForward(any, () => ({ record: { made: true }, output: null })),
    'own:look': readOnly(any, () => 'seen'),
  });
  const { write } = sqliteFile();
  const faults = await openFaultBook(write);
  const clock = virtualClock(START, settle);
  const participants = await localParticipants({ write, clock, faults, onLateAnswer: () => {}, services: [own] });
  expect(await participants.call(create({ topic: 'own:make' }))).toEqual({ kind: 'success', output: null });
  expect(await participants.call(create({ topic: 'own:look' }))).toEqual({ kind: 'success', output: 'seen' });
  expect(await participants.show('own')).toMatchObject({ records: [{ made: true }], calls: [{}, { result: 'ok' }] });
});
