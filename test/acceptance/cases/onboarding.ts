/** Work that waits for a person and for days: approved by link, declined, left lying, decided by an operator, restarted. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { unique } from '../support/inputs.ts';
import { type LocalScenario, localScenario } from '../support/scenario.ts';
import { type Job, stepOf } from '../support/wire.ts';

const DAY_MS = 86_400_000;

/** A job at its approval, and the address that the approver was sent. */
async function asked(s: LocalScenario): Promise<{ job: Job; link: string }> {
  const { job_id } = await s.start('onboarding', { company: unique('Acme'), approver: 'grace@example.com' });
  const job = await s.until(job_id, 'asks', (one) => stepOf(one, 'approval').status === 'waiting');
  const { records } = await s.local.participant('mail');
  const letter = records.find((record) => record.operation_id === `${job_id}.approval`);
  assert.ok(typeof letter?.link === 'string', 'the approver was sent a link');
  return { job, link: letter.link };
}

const approve = { decision: 'approved', by: 'Grace', comment: 'known for years' };

describe('onboarding', () => {
  localScenario(
    'a person approves by the link, days pass, also over a restart, and the welcome goes out once',
    async (s) => {
      const { job, link } = await asked(s);
      const told = await s.api.call('POST', link, { body: approve });
      assert.equal(told.status, 202);
      await s.until(job.job_id, 'sleeps', (one) => stepOf(one, 'welcome').status === 'waiting');
      await s.local.advance(2 * DAY_MS);
      await s.local.restart();
      assert.equal((await s.api.job(job.job_id)).current_state, 'PROCESSING');
      await s.local.advance(DAY_MS);
      const done = await s.settled(job.job_id);
      assert.equal(done.current_state, 'COMPLETED');
      assert.deepEqual(stepOf(done, 'approval').output, approve);
      assert.equal((await s.local.calls('notify', job.job_id, 'notify:send')).length, 1);
      const again = await s.api.call('POST', link, { body: { decision: 'declined', by: 'Mallory' } });
      assert.equal(again.status, 410);
    },
  );

  localScenario('a person declines, and nobody is welcomed', async (s) => {
    const { job, link } = await asked(s);
    assert.equal((await s.api.call('POST', link, { body: { decision: 'declined', by: 'Grace' } })).status, 202);
    const done = await s.settled(job.job_id);
    assert.equal(done.current_state, 'FAILED');
    assert.equal(done.last_error_code, 'LEGAL_APPROVAL_DECLINED');
    assert.equal((await s.local.calls('notify', job.job_id, 'notify:send')).length, 0);
  });

  localScenario('silence is called to mind each day, and is a no after a week', async (s) => {
    const { job, link } = await asked(s);
    await s.local.advance(DAY_MS);
    await s.local.event(job.job_id, 'job.approval_reminder');
    await s.local.advance(6 * DAY_MS);
    assert.equal((await s.settled(job.job_id)).last_error_code, 'LEGAL_APPROVAL_DECLINED');
    const late = await s.api.call('POST', link, { body: approve });
    assert.equal((late.body as { code: string }).code, 'ORCH_TOKEN_EXPIRED');
    const told = await s.local.events(job.job_id);
    assert.ok(!JSON.stringify(told).includes(link.split('/').at(-1) ?? '?'), 'no event carries the token');
  });

  localScenario('an operator decides in place of the approver, and may cancel while nothing is sent', async (s) => {
    const { job, link } = await asked(s);
    const body = { step: 'approval', decision: 'approved', reason: 'spoke with Grace' };
    assert.equal((await s.api.call('POST', `/jobs/${job.job_id}/approve`, { body })).status, 202);
    assert.equal((await s.api.call('GET', link)).status, 410);
    const cancelled = await s.api.call('POST', `/jobs/${job.job_id}/cancel`, {
      body: { reason: 'they changed their mind' },
    });
    assert.equal(cancelled.status, 202);
    const done = await s.settled(job.job_id);
    assert.equal(done.current_state, 'CANCELLED');
    assert.equal(stepOf(done, 'welcome').status, 'skipped');
  });
});
