/** Cancel goes through the undo, and never unmakes an end. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { jobIn } from '../support/api.ts';
import { expectProblem } from '../support/checks.ts';
import { order, signup, unique, withBadEmail } from '../support/inputs.ts';
import { type LocalScenario, localScenario, SIDE_BY_SIDE, scenario } from '../support/scenario.ts';

const why = { reason: 'the customer changed their mind' };

describe('cancel', SIDE_BY_SIDE, () => {
  scenario('after completion it is refused and changes nothing', async (s) => {
    const before = jobIn(await s.submit('signup', signup(), { wait: 20 }), 201);
    const answer = await s.api.act(before.job_id, 'cancel', why);
    assert.equal(expectProblem(answer, 409, 'ORCH_INVALID_STATE_TRANSITION').job_id, before.job_id);
    const after = await s.api.job(before.job_id);
    assert.equal(after.current_state, 'COMPLETED');
    assert.deepEqual(after.state_history, before.state_history);
    assert.deepEqual(after.steps, before.steps);
  });

  scenario('against completion: one of them wins, and the answer says which', async (s) => {
    const jobs = await Promise.all(Array.from({ length: 12 }, () => s.start('order', order())));
    const cancels = await Promise.all(jobs.map(({ job_id }) => s.api.act(job_id, 'cancel', why)));
    for (const [index, { job_id }] of jobs.entries()) {
      const answer = cancels[index];
      const ended = await s.settled(job_id);
      assert.equal(ended.current_state, answer?.status === 202 ? 'CANCELLED' : 'COMPLETED');
      if (answer?.status !== 202) expectProblem(answer ?? assert.fail(), 409, 'ORCH_INVALID_STATE_TRANSITION');
    }
  });

  const refused: Record<string, unknown> = {
    'without a reason': {},
    'with a blank reason': { reason: '  ' },
    'with a reason over 500 characters': { reason: 'x'.repeat(501) },
    'with a field that nobody knows': { ...why, force: true },
    'with a revision that is no number': { ...why, expected_revision: 'latest' },
  };
  for (const [how, body] of Object.entries(refused)) {
    scenario(`${how} it is a malformed request`, async (s) => {
      const { job_id } = await s.start('signup', signup());
      expectProblem(await s.api.act(job_id, 'cancel', body), 400, 'ORCH_MALFORMED_REQUEST');
      assert.equal((await s.settled(job_id)).current_state, 'COMPLETED');
    });
  }

  scenario('of a job that does not exist it is 404', async (s) => {
    expectProblem(await s.api.act(`j${'a'.repeat(26)}`, 'cancel', why), 404, 'ORCH_UNKNOWN_JOB');
  });
});

describe('cancel, at a chosen moment', () => {
  /** A signup whose tenant call is on its way. */
  async function inFlight(s: LocalScenario, submission = {}): Promise<string> {
    await s.local.fault({ target: 'tenant:create', mode: 'delay', delay_ms: 500 });
    const { job_id } = await s.start('signup', signup(), submission);
    await s.until(job_id, 'is in flight', (job) =>
      job.steps.some(({ step, status }) => step === 'tenant' && status === 'dispatched'),
    );
    return job_id;
  }

  localScenario('while a call is in flight it ends CANCELLED and nothing is left', async (s) => {
    const job_id = await inFlight(s);
    jobIn(await s.api.act(job_id, 'cancel', why), 202);
    const job = await s.settled(job_id);
    assert.equal(job.current_state, 'CANCELLED');
    assert.equal(job.outcome, 'rolled_back');
    const { detail } = await s.local.event(job_id, 'signup:failed');
    assert.equal(detail.reason?.error_code, 'ORCH_CANCELLED');
    assert.equal(detail.current_state, 'CANCELLED');
  });

  localScenario('whoever waits for a cancelled job is answered 409', async (s) => {
    const key = unique('key');
    const input = signup();
    await s.local.fault({ target: 'tenant:create', mode: 'delay', delay_ms: 500 });
    const { job_id } = await s.start('signup', input, { key });
    const waiting = s.submit('signup', input, { key, wait: 20 });
    jobIn(await s.api.act(job_id, 'cancel', why), 202);
    assert.equal(expectProblem(await waiting, 409, 'ORCH_CANCELLED').job_id, job_id);
  });

  localScenario('with a stale revision it is refused, and the job goes on', async (s) => {
    const job_id = await inFlight(s);
    const { revision } = await s.api.job(job_id);
    const answer = await s.api.act(job_id, 'cancel', { ...why, expected_revision: revision + 1_000 });
    expectProblem(answer, 409, 'ORCH_INVALID_STATE_TRANSITION');
    assert.equal((await s.settled(job_id)).current_state, 'COMPLETED');
  });

  localScenario('of a job that is already rolling back it is refused, and the rollback ends', async (s) => {
    await s.local.fault({ target: 'tenant:delete', mode: 'delay', delay_ms: 1_000 });
    const { job_id } = await s.start('signup', withBadEmail());
    await s.until(job_id, 'turns back', ({ current_state }) => current_state === 'COMPENSATING');
    expectProblem(await s.api.act(job_id, 'cancel', why), 409, 'ORCH_INVALID_STATE_TRANSITION');
    assert.equal((await s.settled(job_id)).current_state, 'FAILED');
  });

  localScenario('a submitter may cancel its own job; to others the job does not exist', async (s) => {
    const [owner, stranger] = [unique('owner'), unique('stranger')].map((id) => ({ id, role: 'submitter' as const }));
    assert.ok(owner && stranger);
    const job_id = await inFlight(s, { as: owner });
    for (const path of [`/jobs/${job_id}`, `/jobs/${job_id}/history`]) {
      expectProblem(await s.api.call('GET', path, { as: stranger }), 404, 'ORCH_UNKNOWN_JOB');
    }
    expectProblem(await s.api.act(job_id, 'cancel', why, stranger), 404, 'ORCH_UNKNOWN_JOB');
    expectProblem(await s.api.act(job_id, 'force-close', { ...why, confirm: job_id }, owner), 403, 'ORCH_FORBIDDEN');
    jobIn(await s.api.act(job_id, 'cancel', why, owner), 202);
    assert.equal((await s.settled(job_id)).current_state, 'CANCELLED');
  });
});
