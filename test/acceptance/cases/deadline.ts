/** Time is up: the job turns back from wherever it waits. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { signup } from '../support/inputs.ts';
import { type LocalScenario, localScenario } from '../support/scenario.ts';
import { type DeadLetter, type Job, stepOf } from '../support/wire.ts';

const PAST_THE_DEADLINE_MS = 24 * 3_600_000 + 60_000;

async function assertStoppedByDeadline(s: LocalScenario, job: Job): Promise<void> {
  assert.equal(job.current_state, 'DEAD_LETTERED');
  assert.equal(job.outcome, 'rolled_back');
  assert.equal(job.stopped_reason, 'ORCH_DEADLINE_EXCEEDED');
  for (const name of ['tenant', 'billing']) assert.equal(stepOf(job, name).status, 'compensated');
  const record = (await s.api.read(`/dead-letters/d${job.job_id}`)) as DeadLetter;
  assert.equal(record.reason, 'max_retries_exceeded');
}

describe('deadline', () => {
  localScenario('a job whose step waits for its next attempt is rolled back', async (s) => {
    await s.local.fault({ target: 'user:create', mode: 'fail', times: 50 });
    const { job_id } = await s.start('signup', signup());
    await s.until(job_id, 'waits to try again', (job) => job.error_log.length > 0);
    await s.local.advance(PAST_THE_DEADLINE_MS);
    await assertStoppedByDeadline(s, await s.local.settle(job_id));
  });

  localScenario('a job whose step hangs is rolled back, with what the hung call did', async (s) => {
    await s.local.fault({ target: 'user:create', mode: 'hang', times: 50 });
    const { job_id } = await s.start('signup', signup());
    await s.until(job_id, 'hangs', (job) => stepOf(job, 'user').status === 'dispatched');
    await s.local.advance(PAST_THE_DEADLINE_MS);
    const job = await s.local.settle(job_id);
    await assertStoppedByDeadline(s, job);
    assert.equal(stepOf(job, 'user').status, 'compensated');
  });

  localScenario('a job that has ended in time is left alone', async (s) => {
    const { job_id } = await s.settled((await s.start('signup', signup())).job_id);
    await s.local.event(job_id, 'signup:completed');
    await s.local.advance(PAST_THE_DEADLINE_MS);
    const { job_id: later } = await s.settled((await s.start('signup', signup())).job_id);
    assert.notEqual(later, job_id);
    assert.equal((await s.api.job(job_id)).current_state, 'COMPLETED');
  });
});
