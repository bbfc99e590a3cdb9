/** The runtime goes down as by kill -9 and comes up on the same file: what was accepted goes on. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { order, signup, withBadEmail, withBadPlan } from '../support/inputs.ts';
import { localScenario } from '../support/scenario.ts';
import { stepOf } from '../support/wire.ts';

/** The call is on its way when the runtime goes down. */
const IN_THE_MIDDLE_MS = 1_500;

describe('restart', () => {
  localScenario('in the middle of a forward call: the job completes, the effect is there once', async (s) => {
    await s.local.fault({ target: 'billing:setup', mode: 'delay', delay_ms: IN_THE_MIDDLE_MS });
    const { job_id } = await s.start('signup', signup());
    await s.until(job_id, 'calls billing', (job) => stepOf(job, 'billing').status === 'dispatched');
    await s.local.restart();
    assert.equal((await s.settled(job_id)).current_state, 'COMPLETED');
  });

  localScenario('in the middle of an undo: the rollback ends, nothing is left', async (s) => {
    await s.local.fault({ target: 'tenant:delete', mode: 'delay', delay_ms: IN_THE_MIDDLE_MS });
    const { job_id } = await s.start('signup', withBadEmail());
    await s.until(job_id, 'undoes the tenant', (job) => stepOf(job, 'tenant').status === 'compensating');
    await s.local.restart();
    assert.equal((await s.settled(job_id)).current_state, 'FAILED');
  });

  localScenario('after the effect, before its answer: the job finds it', async (s) => {
    await s.local.fault({ target: 'payment:authorise', mode: 'hang' });
    const { job_id } = await s.start('order', order());
    await eventually('the payment is authorised', async () =>
      (await s.local.participant('payment')).records.find(({ operation_id }) => operation_id === `${job_id}.payment`),
    );
    await s.local.restart();
    assert.equal((await s.settled(job_id)).current_state, 'COMPLETED');
  });

  localScenario('with many jobs at once: each ends as its input says', async (s) => {
    const kinds = [
      { input: signup, end: 'COMPLETED' },
      { input: withBadPlan, end: 'FAILED' },
      { input: withBadEmail, end: 'FAILED' },
    ];
    const started = await Promise.all(
      Array.from({ length: 10 }, () => kinds)
        .flat()
        .map(async ({ input, end }) => ({ end, jobId: (await s.start('signup', input())).job_id })),
    );
    await s.local.restart();
    for (const { jobId, end } of started) assert.equal((await s.settled(jobId)).current_state, end, jobId);
  });

  localScenario('the clock and the faults stay as they were', async (s) => {
    const hourMs = 3_600_000;
    const before = await s.start('signup', signup());
    await s.settled(before.job_id);
    await s.local.advance(hourMs);
    await s.local.fault({ target: 'user:create', mode: 'fail', error_code: 'DQ_AFTER_RESTART' });
    await s.local.restart();
    const after = await eventually('the runtime answers again', async () => {
      const { job_id } = await s.start('signup', signup());
      const job = await s.api.job(job_id);
      return Date.parse(job.created_at) - Date.parse(before.created_at) >= hourMs ? job : undefined;
    });
    const faults = await s.local.faults();
    assert.deepEqual(
      faults.map(({ target }) => target),
      ['user:create'],
    );
    await s.settled(after.job_id);
  });
});
