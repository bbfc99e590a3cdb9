/** A step refuses for good: everything before it and beside it is undone, and the caller has the step's own answer. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { expectProblem, openEffects } from '../support/checks.ts';
import { order, withBadEmail, withBadPlan } from '../support/inputs.ts';
import { type LocalScenario, localScenario, SIDE_BY_SIDE, scenario } from '../support/scenario.ts';
import { type Job, stepOf, undoOf } from '../support/wire.ts';

/** A refusal of the caller's own data: it has the answer, so the job is not quarantined. */
function assertRefused(job: Job, step: string): void {
  assert.equal(job.current_state, 'FAILED');
  assert.equal(job.outcome, 'rolled_back');
  assert.deepEqual(openEffects(job), []);
  assert.equal(stepOf(job, step).status, 'failed');
  assert.equal(stepOf(job, step).attempts, 1, 'a refusal is not retried');
  assert.match(job.last_error_code ?? '', /^(CONTRACT|DQ|LEGAL)_/);
  assert.equal(job.output, null);
}

/** Exactly these were undone, each one ended before the next began. (Times are in ms: a tie proves nothing.) */
function assertUndone(job: Job, ...names: string[]): void {
  const undone = job.steps.filter(({ compensation }) => compensation?.status === 'compensated').map(({ step }) => step);
  assert.deepEqual(undone.sort(), [...names].sort());
  for (const [index, name] of names.entries()) {
    const next = names[index + 1];
    if (!next) return;
    const ended = undoOf(job, name).compensated_at ?? '~';
    assert.ok(ended <= (undoOf(job, next).started_at ?? ''), `${next} was being undone before ${name} had been`);
  }
}

/** Makes undos last, so that their order shows. */
async function slowDown(s: LocalScenario, ...undoTopics: string[]): Promise<void> {
  for (const target of undoTopics) await s.local.fault({ target, mode: 'delay', delay_ms: 40 });
}

describe('rollback', SIDE_BY_SIDE, () => {
  scenario('a refusal in stage 1 undoes the concurrent sibling and answers 422 with job and code', async (s) => {
    const problem = expectProblem(await s.submit('signup', withBadPlan(), { wait: 20 }), 422, /^(CONTRACT|DQ|LEGAL)_/);
    assert.ok(problem.job_id);
    const job = await s.api.job(problem.job_id);
    assertRefused(job, 'billing');
    assert.equal(problem.code, job.last_error_code);
    assert.equal(stepOf(job, 'tenant').status, 'compensated');
    assert.equal(stepOf(job, 'user').status, 'skipped');
    assert.equal(stepOf(job, 'user').attempts, 0);
  });

  scenario('a refusal in stage 2 undoes stage 1', async (s) => {
    const problem = expectProblem(await s.submit('signup', withBadEmail(), { wait: 20 }), 422);
    assert.ok(problem.job_id);
    const job = await s.api.job(problem.job_id);
    assertRefused(job, 'user');
    for (const name of ['tenant', 'billing']) assert.equal(stepOf(job, name).status, 'compensated');
  });

  scenario('a refusal that nobody waited for ends the same way', async (s) => {
    const { job_id } = await s.start('signup', withBadPlan());
    assertRefused(await s.settled(job_id), 'billing');
  });

  scenario('an order without an address is undone in the declared recovery order', async (s) => {
    const problem = expectProblem(await s.submit('order', order({ address: '' }), { wait: 20 }), 422);
    assert.ok(problem.job_id);
    const job = await s.api.job(problem.job_id);
    assertRefused(job, 'fulfilment');
    assertUndone(job, 'payment', 'reservation');
  });

  scenario('a refused job leaves no dead letter: its caller has the answer', async (s) => {
    const { job_id } = await s.settled((await s.start('signup', withBadPlan())).job_id);
    const answer = await s.api.call('GET', `/dead-letters/d${job_id}`);
    expectProblem(answer, 404);
  });
});

describe('rollback, seen from inside', () => {
  for (const last of ['tenant', 'billing'] as const) {
    const [first, topic] = last === 'tenant' ? ['billing', 'tenant:create'] : ['tenant', 'billing:setup'];

    localScenario(`undo starts with what was completed last: ${last}, then ${first}`, async (s) => {
      await s.local.fault({ target: topic, mode: 'delay', delay_ms: 300 });
      await slowDown(s, 'tenant:delete', 'billing:teardown');
      const job = await s.settled((await s.start('signup', withBadEmail())).job_id);
      assertRefused(job, 'user');
      assertUndone(job, last, first);
    });
  }

  localScenario('an order is undone in its declared recovery order, one step after the other', async (s) => {
    await slowDown(s, 'payment:cancel', 'inventory:release');
    const job = await s.settled((await s.start('order', order({ address: '' }))).job_id);
    assertRefused(job, 'fulfilment');
    assertUndone(job, 'payment', 'reservation');
  });

  localScenario('undo calls go to the topic of the definition, under an operation id of their own', async (s) => {
    const { job_id } = await s.settled((await s.start('signup', withBadEmail())).job_id);
    const [tenant, billing, user] = await Promise.all(
      ['tenant', 'billing', 'user'].map(async (name) =>
        (await s.local.calls(name, job_id)).map(({ topic, operation_id }) => `${topic} ${operation_id}`),
      ),
    );
    assert.deepEqual(tenant, [`tenant:create ${job_id}.tenant`, `tenant:delete ${job_id}.tenant.undo`]);
    assert.deepEqual(billing, [`billing:setup ${job_id}.billing`, `billing:teardown ${job_id}.billing.undo`]);
    assert.deepEqual(user, [`user:create ${job_id}.user`]);
  });

  localScenario('a rolled back signup publishes one signup:failed with the reason', async (s) => {
    const job = await s.settled((await s.start('signup', withBadPlan())).job_id);
    const { detail } = await s.local.event(job.job_id, 'signup:failed');
    assert.equal(detail.event_id, `${job.state_history.at(-1)?.event_id}.outcome`);
    assert.equal(detail.outcome, 'rolled_back');
    assert.equal(detail.current_state, 'FAILED');
    assert.equal(detail.reason?.step, 'billing');
    assert.equal(detail.reason?.error_code, job.last_error_code);
    assert.match(detail.reason?.message ?? '', /\S/);
    assert.deepEqual(openEffects(detail), []);
    const outcomes = (await s.local.events(job.job_id)).filter(({ detail_type }) => detail_type.startsWith('signup:'));
    assert.equal(outcomes.length, 1);
  });

  localScenario('an undo that fails for a moment is tried again under the same operation id', async (s) => {
    await s.local.fault({ target: 'billing:teardown', mode: 'fail', times: 2 });
    const job = await s.local.settle((await s.start('signup', withBadEmail())).job_id);
    assertRefused(job, 'user');
    assert.equal(undoOf(job, 'billing').attempts, 3);
    assert.equal(job.retry_count, 0, 'undos do not count');
    const calls = await s.local.calls('billing', job.job_id, 'billing:teardown');
    assert.deepEqual(new Set(calls.map((call) => call.operation_id)), new Set([`${job.job_id}.billing.undo`]));
  });
});
