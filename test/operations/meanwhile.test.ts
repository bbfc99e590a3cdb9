/**
 * Every way a job can end, while at each single outside call something else happens: a second driver, a driver of the
 * other kind, a duplicate submit, a cancel. Whoever loses a race does nothing, and nothing is half-applied.
 */
import { describe, expect, it } from 'vitest';
import { jobIdOf } from '../../lib/core/ids.ts';
import { cancel } from '../../lib/operations/cancel.ts';
import { drive } from '../../lib/operations/drive.ts';
import { hintFor } from '../../lib/operations/hint.ts';
import { sweep } from '../../lib/operations/sweep.ts';
import { holdsTogether } from './invariants.ts';
import { STORIES, type Story } from './stories.ts';
import { readJob, type World, world } from './world.ts';

type Action = (where: World, story: Story) => Promise<void>;

const requestOf = (story: Story) =>
  ({
    callerId: 'caller',
    source: 'api',
    workflowType: story.workflow,
    version: null,
    input: story.input,
    idempotencyKey: 'key',
    correlationId: null,
    trace: null,
  }) as const;
const jobIdIn = (story: Story) => jobIdOf('caller', story.workflow, 'key');
const TWO_DAYS = 2 * 86_400_000;

/** Starts, does not wait: the two go on side by side. */
const anotherDriver =
  (kind: 'forward' | 'recovery'): Action =>
  async (where, story) => {
    const request = { jobId: jobIdIn(story), kind, remainingMs: () => 60_000, hops: 0 };
    void drive(where.engine('dispatch'), request).catch(() => undefined);
    await where.ports.clock.settle();
  };

const ACTIONS: readonly { name: string; alsoEnds: readonly string[]; action: Action }[] = [
  { name: 'a second forward driver', alsoEnds: [], action: anotherDriver('forward') },
  { name: 'a recovery driver', alsoEnds: [], action: anotherDriver('recovery') },
  {
    name: 'a duplicate submit',
    alsoEnds: [],
    action: async (where, story) => {
      const again = await where.submit(requestOf(story));
      expect(again?.kind === 'refused' ? 'refused' : again && jobIdIn(story)).toBe(jobIdIn(story));
    },
  },
  {
    name: 'a run of the watchdog',
    alsoEnds: [],
    action: async (where) => {
      await sweep(where.engine('watchdog'), async (job, kind) => {
        const queue = kind === 'forward' ? 'dispatch' : 'compensate';
        await where.ports.queue.send(queue, hintFor(job), 0);
      });
    },
  },
  {
    name: 'a cancel',
    alsoEnds: ['CANCELLED'],
    action: async (where, story) => {
      const viewer = { callerId: 'caller', role: 'submitter' } as const;
      const request = { jobId: jobIdIn(story), viewer, reason: 'changed my mind', expectedRevision: null };
      await cancel(where.engine('submit'), request);
    },
  },
];

async function tell(story: Story, action: Action | null, atCall: number, mode: 'before' | 'after'): Promise<World> {
  const meanwhile =
    action === null ? {} : { meanwhile: { atCall, mode, action: (where: World) => action(where, story) } };
  const where = world({ ...(story.between ? { between: story.between() } : {}), ...meanwhile });
  await where.submit(requestOf(story));
  expect(await where.untilQuiet(jobIdIn(story), TWO_DAYS), 'the job comes to rest').toBe(true);
  return where;
}

describe.each(ACTIONS)('$name at any one call', ({ action, alsoEnds }) => {
  it.each(STORIES)('leaves $name whole', async (story) => {
    const calls = (await tell(story, null, 0, 'before')).outsideCalls();
    expect(calls.length).toBeGreaterThan(10);
    const seen = new Set<string>();
    for (const [index, call] of calls.entries()) {
      for (const mode of ['before', 'after'] as const) {
        const place = `${mode} call ${index + 1}, ${call}`;
        try {
          const where = await tell(story, action, index + 1, mode);
          const job = await readJob(where, jobIdIn(story));
          expect([...story.ends, ...alsoEnds]).toContain(job.state);
          seen.add(job.state);
          await holdsTogether(where, job);
        } catch (error) {
          throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
        }
      }
    }
    expect([...seen], 'the action really had its effect').toEqual(expect.arrayContaining([...alsoEnds]));
  });
});
