/** What happens to a job about which no decision can be made, and to one whose definition is not the one it was made by. */
import { describe, expect, it } from 'vitest';
import { wireDeadLetter } from '../../lib/contract/wire-dead-letter.ts';
import { deadLetterIdOf, jobIdOf } from '../../lib/core/ids.ts';
import type { WorkflowPlan } from '../../lib/core/plan.ts';
import type { PlanCatalog } from '../../lib/operations/engine.ts';
import { planFor } from '../../lib/operations/engine.ts';
import { operate } from '../../lib/operations/operate.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { readJob, world } from './world.ts';

const request = {
  callerId: 'caller',
  source: 'api',
  workflowType: 'signup',
  version: null,
  input: { company: 'Acme', email: 'ada@acme.example', plan: 'free' },
  idempotencyKey: 'key',
  correlationId: null,
  trace: null,
} as const;
const jobId = jobIdOf('caller', 'signup', 'key');
const viewer = { callerId: 'ops', role: 'operator' } as const;

const signup = examples.find('signup', null);
if (signup === undefined) throw new Error('no signup');

function catalog(plan: WorkflowPlan): PlanCatalog {
  return { find: (type) => (type === plan.type ? plan : undefined), list: () => [plan] };
}

const throws = (): never => {
  throw new Error('this cannot be');
};

describe('a job about which no decision can be made', () => {
  it('stops, asks for a person, and is put aside as broken; a person can close it for good', async () => {
    const steps = signup.steps.map((step) => (step.name === 'user' ? { ...step, checkOutput: throws } : step));
    const where = world({ plans: catalog({ ...signup, steps }) });
    await where.submit(request);
    // Its message fails each time, so it is never quiet.
    await where.untilQuiet(jobId, 10 * 60_000);
    const job = await readJob(where, jobId);
    expect(job).toMatchObject({ state: 'NEEDS_REVIEW', stoppedReason: 'ORCH_STATE_MACHINE_INVARIANT_BROKEN' });
    expect(job.lastErrorMessage).toBe('this cannot be');

    const record = await where.ports.deadLetters.get(deadLetterIdOf(jobId));
    expect(record === null ? null : wireDeadLetter(record)).toMatchObject({
      reason: 'invariant_broken',
      failure_error_code: 'ORCH_STATE_MACHINE_INVARIANT_BROKEN',
      status: 'open',
      replay_eligible: false,
    });
    const alerts = where.ports.bus.published.map(({ detailType }) => detailType);
    expect(alerts).toEqual(expect.arrayContaining(['job.needs_review', 'job.dead_lettered']));

    const act = { action: 'force_close' } as const;
    const closing = { jobId, viewer, reason: 'known bug', evidence: null, expectedRevision: null, act };
    expect((await operate(where.engine('operate'), closing)).kind).toBe('done');
    expect(await readJob(where, jobId)).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'partially_rolled_back' });
  });

  it('before anything was called has failed', async () => {
    let checks = 0;
    const checkInput: WorkflowPlan['checkInput'] = (input) => {
      checks += 1;
      return checks > 1 ? throws() : signup.checkInput(input);
    };
    const where = world({ plans: catalog({ ...signup, checkInput }) });
    await where.submit(request);
    await where.untilQuiet(jobId, 10 * 60_000);
    expect(await readJob(where, jobId)).toMatchObject({
      state: 'DEAD_LETTERED',
      outcome: 'rolled_back',
      lastErrorCode: 'ORCH_STATE_MACHINE_INVARIANT_BROKEN',
    });
    expect((await where.ports.deadLetters.get(deadLetterIdOf(jobId)))?.reason).toBe('invariant_broken');
  });
});

it('a definition with other steps than the job is not the job’s, whatever its number says', async () => {
  const where = world();
  await where.submit(request);
  const job = await readJob(where, jobId);
  const [first, ...others] = signup.steps;
  if (first === undefined) throw new Error('no step');
  for (const steps of [
    others,
    [...others, first],
    [{ ...first, name: 'owner' }, ...others],
    [...signup.steps, first],
  ]) {
    expect(planFor(catalog({ ...signup, steps }), job)).toBeUndefined();
  }
  expect(planFor(catalog(signup), job)).toBe(signup);
});
