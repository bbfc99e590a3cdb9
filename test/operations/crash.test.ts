/**
 * Every way a job can end, with every function killed at each of its outside calls, before and after the call takes
 * effect. A dead function runs nothing more; what it leaves must be enough for the others to finish the job.
 */
import { describe, expect, it } from 'vitest';
import { jobIdOf } from '../../lib/core/ids.ts';
import { holdsTogether } from './invariants.ts';
import { STORIES, type Story } from './stories.ts';
import { type Kill, readJob, type World, world } from './world.ts';

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
