/** What is asked again and what is not, with a server that answers as each test says. */
import { describe, expect, it } from 'vitest';
import {
  type ClientOptions,
  client,
  ProblemError,
  StillRunningError,
  UnreachableError,
} from '../../lib/client/index.ts';
import { problemOf } from '../../lib/contract/problem.ts';

const JOB = { job_id: 'j1', current_state: 'PROCESSING', output: null };

type Reply = (url: string, init: RequestInit) => Response | Promise<Response>;

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
const problem = (code: string, jobId: string | null = null, headers = {}) => {
  const body = problemOf(code, 'because', { jobId });
  return answer(body.status, body, headers);
};
const unplugged = () =>
  Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('read'), { code: 'ECONNRESET' }) }));

/** The last reply is repeated. */
function start(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const asked: { url: string; method: string; headers: Record<string, string>; body: unknown }[] = [];
  const slept: number[] = [];
  let now = 0;
  const dacapo = client({
    url: 'http://api.test/stage/',
    random: () => 0.5,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
    fetch: async (url, init) => {
      const headers = init.headers as Record<string, string>;
      asked.push({ url, method: init.method ?? '', headers, body: JSON.parse((init.body as string | null) ?? 'null') });
      return (replies[asked.length - 1] ?? replies.at(-1) ?? unplugged)(url, init);
    },
    ...options,
  });
  const keys = () => new Set(asked.map(({ headers }) => headers['idempotency-key']));
  return { dacapo, asked, slept, keys };
}

describe('a submit', () => {
  it('is repeated under the key it was first sent with, each time a while later', async () => {
    const rig = start([unplugged, problem('ORCH_RETRYABLE_STORE'), answer(502, 'bad gateway'), answer(202, JOB)]);
    const { job, replayed, idempotencyKey } = await rig.dacapo.submit('signup', { company: 'Acme' });
    expect([job.job_id, replayed]).toEqual(['j1', false]);
    expect(rig.asked[0]).toMatchObject({ url: 'http://api.test/stage/workflows/signup/jobs', method: 'POST' });
    expect([...rig.keys()]).toEqual([idempotencyKey]);
    expect(rig.slept).toEqual([100, 200, 400]);
  });

  it('made twice has two keys', async () => {
    const rig = start([answer(202, JOB)]);
    await rig.dacapo.submit('signup', {});
    await rig.dacapo.submit('signup', {});
    expect(rig.keys().size).toBe(2);
  });

  it('ends after five attempts, and names the key to go on with', async () => {
    const rig = start([unplugged]);
    const error = await rig.dacapo.submit('signup', {}).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error).toMatchObject({ message: expect.stringContaining('ECONNRESET'), idempotencyKey: [...rig.keys()][0] });
    expect(rig.asked).toHaveLength(5);
  });

  it('is not repeated when a 503 is how its job ended', async () => {
    const rig = start([problem('EXT_UNAVAILABLE', 'j1')]);
    await expect(rig.dacapo.submit('signup', {}, { waitSeconds: 5 })).rejects.toMatchObject({
      name: 'ProblemError',
      code: 'EXT_UNAVAILABLE',
      status: 503,
      jobId: 'j1',
    });
    expect(rig.asked).toHaveLength(1);
  });

  it('waits as long as the server wishes, within reason', async () => {
    const rig = start([
      problem('ORCH_RETRYABLE_THROTTLED', null, { 'retry-after': '3' }),
      problem('ORCH_RETRYABLE_THROTTLED', null, { 'retry-after': '86400' }),
      answer(200, JOB, { 'idempotency-replayed': 'true' }),
    ]);
    expect((await rig.dacapo.submit('signup', {})).replayed).toBe(true);
    expect(rig.slept).toEqual([3_000, 30_000]);
  });

  it('says what it was told: key, correlation, version, trace', async () => {
    const rig = start([answer(202, JOB)]);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await rig.dacapo.submit('sign up', {}, { idempotencyKey: 'k', correlationId: 'c', version: 2, traceparent });
    expect(rig.asked[0]?.url).toBe('http://api.test/stage/workflows/sign%20up/jobs?version=2');
    expect(rig.asked[0]?.headers).toMatchObject({ 'idempotency-key': 'k', 'x-correlation-id': 'c', traceparent });
  });

  it('a refusal is a typed error with its code, fields and status', async () => {
    const errors = [{ path: '/plan', message: 'is missing' }];
    const rig = start([answer(422, problemOf('CONTRACT_INPUT_INVALID', 'no', { errors }))]);
    const error = await rig.dacapo.submit('signup', {}).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ code: 'CONTRACT_INPUT_INVALID', status: 422, jobId: null, problem: { errors } });
    expect(rig.asked).toHaveLength(1);
  });
});

describe('an action', () => {
  it('is asked for once: a second answer would be about the repetition', async () => {
    for (const reply of [unplugged, problem('ORCH_RETRYABLE_STORE'), answer(504, '{"message":"timed out"}')]) {
      const rig = start([reply]);
      await expect(rig.dacapo.cancel('j1', { reason: 'why' })).rejects.toThrow();
      expect(rig.asked).toHaveLength(1);
    }
  });

  it('is repeated when it was turned away before anything happened', async () => {
    const rig = start([answer(429, '{"message":"too many"}'), answer(202, JOB)]);
    await rig.dacapo.cancel('j1', { reason: 'why', expectedRevision: 4 });
    expect(rig.asked).toHaveLength(2);
    expect(rig.asked[1]).toMatchObject({
      url: 'http://api.test/stage/jobs/j1/cancel',
      body: { reason: 'why', expected_revision: 4 },
    });
  });

  it.each([
    ['resume', '/jobs/j1/resume', { reason: 'why' }],
    ['retryCompensation', '/jobs/j1/retry-compensation', { reason: 'why' }],
    ['close', '/jobs/j1/close', { reason: 'why' }],
  ] as const)('%s goes to %s', async (name, path, body) => {
    const rig = start([answer(202, JOB)]);
    await rig.dacapo[name]('j1', { reason: 'why' });
    expect(rig.asked).toMatchObject([{ url: `http://api.test/stage${path}`, body }]);
  });

  it('resolve and force-close carry what they need', async () => {
    const rig = start([answer(202, JOB)]);
    await rig.dacapo.resolve('j1', { reason: 'saw it', step: 'tenant', resolution: 'applied', evidence: 'ticket 7' });
    await rig.dacapo.forceClose('j1', { reason: 'gone', confirm: 'j1' });
    expect(rig.asked.map(({ body }) => body)).toEqual([
      { reason: 'saw it', step: 'tenant', resolution: 'applied', evidence: 'ticket 7' },
      { reason: 'gone', confirm: 'j1' },
    ]);
  });

  it('a replay is repeated: it is the same job however often it is asked for', async () => {
    const rig = start([unplugged, answer(202, JOB)]);
    await rig.dacapo.deadLetters.replay('dj1', { reason: 'fixed', input: { plan: 'free' } });
    expect(rig.asked.map(({ body }) => body)).toEqual(Array(2).fill({ reason: 'fixed', input: { plan: 'free' } }));
  });

  it('a signal has a key of its own and is repeated with it', async () => {
    const rig = start([unplugged, answer(202, JOB)]);
    await rig.dacapo.signal('j1', 'approved', { by: 'ada' });
    expect([rig.keys().size, rig.asked[1]?.url]).toEqual([1, 'http://api.test/stage/jobs/j1/signals/approved']);
  });
});

describe('every request', () => {
  it('is signed anew, with what is sent before the signer', async () => {
    const seen: unknown[] = [];
    const sign = async (outgoing: unknown) => {
      seen.push(outgoing);
      return { authorization: `Bearer ${seen.length}` };
    };
    const rig = start([unplugged, answer(202, JOB)], { sign, headers: { 'x-caller-id': 'ada' } });
    await rig.dacapo.submit('signup', { a: 1 });
    expect(rig.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 2']);
    expect(seen[0]).toMatchObject({ method: 'POST', body: '{"a":1}', headers: { 'x-caller-id': 'ada' } });
  });

  it('gives up on an attempt that is not answered in time', async () => {
    const silent: Reply = (_url, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const rig = start([silent], { timeoutMs: 5, attempts: 2 });
    await expect(rig.dacapo.get('j1')).rejects.toThrow('no answer within 5 ms');
    expect(rig.asked).toHaveLength(2);
  });

  it('ends with the caller’s own reason when the caller aborts, and is not repeated', async () => {
    const aborted = new AbortController();
    const rig = start([
      () => {
        aborted.abort(new Error('enough'));
        return unplugged();
      },
    ]);
    await expect(rig.dacapo.get('j1', { signal: aborted.signal })).rejects.toThrow('enough');
    expect(rig.asked).toHaveLength(1);
  });

  it('does not take a page of a proxy for an answer', async () => {
    await expect(start([answer(200, '<html>')]).dacapo.get('j1')).rejects.toThrow('check the address');
    await expect(start([answer(404, '<html>')]).dacapo.get('j1')).rejects.toBeInstanceOf(UnreachableError);
    await expect(start([answer(403, '{"message":"Forbidden"}')]).dacapo.get('j1')).rejects.toThrow('sign the request');
  });
});

describe('waiting', () => {
  const at = (current_state: string, output: unknown = null) => answer(200, { ...JOB, current_state, output });

  it('looks until the job rests, less and less often', async () => {
    const rig = start([...Array(7).fill(at('PROCESSING')), at('NEEDS_REVIEW')]);
    expect((await rig.dacapo.wait('j1')).current_state).toBe('NEEDS_REVIEW');
    expect(rig.slept).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
  });

  it('gives the job as it is when the time is over', async () => {
    const rig = start([at('PROCESSING')]);
    expect((await rig.dacapo.wait('j1', { timeoutMs: 250 })).current_state).toBe('PROCESSING');
    expect(rig.slept).toEqual([100, 150]);
  });

  it('to execute is to submit the same again until there is an output', async () => {
    const rig = start([answer(202, JOB), unplugged, at('COMPLETED', { id: 7 })]);
    expect(await rig.dacapo.execute('signup', {})).toEqual({ id: 7 });
    expect(rig.keys().size).toBe(1);
    expect(rig.asked.map(({ headers }) => headers.prefer)).toEqual(Array(3).fill('wait=25'));
  });

  it('to execute within a time that is over names the job that goes on', async () => {
    const error = await start([answer(202, JOB)])
      .dacapo.execute('signup', {}, { timeoutMs: 0 })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StillRunningError);
    expect(error).toMatchObject({ jobId: 'j1' });
  });
});

it('a list is read page by page, and no further than it is used', async () => {
  const page = (ids: string[], next_cursor: string | null) =>
    answer(200, { items: ids.map((job_id) => ({ job_id })), next_cursor });
  const rig = start([page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null)]);
  const ids: string[] = [];
  for await (const { job_id } of rig.dacapo.list({ state: 'FAILED', limit: 2 })) {
    ids.push(job_id);
    if (ids.length === 2) expect(rig.asked).toHaveLength(1);
  }
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(rig.asked.map(({ url }) => url.split('?')[1])).toEqual([
    'state=FAILED&limit=2',
    'state=FAILED&limit=2&cursor=c1',
    'state=FAILED&limit=2&cursor=c2',
  ]);
});

it('a batch of any size goes out in hundreds, each item under its own key, answers in order', async () => {
  const echo: Reply = (_url, init) => {
    const items = (JSON.parse(init.body as string) as { input: number }[]).map(({ input }) => ({
      status: 202,
      job: { job_id: `j${input}` },
    }));
    return answer(200, { items })();
  };
  const rig = start([unplugged, echo]);
  const answers = await rig.dacapo.batch(
    'signup',
    Array.from({ length: 120 }, (_, input) => ({ input })),
  );
  expect(rig.asked.map(({ body }) => (body as unknown[]).length)).toEqual([100, 100, 20]);
  expect(rig.asked[0]?.body).toEqual(rig.asked[1]?.body);
  expect(answers.map(({ job }) => job?.job_id)).toEqual(Array.from({ length: 120 }, (_, n) => `j${n}`));
  expect(new Set(answers.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(120);
});
