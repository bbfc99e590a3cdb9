/** What lists and the watchdog's look cost, how they bear an index that lags, and answers that come in part. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { jobKey, positionText } from '../../../lib/adapters/aws/items.ts';
import { dynamoJobs } from '../../../lib/adapters/aws/jobs.ts';
import { type Candidate, merged } from '../../../lib/adapters/aws/newest-first.ts';
import { pageOf } from '../../../lib/adapters/aws/pages.ts';
import type { Job } from '../../../lib/core/job.ts';
import { shardOf } from '../../../lib/core/shard.ts';
import { ThrottledError } from '../../../lib/core/store-error.ts';
import type { JobStore, ListPosition } from '../../../lib/ports.ts';
import { idOf, newJob, silentWrite, T0 } from '../../contracts/jobs.ts';
import { allPages, EVERYTHING, unique } from '../../contracts/support.ts';
import { localClients } from './clients.ts';
import { always, answering, type Fault, faulty } from './faulty-handler.ts';
import { TABLE_NAME } from './table.ts';

const clients = localClients();
const store = (): JobStore => dynamoJobs(clients.dynamodb, TABLE_NAME, () => T0);

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

async function jobsOf(callerId: string, count: number): Promise<Job[]> {
  const jobs = Array.from({ length: count }, (_, n) => newJob(unique('key'), { callerId, createdAt: T0 + n }));
  await Promise.all(jobs.map((job) => store().create(job)));
  return jobs;
}

describe('a list', () => {
  it('costs four queries and one read of many for a page', async () => {
    const callerId = unique('caller');
    await jobsOf(callerId, 60);
    const attempts = faulty(clients.dynamodb, () => null);
    const page = await store().list({ ...EVERYTHING, callerId, limit: 25 });
    expect(page.items).toHaveLength(25);
    expect(attempts.filter((operation) => operation === 'Query')).toHaveLength(4);
    expect(attempts.filter((operation) => operation === 'BatchGetItem')).toHaveLength(1);
    expect(attempts).toHaveLength(5);
  });

  it('finds a job without a correlation id under its own, beside those that took it for theirs', async () => {
    const callerId = unique('caller');
    const key = unique('key');
    const own = newJob(key, { callerId, createdAt: T0 + 1 });
    const first = { ...own, correlationId: own.jobId };
    const replay = newJob(unique('key'), { callerId, correlationId: own.jobId, createdAt: T0 + 2 });
    for (const job of [first, replay]) await store().create(job);
    expect(await allPages(store(), { correlationId: own.jobId, limit: 1 })).toEqual([replay, first]);
    expect(await allPages(store(), { correlationId: own.jobId, callerId: unique('stranger') })).toEqual([]);
  });

  it('takes every name for data, whatever it would mean in an expression or a key', async () => {
    const names = ['#at', ':oldest', "a' OR 1=1", 'SET x', '"quoted"', 'a#0', 'a', ' ', 'ü😀', '__proto__'];
    const jobs = names.map((name) =>
      newJob(unique('key'), { callerId: name, correlationId: `${name} ${unique('c')}` }),
    );
    for (const job of jobs) await store().create(job);
    for (const job of jobs) {
      const { callerId, correlationId } = job;
      expect(await allPages(store(), { callerId }), callerId).toEqual([job]);
      expect(await allPages(store(), { correlationId }), correlationId).toEqual([job]);
    }
  });

  it('reads on where the table answered a part only', async () => {
    const callerId = unique('caller');
    const jobs = await jobsOf(callerId, 10);
    const attempts = faulty(clients.dynamodb, always('BatchGetItem', halfAnswered));
    const page = await store().list({ ...EVERYTHING, callerId });
    expect(page.items).toEqual(jobs.toReversed());
    expect(attempts.filter((operation) => operation === 'BatchGetItem').length).toBeGreaterThan(1);
  });

  it('gives up, as throttled, on a table that answers nothing time after time', async () => {
    const callerId = unique('caller');
    await jobsOf(callerId, 2);
    const attempts = faulty(clients.dynamodb, always('BatchGetItem', unanswered));
    await expect(store().list({ ...EVERYTHING, callerId })).rejects.toThrow(ThrottledError);
    expect(attempts.filter((operation) => operation === 'BatchGetItem')).toHaveLength(4);
  });

  it('leaves out what the index still names and the table has removed', async () => {
    const callerId = unique('caller');
    const [job] = await jobsOf(callerId, 1);
    faulty(clients.dynamodb, always('Query', naming(callerId)));
    expect(await allPages(store(), { callerId })).toEqual([job]);
  });
});

interface Batch {
  readonly Responses: Record<string, unknown[]>;
  readonly UnprocessedKeys: Record<string, { readonly Keys: unknown[] }>;
}

/** The first half of the items; the keys of the others come back unread. */
const halfAnswered: Fault = answering(async (answer) => {
  const { Responses } = answer as unknown as Batch;
  const items = Responses[TABLE_NAME] ?? [];
  const kept = items.slice(0, Math.ceil(items.length / 2));
  return { Responses: { [TABLE_NAME]: kept }, ...unread(items.slice(kept.length)) };
});

const unanswered: Fault = answering(async (answer) => {
  const { Responses } = answer as unknown as Batch;
  return { Responses: {}, ...unread(Responses[TABLE_NAME] ?? []) };
});

function unread(items: readonly unknown[]) {
  const Keys = (items as { pk: object; sk: object }[]).map(({ pk, sk }) => ({ pk, sk }));
  return { UnprocessedKeys: Keys.length === 0 ? {} : { [TABLE_NAME]: { Keys } } };
}

/** As an index that lags: it still has an entry of a job that is no longer there. */
function naming(callerId: string): Fault {
  const jobId = idOf(unique('gone'));
  const entry = {
    ...jobKey(jobId),
    at: { S: positionText({ createdAt: T0, jobId }) },
    by_caller: { S: `${callerId}#0` },
  };
  return answering(async (answer) => ({ ...answer, Items: [...(answer.Items as object[]), entry] }));
}

describe('what is due', () => {
  const due = async (shard: number) => (await store().due({ shard, now: T0, limit: 100, after: null })).items;

  it('is not what has left its bucket, though the index still names it', async () => {
    const job = newJob(unique('key'));
    await store().create(job);
    const stale = { ...jobKey(job.jobId), active: { S: 'ACTIVE#00' }, bucket: { N: String(T0) } };
    await store().update(silentWrite(job, { bucket: null }), job.revision);
    const gone = { ...jobKey(idOf(unique('gone'))), active: { S: 'ACTIVE#00' }, bucket: { N: String(T0) } };
    faulty(
      clients.dynamodb,
      always(
        'Query',
        answering(async () => ({ Items: [stale, gone, stale] })),
      ),
    );
    expect(await due(shardOf(job.jobId))).toEqual([]);
  });

  it('is each job once, though the index names it at two places while it moves', async () => {
    const job = newJob(unique('key'));
    await store().create(job);
    const entry = { ...jobKey(job.jobId), active: { S: 'ACTIVE#00' }, bucket: { N: String(T0) } };
    faulty(
      clients.dynamodb,
      always(
        'Query',
        answering(async () => ({ Items: [entry, entry] })),
      ),
    );
    expect(await due(0)).toHaveLength(1);
  });

  it('costs one query and one read of many, for up to a hundred jobs', async () => {
    const jobs = await jobsOf(unique('caller'), 30);
    const shard = shardOf(jobs[0]?.jobId ?? '');
    const attempts = faulty(clients.dynamodb, () => null);
    expect((await due(shard)).length).toBeGreaterThan(0);
    expect(attempts).toEqual(['Query', 'BatchGetItem']);
  });
});

describe('a page', () => {
  const many = async function* (count: number): AsyncGenerator<Candidate> {
    for (let n = count; n > 0; n -= 1) yield { position: positionText({ createdAt: n, jobId: `j${n}` }), key: {} };
  };
  const listed = (count: number, after: ListPosition | null, matches: (n: number) => boolean) =>
    pageOf({
      candidates: after === null ? many(count) : many(after.createdAt - 1),
      limit: 10,
      load: async (candidates) => candidates.map(({ position }) => Number(position.slice(0, 13))),
      matches,
    });

  it('ends after a thousand records looked at, though it found none, and says where to go on', async () => {
    const page = await listed(5_000, null, () => false);
    expect(page.items).toEqual([]);
    expect(page.next?.createdAt).toBeLessThanOrEqual(4_000);
    expect(page.next?.createdAt).toBeGreaterThan(3_900);
  });

  it('finds every rare record over as many pages as it takes', async () => {
    const found: number[] = [];
    let after: ListPosition | null = null;
    do {
      const page: Awaited<ReturnType<typeof listed>> = await listed(5_000, after, (n) => n % 900 === 0);
      found.push(...page.items);
      after = page.next;
    } while (after !== null);
    expect(found).toEqual([4_500, 3_600, 2_700, 1_800, 900]);
  });

  it('has no next one when it holds the last record', async () => {
    expect((await listed(10, null, () => true)).next).toBeNull();
    expect((await listed(11, null, () => true)).next).toEqual({ createdAt: 2, jobId: 'j2' });
  });
});

describe('partitions read side by side', () => {
  it('give one list, newest first, whatever each of them holds', async () => {
    const stream = async function* (...positions: string[]): AsyncGenerator<Candidate> {
      for (const position of positions) yield { position, key: {} };
    };
    const found: string[] = [];
    for await (const { position } of merged([stream('9', '4', '1'), stream(), stream('8', '7'), stream('5')])) {
      found.push(position);
    }
    expect(found).toEqual(['9', '8', '7', '5', '4', '1']);
  });
});
