/** Transient failures: tried again under the same operation id, within a budget, and all of it is written down. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { expectProblem } from '../support/checks.ts';
import { signup, unique } from '../support/inputs.ts';
import { localScenario } from '../support/scenario.ts';
import { type DeadLetter, stepOf } from '../support/wire.ts';

const ATTEMPTS_MAX = 5;

describe('retries', () => {
  localScenario('a step that fails once is tried again, and the log says when', async (s) => {
    await s.local.fault({ target: 'billing:setup', mode: 'fail', times: 1 });
    const job = await s.local.settle((await s.start('signup', signup())).job_id);
    assert.equal(job.current_state, 'COMPLETED');
    assert.equal(stepOf(job, 'billing').attempts, 2);
    assert.equal(stepOf(job, 'tenant').attempts, 1);
    assert.equal(job.retry_count, 1);
    assert.equal(job.error_log.length, 1);
    const [logged] = job.error_log;
    assert.equal(logged?.step, 'billing');
    assert.equal(logged?.attempt, 1);
    assert.equal(logged?.error_code, 'EXT_UNAVAILABLE');
    assert.ok(logged.next_attempt_at && logged.next_attempt_at >= logged.at, 'the log names the next attempt');

    const calls = await s.local.calls('billing', job.job_id);
    assert.deepEqual(
      calls.map(({ operation_id, attempt }) => `${operation_id} ${attempt}`),
      [`${job.job_id}.billing 1`, `${job.job_id}.billing 2`],
    );
  });

  localScenario('retries are exhausted: the job is rolled back and dead-lettered in one write', async (s) => {
    await s.local.fault({ target: 'user:create', mode: 'fail', times: 50 });
    const input = signup();
    const key = unique('key');
    const job = await s.local.settle((await s.start('signup', input, { key })).job_id);
    assert.equal(job.current_state, 'DEAD_LETTERED');
    assert.equal(job.outcome, 'rolled_back');
    assert.equal(job.stopped_reason, 'ORCH_RETRY_BUDGET_EXHAUSTED');
    assert.equal(job.last_error_code, 'EXT_UNAVAILABLE');
    assert.equal(stepOf(job, 'user').attempts, ATTEMPTS_MAX);
    assert.equal(job.retry_count, ATTEMPTS_MAX - 1);
    assert.equal((await s.local.calls('user', job.job_id, 'user:create')).length, ATTEMPTS_MAX);
    const [failed, dead] = job.state_history.slice(-2);
    assert.equal(failed?.to_state, 'FAILED');
    assert.equal(dead?.to_state, 'DEAD_LETTERED');

    const record = (await s.api.read(`/dead-letters/d${job.job_id}`)) as DeadLetter;
    assert.equal(record.reason, 'max_retries_exceeded');
    assert.equal(record.final_state, 'DEAD_LETTERED');
    assert.equal(record.failure_error_code, 'EXT_UNAVAILABLE');
    assert.equal(record.replay_eligible, true);
    assert.deepEqual(record.payload, input);
    assert.ok(record.retry_history.length >= ATTEMPTS_MAX - 1, 'retry_history misses attempts');

    const { detail } = await s.local.event(job.job_id, 'job.dead_lettered');
    assert.equal(detail.event_id, `${dead?.event_id}.dead`);
    const later = await s.submit('signup', input, { key, wait: 5 });
    assert.equal(expectProblem(later, 503).job_id, job.job_id);
  });

  localScenario('a refusal is not retried, whatever budget is left', async (s) => {
    await s.local.fault({ target: 'user:create', mode: 'fail', times: 50, error_code: 'DQ_NAME_ON_LIST' });
    const job = await s.settled((await s.start('signup', signup())).job_id);
    assert.equal(job.current_state, 'FAILED');
    assert.equal(job.last_error_code, 'DQ_NAME_ON_LIST');
    assert.equal(stepOf(job, 'user').attempts, 1);
    assert.equal(job.retry_count, 0);
  });

  localScenario('a code that nobody knows is not retried and is quarantined', async (s) => {
    await s.local.fault({ target: 'user:create', mode: 'fail', times: 50, error_code: 'SURPRISE' });
    const job = await s.settled((await s.start('signup', signup())).job_id);
    assert.equal(job.current_state, 'DEAD_LETTERED');
    assert.equal(stepOf(job, 'user').attempts, 1);
    const record = (await s.api.read(`/dead-letters/d${job.job_id}`)) as DeadLetter;
    assert.equal(record.reason, 'unrecoverable_error');
    assert.equal(record.failure_error_code, 'SURPRISE');
  });
});
