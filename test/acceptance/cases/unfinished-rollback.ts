/** The rollback itself fails: the job says so, names what is left, and waits for a person. It is never called clean. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { jobIn } from '../support/api.ts';
import { expectProblem, openEffects } from '../support/checks.ts';
import { withBadEmail, withStickyTenant } from '../support/inputs.ts';
import { localScenario, SIDE_BY_SIDE, scenario } from '../support/scenario.ts';
import { type DeadLetter, stepOf, undoOf } from '../support/wire.ts';

describe('unfinished rollback', SIDE_BY_SIDE, () => {
  scenario('an undo that is refused leaves the job under review with exactly that effect open', async (s) => {
    const { job_id } = await s.start('signup', withStickyTenant());
    const job = await s.settled(job_id);
    assert.equal(job.current_state, 'NEEDS_REVIEW');
    assert.equal(job.outcome, 'partially_rolled_back');
    assert.deepEqual(openEffects(job), ['tenant:undo_failed']);
    assert.equal(job.open_effects[0]?.operation_id, `${job_id}.tenant`);
    assert.equal(undoOf(job, 'tenant').status, 'compensation_failed');
    assert.equal(stepOf(job, 'tenant').status, 'compensation_failed');
    assert.equal(undoOf(job, 'tenant').attempts, 1, 'a refusal is not retried');
    assert.equal(undoOf(job, 'billing').status, 'compensated', 'the other undo is still done');
    assert.ok(job.next_action_at && job.next_action_at > job.updated_at, 'a reminder is due');
  });

  scenario('whoever waits for it is answered a 500 problem with the open effects, each time', async (s) => {
    const submission = { wait: 20, key: `sticky-${crypto.randomUUID()}` };
    const input = withStickyTenant();
    for (const replayed of [null, 'true']) {
      const answer = await s.submit('signup', input, submission);
      const problem = expectProblem(answer, 500, 'ORCH_COMPENSATION_FAILED');
      assert.ok(problem.job_id);
      assert.deepEqual(openEffects(problem), ['tenant:undo_failed']);
      assert.equal(answer.headers.get('idempotency-replayed'), replayed);
    }
  });

  scenario('its dead letter is there as soon as the job says so, with the reason and the payload', async (s) => {
    const input = withStickyTenant();
    const { job_id } = await s.settled((await s.start('signup', input)).job_id);
    const record = (await s.api.read(`/dead-letters/d${job_id}`)) as DeadLetter;
    assert.equal(record.dead_letter_id, `d${job_id}`);
    assert.equal(record.job_id, job_id);
    assert.equal(record.reason, 'compensation_failed');
    assert.equal(record.status, 'open');
    assert.equal(record.replay_eligible, false, 'the job has not ended');
    assert.deepEqual(record.payload, input);
    assert.ok(record.state_history.length > 0);
  });

  scenario('it can be neither replayed nor discarded while a person has to look at it', async (s) => {
    const { job_id } = await s.settled((await s.start('signup', withStickyTenant())).job_id);
    for (const verb of ['replay', 'discard']) {
      const answer = await s.api.call('POST', `/dead-letters/d${job_id}/${verb}`, { body: { reason: 'too early' } });
      expectProblem(answer, 409);
    }
    assert.equal((await s.api.job(job_id)).current_state, 'NEEDS_REVIEW');
  });

  scenario('it cannot be closed while an effect is open', async (s) => {
    const { job_id } = await s.settled((await s.start('signup', withStickyTenant())).job_id);
    expectProblem(await s.api.act(job_id, 'close', { reason: 'done?' }), 409, 'ORCH_INVALID_STATE_TRANSITION');
  });
});

describe('unfinished rollback, seen from inside', () => {
  localScenario('it publishes signup:failed and job.needs_review, both with the open effect', async (s) => {
    const job = await s.settled((await s.start('signup', withStickyTenant())).job_id);
    const review = job.state_history.findLast(({ to_state }) => to_state === 'NEEDS_REVIEW');
    const failed = await s.local.event(job.job_id, 'signup:failed');
    assert.equal(failed.detail.event_id, `${review?.event_id}.outcome`);
    assert.equal(failed.detail.outcome, 'partially_rolled_back');
    assert.deepEqual(openEffects(failed.detail), ['tenant:undo_failed']);
    const alert = await s.local.event(job.job_id, 'job.needs_review');
    assert.equal(alert.detail.event_id, `${review?.event_id}.review`);
  });

  localScenario('an operator repeats the refused undo as a new operation, and the rollback ends clean', async (s) => {
    await s.local.fault({ target: 'tenant:delete', mode: 'fail', error_code: 'CONTRACT_CONFLICT' });
    const { job_id } = await s.settled((await s.start('signup', withBadEmail())).job_id);
    const stuck = await s.api.job(job_id);
    assert.equal(stuck.current_state, 'NEEDS_REVIEW');
    const first = await s.local.event(job_id, 'signup:failed');

    jobIn(await s.api.act(job_id, 'retry-compensation', { reason: 'the lock on the tenant is gone' }), 202);
    const ended = await s.until(job_id, 'ends', ({ current_state }) => /FAILED|DEAD_LETTERED/.test(current_state));
    assert.equal(ended.outcome, 'rolled_back');
    assert.deepEqual(openEffects(ended), []);
    const operations = (await s.local.calls('tenant', job_id, 'tenant:delete')).map((call) => call.operation_id);
    assert.equal(operations[0], `${job_id}.tenant.undo`);
    assert.match(operations[1] ?? '', new RegExp(`^${job_id}\\.tenant\\.undo\\.\\d+$`));

    await s.local.fastForward('the later event supersedes the first', async () => {
      const later = (await s.local.events(job_id)).find(({ detail }) => detail.supersedes === first.detail.event_id);
      return { seen: '', result: later };
    });
  });
});
