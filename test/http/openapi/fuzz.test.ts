/**
 * Every operation of the document, asked right and wrong of jobs in every situation, by every kind of caller, over a
 * store that sometimes fails: no answer is one the document does not tell of, and every status below 500 that it tells
 * of is met.
 */
import { afterAll, describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../../lib/adapters/memory/clock.ts';
import { Refusal } from '../../../lib/contract/problem.ts';
import type { Answer } from '../../../lib/core/answers.ts';
import { failure } from '../../../lib/core/answers.ts';
import { isObject } from '../../../lib/core/json.ts';
import { paused } from '../../../lib/core/pause.ts';
import type { WorkflowPlan } from '../../../lib/core/plan.ts';
import { StoreError, ThrottledError } from '../../../lib/core/store-error.ts';
import { createApp } from '../../../lib/http/app.ts';
import { localCaller } from '../../../lib/local/caller.ts';
import type { Ports } from '../../../lib/ports.ts';
import { scheduleRecord } from '../../contracts/schedules.ts';
import { documents, inMemory, seeded } from '../seeded.ts';
import { SITUATIONS } from '../situations.ts';
import { house } from '../support.ts';
import { DAY, waiting } from '../waiting.ts';
import { misfit, operations } from './document.ts';
import { type Dictionary, type Drawn, draw, generator } from './fuzz.ts';

/** Rounds over all operations: enough that what is met is met with a margin, in a few seconds. */
const ROUNDS_A_SITUATION = 12;
const ROUNDS_OF_SUBMITS = 250;
const ROUNDS_OF_WAITS = 320;
/** Nobody is made to wait longer. */
const MINUTE = 60_000;
const reached = new Set<string>();
let asked = 0;

type Fetch = (path: string, init: RequestInit) => Promise<Response> | Response;

async function check(fetch: Fetch, dictionary: Dictionary, random: () => number, only = operations): Promise<void> {
  // In another order each time: what one operation does to the job is what the next one finds.
  const shuffled = only.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at);
  for (const { one } of shuffled) {
    const drawn = draw(one, dictionary, random);
    // A submit is sent twice: what a duplicate is answered is documented too.
    if (one.operation.operationId === 'submitJob') await hold(fetch, one, drawn);
    await hold(fetch, one, drawn);
  }
}

async function hold(fetch: Fetch, one: (typeof operations)[number], { path, init }: Drawn): Promise<void> {
  const response = await fetch(path, init as RequestInit);
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const body: unknown = /^(text\/plain|image\/svg)/.test(type) ? text : JSON.parse(text);
  asked += 1;
  const told = `${init.method} ${path} ${JSON.stringify(init.headers)} ${init.body ?? ''} → ${response.status} ${text.slice(0, 300)}`;
  expect(misfit(one.operation, response.status, type, body), told).toBeNull();
  reached.add(`${one.method} ${one.path} ${response.status}`);
}

/** The router, in time that passes only while it answers. */
function inTime({ request }: Pick<ReturnType<typeof createApp>, 'request'>, clock: VirtualClock): Fetch {
  return async (path, init) => {
    let done = false;
    const answer = Promise.resolve(request(path, init)).finally(() => {
      done = true;
    });
    await clock.advanceUntil(() => done, MINUTE);
    // What the request started comes to its end too.
    await clock.advanceAsync(1);
    return answer;
  };
}

/** One input does not fit, so that a replay on it is refused. */
const demanding = (plan: WorkflowPlan): WorkflowPlan => ({
  ...plan,
  checkInput: (input) =>
    isObject(input) && 'a' in input
      ? { ok: false, errors: [{ path: '/a', message: 'is not wanted' }] }
      : plan.checkInput(input),
});

/** A store that now and then throttles or fails, before it does anything. */
function failing(ports: Ports, random: () => number): Ports {
  const sometimes = <T extends object>(store: T): T =>
    new Proxy(store, {
      get: (target, name) => {
        const method = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...given: unknown[]) => {
          const drawn = random();
          if (drawn < 0.05) return Promise.reject(new ThrottledError('asked for fewer calls'));
          if (drawn < 0.08) return Promise.reject(new StoreError('disk full'));
          return method.apply(target, given);
        };
      },
    });
  const { jobs, deadLetters, audit, schedules, values, claims, pauses, dependencies } = ports;
  return {
    ...ports,
    jobs: sometimes(jobs),
    deadLetters: sometimes(deadLetters),
    audit: sometimes(audit),
    schedules: sometimes(schedules),
    values: sometimes(values),
    claims: sometimes(claims),
    pauses: sometimes(pauses),
    dependencies: sometimes(dependencies),
  };
}

const DEPENDENCIES = [{ id: 'user', topics: ['user:create'], standIns: [], releasePerSecond: 50, healthTopic: null }];

/** One in force and one that is over. */
async function pauseIds({ pauses }: Ports): Promise<string[]> {
  const by = { actor: 'operator:ann', reason: 'because' };
  const made = ['bob', 'eve'].map((value) => paused(null, { scope: 'caller', value }, by, 0));
  const [active, over] = made.map((pause) => (pause === null ? neverNull() : pause));
  await pauses.put(active ?? neverNull());
  await pauses.put({ ...(over ?? neverNull()), status: 'released' });
  return [active?.id ?? '', active?.id ?? '', over?.id ?? ''];
}

function neverNull(): never {
  throw new Error('a first pause always changes something');
}

const caller: typeof localCaller = (request) => {
  if (request.headers.has('x-anonymous')) throw new Refusal('ORCH_UNAUTHENTICATED', 'say who calls');
  return localCaller(request);
};

describe('what the document says holds', () => {
  it.each(SITUATIONS)('for a job that $name', async (situation) => {
    const moment = { ...situation.moment, plan: demanding(situation.moment.plan) };
    const { job, plan } = moment;
    // Few situations have a dead letter to replay, or nothing open, so that they can be closed.
    const isRare = situation.deadLetter === 'open' || 'close' in situation.allowed;
    const rounds = isRare ? ROUNDS_A_SITUATION * 4 : ROUNDS_A_SITUATION;
    for (let round = 0; round < rounds; round += 1) {
      const random = generator(round * 1_000 + SITUATIONS.indexOf(situation));
      const { engine, ports, revision } = await seeded(inMemory, { moment });
      await ports.schedules.put(scheduleRecord({ name: 'nightly', workflowType: plan.type, revision: 1_000 }), null);
      const app = createApp({
        engine: { ...engine, ports: failing(ports, random), dependencies: DEPENDENCIES },
        caller,
        documents,
        door: { started: () => undefined },
      });
      const dictionary: Dictionary = {
        topic: [`${plan.type}:submit`, 'benzene:mesh', 'nothing:here'],
        body: ['{}', '{', '[]'],
        job_id: [job.jobId, job.jobId, job.jobId, `j${'a'.repeat(26)}`],
        id: [...Array(6).fill(`d${job.jobId}`), `dj${'a'.repeat(26)}`, ...(await pauseIds(ports)), 'user', 'user'],
        value: ['ann', plan.type],
        type: [plan.type, plan.type, 'nothing'],
        confirm: [job.jobId, job.jobId, 'no'],
        reason: ['because', 'because', 'because', ' '],
        step: [...job.steps.map(({ name }) => name), 'nothing'],
        expected_revision: [revision, revision, 0],
        input: [{ a: 1 }, {}],
        cursor: ['nonsense'],
        version: [plan.version, plan.version, 9],
        name: ['nightly', 'nightly', 'other'],
        workflow_type: [plan.type, plan.type, plan.type, 'nothing'],
        workflow_version: [plan.version],
        expression: ['rate(5 minutes)', 'cron(0 8 * * *)', 'never'],
        timezone: ['UTC', 'Europe/Berlin'],
        max_ticks: [0, 1],
        within_seconds: [60],
      };
      await check(inTime(app, ports.clock as VirtualClock), dictionary, random);
    }
  });

  it('for submits, waited for or not, however they end', async () => {
    const codes = [
      'DQ_X',
      'CONTRACT_CONFLICT',
      'CONTRACT_NOT_FOUND',
      'EXT_THROTTLED',
      'EXT_UNAVAILABLE',
      'EXT_TIMEOUT',
      'ODD',
    ];
    const submits = operations.filter(({ path }) => path.startsWith('/workflows/{type}/jobs'));
    for (let round = 0; round < ROUNDS_OF_SUBMITS; round += 1) {
      const random = generator(round + 77);
      const code = codes[round % (codes.length * 2)];
      const bad: Answer | undefined = code === undefined ? undefined : failure(code, 'because', false);
      const { app, ports } = house(({ topic }: { topic: string }) => (topic === 'user:create' ? bad : undefined));
      const dictionary: Dictionary = {
        type: ['signup', 'signup', 'order', 'research', 'nothing'],
        company: ['Acme', 'Acme', 'Acme', 'Other'],
        email: ['ada@example.com'],
        plan: ['free', 'free', 'unknown'],
        version: [1, 1, 9],
      };
      await check(inTime(app, ports.clock), dictionary, random, [
        ...submits,
        ...submits,
        ...submits,
        ...submits,
        ...submits,
      ]);
    }
  });

  it('for jobs that wait, at every place and after it', async () => {
    // What a signal carries is the workflow's own: the document cannot say it, this job can.
    const schema = { type: 'object', properties: { street: { type: 'string' } }, required: ['street'] };
    const requestBody = { content: { 'application/json': { schema } } };
    const waits = operations
      .filter(({ path }) => /signals|callbacks|approvals|approve$/.test(path))
      .map((one) => (one.path.includes('signals') ? { ...one, operation: { ...one.operation, requestBody } } : one));
    for (let round = 0; round < ROUNDS_OF_WAITS; round += 1) {
      const random = generator(round + 777);
      const rig = await waiting();
      // A third of them are past the first step, a third wait for a person; some are looked at too late.
      if (round % 3 > 0) await rig.callback(rig.tokenOf('pack'));
      if (round % 3 > 1) await rig.tell({ street: 'Main' });
      await rig.go(round % 4 === 0 ? 31 * MINUTE : 0);
      if (round % 5 === 0) rig.ports.clock.advance(8 * DAY);
      const dictionary: Dictionary = {
        job_id: [rig.jobId, rig.jobId, rig.jobId, `j${'a'.repeat(26)}`],
        name: ['address', 'address', 'nothing'],
        token: [...Object.values(rig.tokens).flat(), ...Object.values(rig.tokens).flat(), 'nothing'],
        street: ['Main'],
        status: ['succeeded', 'succeeded', 'failed'],
        error_code: ['DQ_X'],
        output: [{ weight: 1 }, { decision: 'approved' }, 7],
        step: ['release', 'release', 'pack'],
        reason: ['because'],
      };
      const engine = { ...rig.engine, ports: failing(rig.ports, random) };
      const app = createApp({ engine, caller, documents, door: { started: () => undefined } });
      await check(inTime(app, rig.ports.clock), dictionary, random, [...waits, ...waits]);
    }
  });

  afterAll(() => {
    const promised = operations.flatMap(({ method, path, operation }) =>
      Object.keys(operation.responses)
        .filter((status) => Number(status) < 500)
        .map((status) => `${method} ${path} ${status}`),
    );
    expect(
      promised.filter((one) => !reached.has(one)),
      `never met in ${asked} requests`,
    ).toEqual([]);
  });
});
