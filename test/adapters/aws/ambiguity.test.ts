/** What the service has done and what the client has heard may differ. Every write knows its own again. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { dynamoClaims } from '../../../lib/adapters/aws/claims.ts';
import { dynamoDeadLetters } from '../../../lib/adapters/aws/dead-letters.ts';
import { jobItem } from '../../../lib/adapters/aws/job-item.ts';
import { dynamoJobs } from '../../../lib/adapters/aws/jobs.ts';
import { dynamoValues } from '../../../lib/adapters/aws/values.ts';
import type { Job } from '../../../lib/core/job.ts';
import { shardOf } from '../../../lib/core/shard.ts';
import { StoreError, ThrottledError } from '../../../lib/core/store-error.ts';
import type { JobStore } from '../../../lib/ports.ts';
import { newJob, nextWrite, silentWrite, T0 } from '../../contracts/jobs.ts';
import { unique } from '../../contracts/support.ts';
import { localClients } from './clients.ts';
import {
  always,
  applyThenBreak,
  bodyOf,
  breakBefore,
  type Fault,
  fail,
  faulty,
  first,
  json,
  lookUp,
  neverAnswers,
  textOf,
  throttle,
  type WireItem,
} from './faulty-handler.ts';
import { TABLE_NAME } from './table.ts';

const clients = localClients();
const store = (): JobStore => dynamoJobs(clients.dynamodb, TABLE_NAME, () => T0);

beforeEach(() => {
  // Full jitter of nothing: retries come at once.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

/** What the service answers with a failed condition to those who ask for it, and this engine does not. */
const withOldItem: Fault = async (request, deliver) => {
  const sent = bodyOf(request) as { Item: WireItem; ReturnValuesOnConditionCheckFailure?: string };
  const response = await deliver(request);
  if (response.statusCode !== 400 || sent.ReturnValuesOnConditionCheckFailure !== 'ALL_OLD') return response;
  const { pk = {}, sk = {} } = sent.Item;
  const Item = await lookUp(request, deliver, TABLE_NAME, { pk, sk });
  return json(400, { ...JSON.parse(await textOf(response)), Item });
};

const answeredByService: readonly [string, Fault | null, readonly string[]][] = [
  ['with the item in the refusal', withOldItem, ['PutItem', 'PutItem']],
  ['read back where the refusal carries none', null, ['PutItem', 'PutItem', 'GetItem']],
];

describe.each(answeredByService)('a write whose answer is lost, %s', (_how, refusal, expected) => {
  const lostOnce = (): readonly string[] => {
    let n = 0;
    const attempts = faulty(clients.dynamodb, (operation) => {
      if (operation !== 'PutItem') return null;
      n += 1;
      return n === 1 ? applyThenBreak : refusal;
    });
    return attempts;
  };

  it('counts as our create', async () => {
    const job = newJob(unique('key'));
    const attempts = lostOnce();
    expect(await store().create(job)).toEqual({ created: true });
    expect(attempts).toEqual(expected);
    expect(await store().read(job.jobId)).toEqual(job);
  });

  it.each([
    ['with an entry in the history', nextWrite],
    ['without one', silentWrite],
  ])('counts as our update %s', async (_name, write) => {
    const job = await created();
    const mine = write(job);
    const attempts = lostOnce();
    expect(await store().update(mine, job.revision)).toEqual({ stored: true });
    expect(attempts).toEqual(expected);
    expect(await store().read(job.jobId)).toEqual(mine);
  });

  it('counts as ours though somebody wrote on top before the SDK tried again', async () => {
    const job = await created();
    const mine = nextWrite(job);
    const theirs = nextWrite(mine);
    let n = 0;
    faulty(clients.dynamodb, (operation) => {
      if (operation !== 'PutItem') return null;
      n += 1;
      return n === 1 ? applyThenOvertaken(theirs) : n === 2 ? null : refusal;
    });
    expect(await store().update(mine, job.revision)).toEqual({ stored: true });
    expect(await store().read(job.jobId)).toEqual(theirs);
  });

  it("does not count somebody else's write as ours", async () => {
    const job = await created();
    const theirs = nextWrite(job);
    let n = 0;
    faulty(clients.dynamodb, (operation) => {
      if (operation !== 'PutItem') return null;
      n += 1;
      return n === 1 ? overtaken(theirs) : n === 2 ? null : refusal;
    });
    expect(await store().update(nextWrite(job), job.revision)).toEqual({ stored: false, current: theirs });
  });
});

const overtake = async (theirs: Job): Promise<void> => {
  await clients.dynamodb.send(new PutItemCommand({ TableName: TABLE_NAME, Item: jobItem(theirs) }));
};
const applyThenOvertaken =
  (theirs: Job): Fault =>
  async (request, deliver) => {
    await applyThenBreak(request, deliver).catch(() => undefined);
    await overtake(theirs);
    throw Object.assign(new Error('socket'), { code: 'ECONNRESET' });
  };
const overtaken =
  (theirs: Job): Fault =>
  async () => {
    await overtake(theirs);
    throw Object.assign(new Error('socket'), { code: 'ECONNRESET' });
  };

describe('a write that is refused or lost for good', () => {
  it('is made once when the first attempt was lost on the way there', async () => {
    const job = newJob(unique('key'));
    const attempts = faulty(clients.dynamodb, first(1, 'PutItem', breakBefore('ECONNRESET')));
    expect(await store().create(job)).toEqual({ created: true });
    expect(attempts).toEqual(['PutItem', 'PutItem']);
  });

  it('ends as a store error after three attempts, and is recognised when it is made again', async () => {
    const job = newJob(unique('key'));
    let broken = true;
    const attempts = faulty(clients.dynamodb, (operation) =>
      broken && operation === 'PutItem' ? applyThenBreak : null,
    );
    await expect(store().create(job)).rejects.toThrow(StoreError);
    expect(attempts).toEqual(['PutItem', 'PutItem', 'PutItem']);
    broken = false;
    expect(await store().create(job)).toEqual({ created: true });
  });

  it.each([
    ['throttled', throttle, ThrottledError, 'ORCH_RETRYABLE_THROTTLED'],
    [
      'over the capacity',
      fail(400, 'ProvisionedThroughputExceededException'),
      ThrottledError,
      'ORCH_RETRYABLE_THROTTLED',
    ],
    ['answered 500', fail(500, 'InternalServerError'), StoreError, 'ORCH_RETRYABLE_STORE'],
    ['answered 503', fail(503, 'ServiceUnavailable'), StoreError, 'ORCH_RETRYABLE_STORE'],
    ['cut off', breakBefore('ECONNREFUSED'), StoreError, 'ORCH_RETRYABLE_STORE'],
    ['without an answer', neverAnswers(30), StoreError, 'ORCH_RETRYABLE_STORE'],
  ])('%s, is tried three times and no more', async (_name, fault, type, code) => {
    const job = await created();
    const attempts = faulty(clients.dynamodb, always('PutItem', fault));
    const refusal = store().update(nextWrite(job), job.revision);
    await expect(refusal).rejects.toThrow(type);
    await expect(refusal).rejects.toMatchObject({ code });
    expect(attempts).toEqual(['PutItem', 'PutItem', 'PutItem']);
    expect(await store().read(job.jobId)).toEqual(job);
  });

  it.each([
    ['ValidationException', 400],
    ['AccessDeniedException', 400],
    ['ResourceNotFoundException', 400],
  ])('%s, is a mistake that no repetition mends: tried once, and not called transient', async (type, status) => {
    const attempts = faulty(clients.dynamodb, always('PutItem', fail(status, type)));
    const refusal = store().create(newJob(unique('key')));
    await expect(refusal).rejects.not.toThrow(StoreError);
    await expect(refusal).rejects.toMatchObject({ name: type });
    expect(attempts).toEqual(['PutItem']);
  });
});

describe('the small stores, when an answer is lost', () => {
  it('hold the claim that was made unheard', async () => {
    const claims = dynamoClaims(clients.dynamodb, TABLE_NAME);
    const intent = unique('intent');
    faulty(clients.dynamodb, first(1, 'PutItem', applyThenBreak));
    expect(await claims.claim(intent, T0, 1_000)).toBe(T0);
    expect(await claims.claim(intent, T0 + 5, 1_000)).toBe(T0);
  });

  it('settle a dead letter once, and say by whom', async () => {
    const letters = dynamoDeadLetters(clients.dynamodb, TABLE_NAME, () => T0);
    const { jobId } = newJob(unique('key'));
    const deadLetterId = `d${jobId}`;
    await letters.put({
      deadLetterId,
      jobId,
      callerId: 'local',
      workflowType: 'signup',
      reason: 'unrecoverable_error',
      status: 'open',
      quarantinedAt: T0,
      seq: 3,
      body: {},
      settlement: null,
    });
    faulty(clients.dynamodb, first(1, 'UpdateItem', applyThenBreak));
    const mine = { status: 'discarded', by: 'ada', reason: 'test', at: T0, replayJobId: null } as const;
    expect(await letters.settle(deadLetterId, mine)).toMatchObject({ status: 'discarded', settlement: mine });
    const theirs = await letters.settle(deadLetterId, { ...mine, by: 'bob' });
    expect(theirs).toMatchObject({ settlement: { by: 'ada' } });
  });
});

async function created(): Promise<Job> {
  const job = newJob(unique('key'));
  await store().create(job);
  return job;
}

describe('whatever a decision is made on', () => {
  it('is read consistently, by every way there is', async () => {
    const job = await created();
    const reads: [string, unknown][] = [];
    faulty(clients.dynamodb, (operation) => (request, deliver) => {
      const { ConsistentRead, RequestItems } = bodyOf(request) as {
        ConsistentRead?: boolean;
        RequestItems?: Record<string, { ConsistentRead?: boolean }>;
      };
      if (operation !== 'PutItem')
        reads.push([operation, ConsistentRead ?? RequestItems?.[TABLE_NAME]?.ConsistentRead]);
      return deliver(request);
    });
    const { jobId } = job;
    await store().read(jobId);
    await store().readHistoryChunks(jobId);
    await store().update(nextWrite(job), 17);
    await dynamoValues({ ...clients, tableName: TABLE_NAME, bucketName: 'none', now: () => T0 }).get(jobId, 'hash');
    await dynamoDeadLetters(clients.dynamodb, TABLE_NAME, () => T0).get('djob');
    await store().due({ shard: shardOf(jobId), now: T0, limit: 1, after: null });
    expect(reads).toEqual([
      ['GetItem', true],
      ['Query', true],
      ['GetItem', true],
      ['GetItem', true],
      ['GetItem', true],
      // The index cannot be read so; it finds candidates only.
      ['Query', undefined],
      ['BatchGetItem', true],
    ]);
  });
});
