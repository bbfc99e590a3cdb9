/** Dead letters are settled by a named person, once: replayed as one linked job, or discarded. */
import { describe, expect, it } from 'vitest';
import { wireDeadLetter } from '../../lib/contract/wire-dead-letter.ts';
import { failure } from '../../lib/core/answers.ts';
import { discard } from '../../lib/operations/discard.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { findDeadLetter } from '../../lib/operations/quarantine.ts';
import { type ReplayRequest, replay } from '../../lib/operations/replay.ts';
import {
  ann,
  auditOf,
  bob,
  DAY,
  deadLetterId,
  jobId,
  others,
  quarantined,
  record,
  SIGNUP,
  SUBMIT,
  TRACE,
} from './quarantined.ts';
import { type Kill, readJob, type World, world } from './world.ts';

const byAnn: ReplayRequest = { deadLetterId, viewer: ann, reason: 'users are back', input: undefined };
const byBob: ReplayRequest = { ...byAnn, viewer: bob, reason: 'me too' };

describe('a dead letter', () => {
  it('holds all there is to judge the case by', async () => {
    const where = await quarantined();
    const job = await readJob(where, jobId);
    expect(await record(where)).toMatchObject({
      dead_letter_id: deadLetterId,
      job_id: jobId,
      correlation_id: 'corr',
      workflow_type: 'signup',
      final_state: 'DEAD_LETTERED',
      reason: 'unrecoverable_error',
      failure_error_code: 'SURPRISE',
      failure_summary: 'nobody knows this',
      retry_history: [],
      error_log: [{ step: 'user', attempt: 1, error_code: 'SURPRISE' }],
      state_history: job.history.map(({ to, seq }) => ({ seq, to_state: to })),
      payload: SIGNUP,
      replay_eligible: true,
      status: 'open',
      replayed_by: null,
      discarded_by: null,
    });
    const { quarantined_at, parked_at } = await record(where);
    expect([quarantined_at, parked_at]).toEqual(Array(2).fill(new Date(job.updatedAt).toISOString()));
  });

  it('tells every retry with its attempt, code and next time', async () => {
    const unreachable = failure('EXT_UNAVAILABLE', 'connection refused', false);
    const where = world({ between: async ({ call }, go) => (call.topic === 'user:create' ? unreachable : go()) });
    await where.submit(SUBMIT);
    await where.untilQuiet(jobId, DAY);
    const { retry_history, reason, failure_summary } = await record(where);
    const { errorLog } = await readJob(where, jobId);
    const times = errorLog.map(({ at, nextAttemptAt }) =>
      [at, nextAttemptAt].map((ms) => ms && new Date(ms).toISOString()),
    );
    expect(retry_history).toEqual(
      [1, 2, 3, 4].map((attempt, index) => ({
        step: 'user',
        attempt,
        at: times[index]?.[0],
        error_code: 'EXT_UNAVAILABLE',
        next_attempt_at: times[index]?.[1],
      })),
    );
    expect([reason, failure_summary]).toEqual([
      'max_retries_exceeded',
      'ORCH_RETRY_BUDGET_EXHAUSTED: connection refused',
    ]);
  });

  it('refers to a large payload in place of holding it, and the job has it whole', async () => {
    const company = 'Acme';
    const email = `${'a'.repeat(5_000)}@acme.example`;
    const where = await quarantined({}, { company, email, plan: 'free' });
    const { payload, payload_snapshot_ref } = await record(where);
    const { input } = await readJob(where, jobId);
    expect([payload, payload_snapshot_ref]).toEqual([undefined, `VALUE#${jobId}#${input.hash}`]);
    expect(await where.ports.values.get(jobId, input.hash ?? '')).toContain(email);
  });

  it('is announced when it is put, once', async () => {
    const where = await quarantined();
    const told = where.ports.bus.published.filter(({ detailType }) => detailType === 'job.dead_lettered');
    expect(told.map(({ detail }) => detail.dead_letter_id)).toEqual([deadLetterId]);
  });

  it('is there as soon as the job says so, published or not, and can be settled then', async () => {
    const where = await quarantined();
    const { jobs, deadLetters } = where.ports;
    const engine = where.engine('operate');
    const published = await record(where);
    const forgetful = { ...engine, ports: { ...engine.ports, deadLetters: emptyUntilPut(deadLetters) } };
    const job = await jobs.read(jobId);
    expect(job?.state).toBe('DEAD_LETTERED');
    const found = await findDeadLetter(forgetful, deadLetterId);
    expect(found === null ? null : wireDeadLetter(found)).toEqual(published);
    expect(await discard(forgetful, byAnn)).toMatchObject({ kind: 'done', record: { status: 'discarded' } });
  });

  it('that was discarded is not replayed, not even by a job that is withdrawn at once', async () => {
    const where = await quarantined();
    await discard(where.engine('operate'), byAnn);
    expect(await replay(where.engine('operate'), byBob)).toMatchObject({ kind: 'refused' });
    expect(await others(where)).toEqual([]);
  });

  it('is never replayed by itself', async () => {
    const where = await quarantined();
    await where.untilQuiet(jobId, 0);
    await where.ports.clock.advanceAsync(30 * DAY);
    expect(await others(where)).toEqual([]);
    expect((await record(where)).status).toBe('open');
  });
});

/** A store that does not have the record until somebody puts it. */
function emptyUntilPut(deadLetters: World['ports']['deadLetters']): World['ports']['deadLetters'] {
  let there = false;
  return {
    ...deadLetters,
    put: async (one) => {
      there = true;
      await deadLetters.put(one);
    },
    get: async (id) => (there ? deadLetters.get(id) : null),
    settle: async (id, settlement) => (there ? deadLetters.settle(id, settlement) : null),
  };
}

describe('a replay', () => {
  it('is a new job with the first one’s envelope and trace, linked both ways, told with who and why', async () => {
    const where = await quarantined();
    const told = await replay(where.engine('operate'), byAnn);
    if (told.kind === 'refused') throw new Error(told.detail);
    expect(await where.untilQuiet(told.job.jobId, DAY)).toBe(true);
    const made = await readJob(where, told.job.jobId);
    expect(made).toMatchObject({
      state: 'COMPLETED',
      source: 'replay',
      callerId: 'caller',
      correlationId: 'corr',
      trace: TRACE,
      lineage: { replayOf: jobId },
    });
    expect(made.history[0]).toMatchObject({
      actor: 'operator:ann',
      reason: 'replay: users are back',
      evidence: `replay of ${jobId}: same input`,
    });
    // Nothing of the first one's operations is asked for again.
    expect((await where.standing()).every(({ operationId }) => operationId.startsWith(made.jobId))).toBe(true);
    expect((await readJob(where, jobId)).lineage.replayedBy).toEqual([made.jobId]);
    expect(await record(where)).toMatchObject({ status: 'replayed', replayed_by: made.jobId, replay_eligible: false });
    expect(await auditOf(where)).toEqual(['operator:ann replay done: users are back']);
  });

  it('with an edited input says where it differs, never what it was', async () => {
    const where = await quarantined();
    const input = { ...SIGNUP, email: 'grace@acme.example', plan: 'premium' };
    const told = await replay(where.engine('operate'), { ...byAnn, input });
    if (told.kind === 'refused') throw new Error(told.detail);
    expect(told.job.history[0]?.evidence).toBe(`replay of ${jobId}: input edited at /email, /plan`);
    expect(told.job.input.data).toEqual(input);
  });

  it('is refused when the input does not fit, or what it would repeat is gone', async () => {
    const where = await quarantined({}, { ...SIGNUP, email: `${'a'.repeat(600)}@acme.example` });
    const engine = where.engine('operate');
    const wrong = await replay(engine, { ...byAnn, input: { company: 'Acme' } });
    expect(wrong).toMatchObject({ code: 'CONTRACT_INPUT_INVALID', errors: [{ path: '/email' }, { path: '/plan' }] });
    const without = (ports: object) => ({ ...engine, ports: { ...engine.ports, ...ports } });
    const gone = { code: 'ORCH_REPLAY_CONTEXT_MISSING' };
    expect(await replay(without({ values: { ...engine.ports.values, get: async () => null } }), byAnn)).toMatchObject(
      gone,
    );
    expect(await replay(without({ jobs: { ...engine.ports.jobs, read: async () => null } }), byAnn)).toMatchObject(
      gone,
    );
    const untraced = async (id: typeof jobId) => {
      const job = await engine.ports.jobs.read(id);
      return job && { ...job, trace: { traceparent: '', tracestate: null } };
    };
    expect(await replay(without({ jobs: { ...engine.ports.jobs, read: untraced } }), byAnn)).toMatchObject(gone);
    expect(await others(where)).toEqual([]);
    expect((await auditOf(where)).every((line) => line.includes('refused'))).toBe(true);
  });

  it('twice, also with another input, is the first one’s job', async () => {
    const where = await quarantined();
    const engine = where.engine('operate');
    const [one, two] = await Promise.all([
      replay(engine, byAnn),
      replay(engine, { ...byBob, input: { ...SIGNUP, plan: 'premium' } }),
    ]);
    const later = await replay(engine, byBob);
    if (one.kind === 'refused' || two.kind === 'refused' || later.kind === 'refused') throw new Error('refused');
    expect([two.job.jobId, later.job.jobId]).toEqual([one.job.jobId, one.job.jobId]);
    expect(two.job.input.data).toEqual(one.job.input.data);
    expect(await others(where)).toHaveLength(1);
    expect((await auditOf(where)).filter((line) => line.includes('done'))).toHaveLength(1);
  });
});

/** One action after whose death somebody tries again, at each of its calls. */
async function killedEverywhere(
  act: (where: World) => Promise<unknown>,
  check: (where: World, first: unknown) => Promise<void>,
): Promise<void> {
  const clean = await quarantined();
  const before = clean.invocations.length;
  await act(clean);
  const calls = clean.invocations[before]?.calls ?? [];
  expect(calls.length).toBeGreaterThan(4);
  for (const [index, call] of calls.entries()) {
    for (const mode of ['before', 'after'] as const) {
      const kill: Kill = { invocation: before, atCall: index + 1, mode };
      const where = await quarantined({ kill });
      const first = await act(where);
      expect([first, where.killed()]).toEqual([null, true]);
      try {
        await check(where, first);
      } catch (error) {
        throw new Error(`killed ${mode} call ${index + 1}, ${call}: ${String(error)}`, { cause: error });
      }
    }
  }
}

describe('whoever dies over', () => {
  it('a replay leaves it to the next one to finish, as one job in the name of who made it', async () => {
    await killedEverywhere(
      (where) => where.attempt('operate', (engine) => replay(engine, byAnn)),
      async (where) => {
        const madeByAnn = (await others(where)).length === 1;
        const told = await replay(where.engine('operate'), byBob);
        if (told.kind === 'refused') throw new Error(told.detail);
        expect(await where.untilQuiet(told.job.jobId, DAY)).toBe(true);
        expect((await others(where)).map(({ jobId: id, state }) => [id, state])).toEqual([
          [told.job.jobId, 'COMPLETED'],
        ]);
        expect((await readJob(where, jobId)).lineage.replayedBy).toEqual([told.job.jobId]);
        expect(await record(where)).toMatchObject({ status: 'replayed', replayed_by: told.job.jobId });
        const who = madeByAnn ? 'operator:ann replay done: users are back' : 'operator:bob replay done: me too';
        expect(await auditOf(where)).toEqual([who]);
      },
    );
  });

  it('a replay that made its job leaves nothing undone, though nobody tries again', async () => {
    await killedEverywhere(
      (where) => where.attempt('operate', (engine) => replay(engine, byAnn)),
      async (where) => {
        const [made] = await others(where);
        if (made === undefined) return expect((await record(where)).status).toBe('open');
        expect(await where.untilQuiet(made.jobId, DAY)).toBe(true);
        expect((await readJob(where, made.jobId)).state).toBe('COMPLETED');
        expect((await readJob(where, jobId)).lineage.replayedBy).toEqual([made.jobId]);
        expect(await record(where)).toMatchObject({ status: 'replayed', replayed_by: made.jobId, settled_by: 'ann' });
        expect(await auditOf(where)).toEqual(['operator:ann replay done: users are back']);
      },
    );
  });

  it('a discard leaves it open, or discarded and told by whoever looks next', async () => {
    await killedEverywhere(
      (where) => where.attempt('operate', (engine) => discard(engine, byAnn)),
      async (where) => {
        const settledByAnn = (await record(where)).status === 'discarded';
        const told = await discard(where.engine('operate'), byBob);
        expect(told.kind).toBe(settledByAnn ? 'refused' : 'done');
        expect(await record(where)).toMatchObject({ status: 'discarded', discarded_by: settledByAnn ? 'ann' : 'bob' });
        const done = (await auditOf(where)).filter((line) => line.includes('done'));
        expect(done).toEqual([
          settledByAnn ? 'operator:ann discard done: users are back' : 'operator:bob discard done: me too',
        ]);
      },
    );
  });
});

describe('of a replay and a discard at once', () => {
  type Verb = 'replay' | 'discard';
  const actions: Record<Verb, (engine: Engine) => Promise<{ readonly kind: string }>> = {
    replay: (engine) => replay(engine, byAnn),
    discard: (engine) => discard(engine, byBob),
  };

  it.each<[Verb, Verb]>([
    ['replay', 'discard'],
    ['discard', 'replay'],
  ])('one wins, wherever during the %s the %s comes', async (first, second) => {
    const winners = new Set<unknown>();
    const before = (await quarantined()).outsideCalls().length;
    for (let atCall = before + 1; ; atCall += 1) {
      const told: { kind: string }[] = [];
      const action = async (where: World) => void told.push(await actions[second](where.engine('operate')));
      const where = await quarantined({ meanwhile: { atCall, mode: 'before', action } });
      const own = await where.attempt('operate', actions[first]);
      if (told.length === 0) break;
      const made = (await others(where)).map(({ state }) => state);
      const { status } = await record(where);
      winners.add(status);
      const results = { [first]: own?.kind, [second]: told[0]?.kind };
      if (status === 'replayed') {
        expect([results, made]).toEqual([{ replay: 'done', discard: 'refused' }, ['PENDING']]);
      } else {
        expect([status, results]).toEqual(['discarded', { replay: 'refused', discard: 'done' }]);
        expect(made.every((state) => state === 'CANCELLED')).toBe(true);
      }
    }
    expect(winners).toEqual(new Set(['replayed', 'discarded']));
  });
});
