/** The answer does not come, and nobody knows whether the effect did: the job finds out, and has it once or not at all. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { order, signup, withBadEmail } from '../support/inputs.ts';
import type { Fault } from '../support/local.ts';
import { localScenario } from '../support/scenario.ts';
import { stepOf, undoOf } from '../support/wire.ts';

const LOST: Record<string, Fault['mode']> = {
  'applied, then an error': 'fail_after_effect',
  'applied, then a broken connection': 'drop_response',
  'applied, then silence until the step times out': 'hang',
};

describe('unknown outcome', () => {
  for (const [what, mode] of Object.entries(LOST)) {
    localScenario(`${what}: a step with a query asks, and the effect is there once`, async (s) => {
      await s.local.fault({ target: 'payment:authorise', mode });
      const job = await s.local.settle((await s.start('order', order())).job_id);
      assert.equal(job.current_state, 'COMPLETED');
      const asked = await s.local.calls('payment', job.job_id, 'payment:find');
      assert.ok(asked.length > 0, 'payment:find was not asked');
      const authorised = await s.local.calls('payment', job.job_id, 'payment:authorise');
      assert.deepEqual(
        authorised.map((call) => call.operation_id),
        [`${job.job_id}.payment`],
      );
    });

    localScenario(
      `${what}: a step without a query is repeated as the same operation, and takes effect once`,
      async (s) => {
        await s.local.fault({ target: 'tenant:create', mode });
        const job = await s.local.settle((await s.start('signup', signup())).job_id);
        assert.equal(job.current_state, 'COMPLETED');
        assert.ok(stepOf(job, 'tenant').attempts >= 2);
        const calls = await s.local.calls('tenant', job.job_id);
        assert.ok(calls.length >= 2);
        assert.deepEqual(new Set(calls.map((call) => call.operation_id)), new Set([`${job.job_id}.tenant`]));
      },
    );
  }

  localScenario(
    'the answer is lost until the budget is spent: the job turns back and removes the effect',
    async (s) => {
      await s.local.fault({ target: 'tenant:create', mode: 'drop_response', times: 50 });
      const job = await s.local.settle((await s.start('signup', signup())).job_id);
      assert.equal(job.current_state, 'DEAD_LETTERED');
      assert.equal(job.outcome, 'rolled_back');
      assert.equal(job.stopped_reason, 'ORCH_RETRY_BUDGET_EXHAUSTED');
      assert.equal(stepOf(job, 'tenant').status, 'compensated');
      const undos = await s.local.calls('tenant', job.job_id, 'tenant:delete');
      assert.ok(undos.length > 0, 'an effect that may be there was not undone');
    },
  );

  localScenario('the answer is lost each time, but the query finds the effect: the job completes', async (s) => {
    await s.local.fault({ target: 'payment:authorise', mode: 'drop_response', times: 50 });
    const job = await s.local.settle((await s.start('order', order())).job_id);
    assert.equal(job.current_state, 'COMPLETED');
  });

  localScenario('neither the call nor the query is ever answered: the effect is undone without knowing', async (s) => {
    await s.local.fault({ target: 'payment:authorise', mode: 'drop_response', times: 50 });
    await s.local.fault({ target: 'payment:find', mode: 'fail', times: 500 });
    const job = await s.local.settle((await s.start('order', order())).job_id);
    assert.equal(job.current_state, 'DEAD_LETTERED');
    assert.equal(job.outcome, 'rolled_back');
  });

  localScenario('the answer to an undo is lost: it is repeated as the same operation', async (s) => {
    await s.local.fault({ target: 'tenant:delete', mode: 'drop_response' });
    const job = await s.local.settle((await s.start('signup', withBadEmail())).job_id);
    assert.equal(job.current_state, 'FAILED');
    assert.ok(undoOf(job, 'tenant').attempts >= 2);
    const calls = await s.local.calls('tenant', job.job_id, 'tenant:delete');
    assert.deepEqual(new Set(calls.map((call) => call.operation_id)), new Set([`${job.job_id}.tenant.undo`]));
  });
});
