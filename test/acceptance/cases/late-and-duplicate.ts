/** Calls overtake each other, answers come late, deliveries come twice: the end is the same. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ledgersFor, recordsOf } from '../support/checks.ts';
import { signup, withBadEmail, withBadPlan } from '../support/inputs.ts';
import { localScenario } from '../support/scenario.ts';
import { stepOf, undoOf } from '../support/wire.ts';

/** Longer than any lease and any retry of the rollback: the call is still on its way when the job has ended. */
const UNTIL_LONG_AFTER_MS = 600_000;

describe('late and duplicate', () => {
  localScenario(
    'an undo that overtakes its forward call stands: the late call is refused, nothing is left',
    async (s) => {
      await s.local.fault({ target: 'tenant:create', mode: 'delay', delay_ms: UNTIL_LONG_AFTER_MS });
      const ended = await s.local.settle((await s.start('signup', withBadPlan())).job_id);
      assert.equal(ended.current_state, 'FAILED');
      assert.equal(ended.outcome, 'rolled_back');
      assert.equal(stepOf(ended, 'tenant').status, 'compensated');

      await s.local.advance(UNTIL_LONG_AFTER_MS);
      const refused = await s.local.fastForward('the late call arrives', async () => {
        const calls = await s.local.calls('tenant', ended.job_id, 'tenant:create');
        return { seen: '', result: calls.find(({ result }) => JSON.stringify(result)?.includes('OPERATION_REVOKED')) };
      });
      assert.match(JSON.stringify(refused.result), /CONTRACT_OPERATION_REVOKED/);
      const after = await s.api.job(ended.job_id);
      assert.equal(after.current_state, 'FAILED');
      assert.deepEqual(recordsOf(after, await ledgersFor(s.local, [after])), []);
    },
  );

  localScenario('a success that arrives after the rollback began becomes its own undo', async (s) => {
    await s.local.fault({ target: 'tenant:create', mode: 'delay', delay_ms: 1_000 });
    const { job_id } = await s.start('signup', withBadPlan());
    await s.until(job_id, 'turns back', ({ current_state }) => current_state === 'COMPENSATING');
    const job = await s.settled(job_id);
    assert.equal(job.current_state, 'FAILED');
    assert.equal(undoOf(job, 'tenant').status, 'compensated');
    const [create, remove] = await s.local.calls('tenant', job_id);
    assert.equal(create?.topic, 'tenant:create');
    assert.equal(remove?.topic, 'tenant:delete');
    const turned = job.state_history.find(({ to_state }) => to_state === 'COMPENSATING');
    assert.ok((turned?.occurred_at ?? '~') < (undoOf(job, 'tenant').started_at ?? ''), 'undone before the job turned');
  });

  localScenario('a call that is delivered twice takes effect once', async (s) => {
    for (const target of ['tenant:create', 'billing:setup', 'user:create']) {
      await s.local.fault({ target, mode: 'duplicate' });
    }
    const job = await s.local.settle((await s.start('signup', signup())).job_id);
    assert.equal(job.current_state, 'COMPLETED');
    const calls = await s.local.calls('tenant', job.job_id);
    assert.deepEqual(
      calls.map((call) => call.operation_id),
      [`${job.job_id}.tenant`, `${job.job_id}.tenant`],
    );
  });

  localScenario('an undo that is delivered twice undoes once', async (s) => {
    await s.local.fault({ target: 'tenant:delete', mode: 'duplicate' });
    const job = await s.local.settle((await s.start('signup', withBadEmail())).job_id);
    assert.equal(job.current_state, 'FAILED');
    assert.equal((await s.local.calls('tenant', job.job_id, 'tenant:delete')).length, 2);
  });
});
