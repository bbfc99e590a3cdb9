/** Drivers, batches, first runs and metrics, on memory ports. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eachMessage } from '../../lambdas/parts/batch.ts';
import { driver } from '../../lambdas/parts/driver.ts';
import { firstRun, type Invoke } from '../../lambdas/parts/first-run.ts';
import { metered } from '../../lambdas/parts/metered.ts';
import { flush } from '../../lambdas/parts/metrics.ts';
import type { JobId } from '../../lib/core/ids.ts';
import { submit } from '../../lib/operations/submit.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { sampleJob } from '../contract/sample-job.ts';
import { type World, world } from '../operations/world.ts';
import { contextWith, messages } from './events.ts';

const STRANGER = `j${'a'.repeat(26)}`;
const hint = (jobId: string): string => JSON.stringify({ kind: 'hint', jobId, revision: 0, hops: 0 });

async function aJob({ engine }: World, plan = 'free'): Promise<JobId> {
  const input = { company: 'Acme', email: 'a@b.example', plan };
  const given = { callerId: 'shop', source: 'api', workflowType: 'signup', version: null, input } as const;
  const result = await submit(engine('submit'), {
    ...given,
    idempotencyKey: `k-${plan}`,
    correlationId: null,
    trace: null,
  });
  if (result.kind === 'refused') throw new Error(result.detail);
  return result.job.jobId;
}

let written: string[] = [];
beforeEach(() => {
  written = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(String(line));
    return true;
  });
});
afterEach(() => flush(() => undefined));

describe('a driver', () => {
  it('runs the job of a hint, from its queue or by a direct invoke', async () => {
    for (const direct of [true, false]) {
      const here = world();
      const jobId = await aJob(here);
      const handler = driver(here.engine('dispatch'), 'forward');
      const event = direct ? (JSON.parse(hint(jobId)) as object) : messages(hint(jobId));
      const answer = await handler(event, contextWith());
      expect(answer).toEqual(direct ? undefined : { batchItemFailures: [] });
      expect((await here.ports.jobs.read(jobId))?.state).toBe('COMPLETED');
    }
  });

  it('gives back what it cannot settle: no job, no message, no definition', async () => {
    const here = world({ plans: examples });
    const jobId = await aJob(here);
    const engine = { ...here.engine('dispatch'), plans: { ...examples, find: () => undefined } };
    const handler = driver(engine, 'forward');
    for (const body of [hint(STRANGER), 'nonsense', hint(jobId)]) {
      expect(await handler(messages(body), contextWith())).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-0' }] });
    }
    expect(written.join('')).toContain('"UnknownVersion"');
  });

  it('folds in an answer that came by a message', async () => {
    const here = world();
    const jobId = await aJob(here);
    const result = { operation_id: `${jobId}.tenant`, attempt: 1, statusCode: 'ok', body: '{"tenant_id":"t"}' };
    expect(await driver(here.engine('dispatch'), 'forward')(messages(JSON.stringify(result)), contextWith())).toEqual({
      batchItemFailures: [],
    });
  });
});

describe('a batch', () => {
  const { log } = world().ports;

  it('names the messages that failed, and no other', async () => {
    const deal = async ({ body }: { body: string }) => {
      if (body === 'bad') throw new Error('no');
    };
    expect(await eachMessage(messages('a', 'bad', 'c'), contextWith(), log, deal)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm-1' }],
    });
  });

  it('begins nothing for which no time is left, and 0 is none', async () => {
    const dealt: string[] = [];
    const deal = async ({ body }: { body: string }) => void dealt.push(body);
    const { batchItemFailures } = await eachMessage(messages('a', 'b'), contextWith(0), log, deal);
    expect([batchItemFailures.length, dealt]).toEqual([2, []]);
  });
});

describe('the first run of a job', () => {
  const job = sampleJob;
  const hints = async (here: World) => (await here.ports.queue.receive('dispatch', 10, 1)).length;

  it('is a hint where nobody waits', async () => {
    const here = world();
    const invoke = vi.fn<Invoke>();
    const { door } = firstRun(here.engine('submit'), invoke, 'dispatch');
    await door.started(job, false);
    expect([invoke.mock.calls.length, await hints(here)]).toEqual([0, 1]);
  });

  it('is an invoke where somebody waits, whose return ends the pause between two looks', async () => {
    const here = world();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { door, engine } = firstRun(here.engine('submit'), () => promise, 'dispatch');
    await door.started(job, true);
    const looked = engine.ports.changes.next(job.jobId, 60_000);
    resolve();
    await looked;
    expect(await hints(here)).toBe(0);
  });

  it('is a hint after all when the invoke fails', async () => {
    const here = world();
    const { door, engine } = firstRun(here.engine('submit'), () => Promise.reject(new Error('429')), 'dispatch');
    await door.started(job, true);
    await engine.ports.changes.next(job.jobId, 60_000);
    expect(await hints(here)).toBe(1);
  });

  it('is let go of when the wait is over: nothing goes on in the next invocation', async () => {
    const here = world();
    const signals: AbortSignal[] = [];
    const invoke: Invoke = (_name, _job, signal) => {
      signals.push(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const run = firstRun(here.engine('submit'), invoke, 'dispatch');
    await run.door.started(job, true);
    run.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect([signals[0]?.aborted, await hints(here)]).toEqual([true, 0]);
  });
});

describe('metrics', () => {
  const lines = (): Record<string, unknown>[] => {
    const flushed: string[] = [];
    flush((line) => flushed.push(line));
    return flushed.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('count how a job ended, how long its steps took and how late its news left', async () => {
    const here = world();
    const engine = here.engine('dispatch');
    const handler = driver({ ...engine, ports: metered(engine.ports, examples) }, 'forward');
    const jobId = await aJob(here);
    await handler(messages(hint(jobId)), contextWith());
    const told = written
      .filter((line) => line.includes('_aws'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(told).toContainEqual(
      expect.objectContaining({ JobsEnded: [1], state: 'COMPLETED', workflow_type: 'signup' }),
    );
    expect(told).toContainEqual(expect.objectContaining({ topic: 'tenant:create', StepLatency: [expect.any(Number)] }));
    expect(told).toContainEqual(expect.objectContaining({ PublishLag: [expect.any(Number)], service: 'dacapo' }));
    expect(JSON.stringify(told)).not.toContain('Acme');
  });

  it('are in the embedded metric format, and written once', async () => {
    const here = world();
    const ports = metered(here.ports, examples);
    await ports.bus.publish([{ eventId: 'e', detailType: 't', detail: {}, time: here.ports.clock.now() }]);
    const [line] = lines();
    expect(line).toMatchObject({
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          { Namespace: 'dacapo', Dimensions: [['service']], Metrics: [{ Name: 'PublishLag', Unit: 'Milliseconds' }] },
        ],
      },
      PublishLag: [0],
    });
    expect(lines()).toEqual([]);
  });
});

it('every Lambda is shorter than 40 lines', () => {
  const folder = join(import.meta.dirname, '../../lambdas');
  const files = ['.', 'participants'].flatMap((sub) =>
    readdirSync(join(folder, sub))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, sub, name)),
  );
  expect(files.length).toBeGreaterThanOrEqual(15);
  for (const file of files) expect([file, readFileSync(file, 'utf8').split('\n').length < 40]).toEqual([file, true]);
});
