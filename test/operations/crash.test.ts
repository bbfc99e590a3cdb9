/**
 * Every way a job can end, with every function killed at each of its outside calls, before and after the call takes
 * effect. A dead function runs nothing more; what it leaves must be enough for the others to finish the job.
 */
import { describe, expect, it } from 'vitest';
import { failure } from '../../lib/core/answers.ts';
import { jobIdOf } from '../../lib/core/ids.ts';
import type { Json } from '../../lib/core/json.ts';
import { holdsTogether } from './invariants.ts';
import { type Between, type Kill, readJob, type World, world } from './world.ts';

interface Story {
  readonly name: string;
  readonly workflow: 'signup' | 'order';
  readonly input: Json;
  readonly between?: () => Between;
  /** States in which the job may stop; a crash must not lead anywhere else. */
  readonly ends: readonly string[];
}

const signup = { company: 'Acme', email: 'ada@acme.example', plan: 'standard' };
const order = { order_id: 'o-1', sku: 's-1', quantity: 2, amount: 40, address: '1 Main Street' };

/** The call takes effect and its answer is lost, for the first `times` calls of a topic. */
const losing = (topic: string, times: number): (() => Between) => {
  return () => {
    let left = times;
    return async (envelope, deliver) => {
      const answer = await deliver();
      if (envelope.call.topic !== topic || left <= 0) return answer;
      left -= 1;
      return failure('EXT_UNAVAILABLE', 'the connection broke', true);
    };
  };
};

/** The participant is never reached. */
const unreachable = (topic: string, times: number): (() => Between) => {
  return () => {
    let left = times;
    return async (envelope, deliver) => {
      if (envelope.call.topic !== topic || left <= 0) return deliver();
      left -= 1;
      return failure('EXT_UNAVAILABLE', 'connection refused', false);
    };
  };
};

const ALWAYS = 1_000;
const STORIES: readonly Story[] = [
  { name: 'a signup that succeeds', workflow: 'signup', input: signup, ends: ['COMPLETED'] },
  { name: 'a signup refused in stage 1', workflow: 'signup', input: { ...signup, plan: 'gold' }, ends: ['FAILED'] },
  { name: 'a signup refused in stage 2', workflow: 'signup', input: { ...signup, email: 'nobody' }, ends: ['FAILED'] },
  {
    name: 'a signup whose rollback fails',
    workflow: 'signup',
    input: { ...signup, company: 'sticky Acme', email: 'nobody' },
    ends: ['NEEDS_REVIEW'],
  },
  {
    name: 'a signup that succeeds at the second try',
    workflow: 'signup',
    input: signup,
    between: unreachable('user:create', 1),
    ends: ['COMPLETED'],
  },
  {
    name: 'a signup whose retries run out',
    workflow: 'signup',
    input: signup,
    between: unreachable('user:create', ALWAYS),
    ends: ['DEAD_LETTERED'],
  },
  {
    name: 'a signup whose answer is lost once',
    workflow: 'signup',
    input: signup,
    between: losing('tenant:create', 1),
    ends: ['COMPLETED'],
  },
  {
    name: 'a signup whose answers are all lost',
    workflow: 'signup',
    input: signup,
    between: losing('billing:setup', ALWAYS),
    ends: ['DEAD_LETTERED'],
  },
  { name: 'an order that succeeds', workflow: 'order', input: order, ends: ['COMPLETED'] },
  { name: 'an order without address', workflow: 'order', input: { ...order, address: '' }, ends: ['FAILED'] },
  {
    name: 'an order whose payment answer is lost',
    workflow: 'order',
    input: order,
    between: losing('payment:authorise', 1),
    ends: ['COMPLETED'],
  },
  {
    name: 'an order whose parcel and every question about it are lost',
    workflow: 'order',
    input: order,
    between: () => async (envelope, deliver) => {
      const answer = await deliver();
      const lost = envelope.call.topic === 'fulfilment:create' || envelope.call.topic === 'fulfilment:find';
      return lost ? failure('EXT_TIMEOUT', 'no answer', true) : answer;
    },
    ends: ['DEAD_LETTERED'],
  },
  {
    name: 'an order whose first undo answer is lost',
    workflow: 'order',
    input: { ...order, address: '' },
    between: losing('payment:cancel', 1),
    ends: ['FAILED'],
  },
];

const TWO_DAYS = 2 * 86_400_000;

async function tell(story: Story, kill?: Kill): Promise<World> {
  const where = world({ ...(story.between ? { between: story.between() } : {}), ...(kill ? { kill } : {}) });
  const request = {
    callerId: 'caller',
    source: 'api',
    workflowType: story.workflow,
    version: null,
    input: story.input,
    idempotencyKey: 'key',
    correlationId: null,
    trace: null,
  } as const;
  // A caller that hears nothing asks again under the same key.
  if ((await where.submit(request)) === null) await where.submit(request);
  const jobId = jobIdOf('caller', story.workflow, 'key');
  const quiet = await where.untilQuiet(jobId, TWO_DAYS);
  expect(quiet, 'the job comes to rest').toBe(true);
  const job = await readJob(where, jobId);
  expect(story.ends).toContain(job.state);
  await holdsTogether(where, job);
  return where;
}

describe.each(STORIES)('$name', (story) => {
  it('ends as it should when nothing is killed', async () => {
    await tell(story);
  });

  it('ends as it should with any one function killed at any one call', async () => {
    const clean = await tell(story);
    const points = clean.invocations.flatMap(({ calls }, invocation) =>
      calls.flatMap((call, index) =>
        (['before', 'after'] as const).map((mode) => ({ call, kill: { invocation, atCall: index + 1, mode } })),
      ),
    );
    expect(points.length).toBeGreaterThan(10);
    for (const { call, kill } of points) {
      const place = `${clean.invocations[kill.invocation]?.name} killed ${kill.mode} call ${kill.atCall}, ${call}`;
      try {
        const where = await tell(story, kill);
        expect(where.killed(), 'the kill happened').toBe(true);
      } catch (error) {
        throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
    }
  });
});
