/** What a caller gets when all goes well: waited for, not waited for, and on the bus. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { jobIn } from '../support/api.ts';
import { order, research, signup } from '../support/inputs.ts';
import { localScenario, SIDE_BY_SIDE, scenario } from '../support/scenario.ts';
import { stepOf } from '../support/wire.ts';

describe('success', SIDE_BY_SIDE, () => {
  scenario('a signup that is waited for answers 201 with the output, the steps and where to find it', async (s) => {
    const input = signup();
    const answer = await s.submit('signup', input, { wait: 20 });
    const job = jobIn(answer, 201);
    assert.equal(answer.headers.get('location'), `/jobs/${job.job_id}`);
    assert.equal(answer.headers.get('preference-applied'), 'wait=20');
    assert.equal(answer.headers.get('idempotency-replayed'), null);
    assert.match(job.job_id, /^j[a-z2-7]{26}$/);
    assert.equal(job.current_state, 'COMPLETED');
    assert.equal(job.source, 'api');
    assert.deepEqual(job.input, input);
    assert.deepEqual(Object.keys(job.output ?? {}).sort(), ['account_id', 'tenant_id', 'user_id']);
    for (const id of Object.values(job.output ?? {})) assert.match(String(id), /\S/);
    assert.deepEqual(job.steps.map(({ step, status, attempts }) => `${step} ${status} ${attempts}`).sort(), [
      'billing succeeded 1',
      'tenant succeeded 1',
      'user succeeded 1',
    ]);
    assert.equal(job.retry_count, 0);
    assert.deepEqual(job.error_log, []);
  });

  scenario('a signup that is not waited for answers 202 at once and completes by itself', async (s) => {
    const answer = await s.submit('signup', signup());
    const accepted = jobIn(answer, 202);
    assert.equal(answer.headers.get('location'), `/jobs/${accepted.job_id}`);
    assert.equal(answer.headers.get('preference-applied'), null);
    assert.equal((await s.settled(accepted.job_id)).current_state, 'COMPLETED');
  });

  scenario('a later stage starts after every step of the earlier one has succeeded', async (s) => {
    const job = jobIn(await s.submit('signup', signup(), { wait: 20 }), 201);
    const user = stepOf(job, 'user');
    for (const name of ['tenant', 'billing']) {
      const earlier = stepOf(job, name);
      assert.ok(earlier.stage < user.stage);
      assert.ok((earlier.completed_at ?? '~') <= (user.started_at ?? ''), `${name} was not complete when user started`);
    }
  });

  scenario('an order completes with all its steps', async (s) => {
    const job = jobIn(await s.submit('order', order(), { wait: 20 }), 201);
    for (const name of ['reservation', 'payment', 'fulfilment']) assert.equal(stepOf(job, name).status, 'succeeded');
  });

  scenario('research completes with an answer of each step, and a readOnly step has no undo', async (s) => {
    const job = jobIn(await s.submit('research', research(), { wait: 20 }), 201);
    assert.ok(job.output && Object.keys(job.output).length > 0, 'research has no output');
    assert.deepEqual(job.steps.map(({ step }) => step).sort(), ['auditor', 'miner', 'strategist']);
    for (const step of job.steps) {
      assert.equal(step.status, 'succeeded');
      assert.ok(step.output, `${step.step} shows no output`);
      assert.equal(step.compensation, null);
    }
  });

  for (const wait of [0, 'soon', -3]) {
    scenario(`Prefer: wait=${wait} is no wait`, async (s) => {
      jobIn(await s.submit('signup', signup(), { wait }), 202);
    });
  }

  scenario('Prefer: wait=99 counts as 25', async (s) => {
    jobIn(await s.submit('signup', signup(), { wait: 99 }), 201);
  });

  scenario('a job names its next action and its deadline while it runs', async (s) => {
    const accepted = await s.start('order', order());
    assert.ok(accepted.deadline_at > accepted.created_at);
    if (accepted.current_state !== 'COMPLETED') assert.ok(accepted.next_action_at, 'nothing would wake this job');
  });
});

describe('success, seen from inside', () => {
  localScenario('a completed signup publishes one signup:completed under its stable id', async (s) => {
    const job = await s.settled((await s.start('signup', signup())).job_id);
    const { source, detail } = await s.local.event(job.job_id, 'signup:completed');
    assert.equal(source, 'dacapo');
    assert.equal(detail.event_id, `${job.state_history.at(-1)?.event_id}.outcome`);
    assert.equal(detail.outcome, 'succeeded');
    assert.equal(detail.current_state, 'COMPLETED');
    assert.equal(detail.correlation_id, job.correlation_id);
    assert.deepEqual(detail.output, job.output);
    const outcomes = (await s.local.events(job.job_id)).filter(({ detail_type }) => detail_type.startsWith('signup:'));
    assert.equal(outcomes.length, 1);
  });

  localScenario('each step of a completed job was called once, under its own operation id', async (s) => {
    const { job_id } = await s.settled((await s.start('order', order())).job_id);
    const calls = await Promise.all(['inventory', 'payment', 'fulfilment'].map((name) => s.local.calls(name, job_id)));
    assert.deepEqual(
      calls.flat().map(({ topic, operation_id }) => `${topic} ${operation_id}`),
      [
        `inventory:reserve ${job_id}.reservation`,
        `payment:authorise ${job_id}.payment`,
        `fulfilment:create ${job_id}.fulfilment`,
      ],
    );
  });
});
