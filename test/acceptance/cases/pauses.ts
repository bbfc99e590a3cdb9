/** What operators hold back waits without a call or an attempt, and goes on at the rate at which it is released. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Answer, jobIn } from '../support/api.ts';
import { expectProblem } from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import { order, signup } from '../support/inputs.ts';
import { type LocalScenario, localScenario } from '../support/scenario.ts';
import type { Job } from '../support/wire.ts';

interface Pause {
  pause_id: string;
  status: 'active' | 'releasing' | 'released';
  waiting_jobs: number;
  would_release?: number;
  stopped_reason: string | null;
  release: { released_jobs: number } | null;
}

const REASON = 'the bank asked us to stop';

async function paused(s: LocalScenario, scope: string, value: string): Promise<string> {
  const answer = await s.api.call('POST', '/pauses', { body: { scope, value, reason: REASON } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return (answer.body as Pause).pause_id;
}

const release = (s: LocalScenario, id: string, rate: number, more: object = {}): Promise<Answer> =>
  s.api.call('POST', `/pauses/${id}/release`, { body: { rate_per_second: rate, reason: 'it is over', ...more } });

async function shown(s: LocalScenario, id: string): Promise<Pause> {
  const { items } = (await s.api.read('/pauses')) as { items: Pause[] };
  const found = items.find(({ pause_id }) => pause_id === id);
  assert.ok(found, `pause ${id} is not listed`);
  return found;
}

const waiting = (s: LocalScenario, id: string, count: number): Promise<Pause> =>
  eventually(`${count} jobs wait`, async () => {
    const pause = await shown(s, id);
    return pause.waiting_jobs === count ? pause : undefined;
  });

const over = (s: LocalScenario, id: string): Promise<Pause> =>
  s.local.fastForward('the release ends', async () => {
    const pause = await shown(s, id);
    return { seen: pause.status, result: pause.status === 'released' ? pause : undefined };
  });

async function letGo(s: LocalScenario, ids: string[]): Promise<void> {
  for (const id of ids) {
    await release(s, id, 1_000);
    await over(s, id);
  }
}

describe('pauses', () => {
  localScenario('jobs of a paused topic wait, spend nothing, and complete when released at a rate', async (s) => {
    const id = await paused(s, 'topic', 'user:create');
    const jobs: Job[] = [];
    for (let n = 0; n < 5; n += 1) jobs.push(await s.start('signup', signup()));
    assert.equal((await waiting(s, id, 5)).status, 'active');
    for (const { job_id } of jobs) {
      const job = await s.api.job(job_id);
      assert.equal(job.current_state, 'RETRY_SCHEDULED');
      const user = job.steps.find(({ step }) => step === 'user');
      assert.deepEqual([user?.status, user?.attempts], ['pending', 0]);
    }
    const dry = await release(s, id, 2, { dry_run: true });
    assert.deepEqual([dry.status, (dry.body as Pause).would_release], [200, 5]);
    assert.equal((await shown(s, id)).status, 'active');
    assert.equal((await release(s, id, 2)).status, 200);
    for (const { job_id } of jobs) {
      const job = await s.settled(job_id);
      assert.equal(job.current_state, 'COMPLETED');
      assert.equal(job.retry_count, 0);
      for (const step of job.steps) assert.equal(step.attempts, 1, step.step);
    }
    const pause = await over(s, id);
    assert.deepEqual([pause.waiting_jobs, pause.release?.released_jobs], [0, 5]);
  });

  localScenario('a paused topic gets no undo either; a paused workflow takes back what it has to', async (s) => {
    const undo = await paused(s, 'topic', 'tenant:delete');
    await s.local.fault({ target: 'user:create', mode: 'fail', error_code: 'CONTRACT_CONFLICT' });
    const { job_id } = await s.start('signup', signup());
    await waiting(s, undo, 1);
    assert.equal((await s.api.job(job_id)).current_state, 'COMPENSATING');
    const workflow = await paused(s, 'workflow', 'signup');
    await release(s, undo, 10);
    // Of one that goes nowhere further, the way back is still open.
    assert.equal((await s.settled(job_id)).outcome, 'rolled_back');
    const held = await s.start('signup', signup());
    await waiting(s, workflow, 1);
    assert.equal(
      (await s.api.job(held.job_id)).steps.every(({ attempts }) => attempts === 0),
      true,
    );
    await letGo(s, [workflow, undo]);
    assert.equal((await s.settled(held.job_id)).current_state, 'COMPLETED');
  });

  localScenario('one caller or dependency is paused and the others go on', async (s) => {
    const caller = await paused(s, 'caller', 'noisy');
    const dependency = await paused(s, 'dependency', 'inventory');
    const noisy = await s.start('signup', signup(), { as: { id: 'noisy' } });
    const stopped = await s.start('order', order());
    const free = await s.start('signup', signup());
    assert.equal((await s.settled(free.job_id)).current_state, 'COMPLETED');
    await waiting(s, caller, 1);
    await waiting(s, dependency, 1);
    await letGo(s, [caller, dependency]);
    for (const { job_id } of [noisy, stopped]) assert.equal((await s.settled(job_id)).current_state, 'COMPLETED');
  });

  localScenario('a release whose jobs fail stops by itself and says why', async (s) => {
    const id = await paused(s, 'topic', 'user:create');
    const jobs: Job[] = [];
    for (let n = 0; n < 8; n += 1) jobs.push(await s.start('signup', signup()));
    await waiting(s, id, 8);
    await s.local.fault({ target: 'user:create', mode: 'fail', error_code: 'SURPRISE', times: 5 });
    await release(s, id, 4);
    const pause = await eventually('the release stops', async () => {
      const now = await shown(s, id);
      return now.status === 'active' ? now : undefined;
    });
    assert.match(pause.stopped_reason ?? '', /failed/);
    // Those whose turn had not come yet wait once more when it comes.
    await eventually('the others wait again', async () => (await shown(s, id)).waiting_jobs > 0 || undefined);
    await s.local.clearFaults();
    await letGo(s, [id]);
    for (const { job_id } of jobs) await s.settled(job_id);
  });

  localScenario('a pause outlives a restart, and so does its release', async (s) => {
    const id = await paused(s, 'topic', 'user:create');
    const jobs: Job[] = [];
    for (let n = 0; n < 4; n += 1) jobs.push(await s.start('signup', signup()));
    await waiting(s, id, 4);
    await s.local.restart();
    await waiting(s, id, 4);
    await release(s, id, 1);
    await s.local.restart();
    for (const { job_id } of jobs) assert.equal((await s.settled(job_id)).current_state, 'COMPLETED');
    await over(s, id);
  });

  localScenario('only operators pause and release, with a reason, and what exists', async (s) => {
    const as = { id: 'ann', role: 'submitter' } as const;
    const body = { scope: 'topic', value: 'user:create', reason: REASON };
    expectProblem(await s.api.call('POST', '/pauses', { body, as }), 403, 'ORCH_FORBIDDEN');
    expectProblem(await s.api.call('GET', '/pauses', { as }), 403, 'ORCH_FORBIDDEN');
    for (const wrong of [
      { ...body, reason: ' ' },
      { scope: 'topic', value: 'user:create' },
      { ...body, scope: 'planet' },
      { ...body, value: 'user:creat' },
      { ...body, until: 'tomorrow' },
    ]) {
      expectProblem(await s.api.call('POST', '/pauses', { body: wrong }), 400, 'ORCH_MALFORMED_REQUEST');
    }
    const id = await paused(s, 'topic', 'user:create');
    assert.equal(await paused(s, 'topic', 'user:create'), id);
    expectProblem(await release(s, id, 0), 400, 'ORCH_MALFORMED_REQUEST');
    expectProblem(await release(s, 'pnothere', 1), 404, 'ORCH_NOT_FOUND');
    await letGo(s, [id]);
    expectProblem(await release(s, id, 1), 409, 'ORCH_INVALID_STATE_TRANSITION');
    const { items } = (await s.api.read('/audit?limit=20')) as { items: { action: string; result: string }[] };
    const seen = items.map(({ action, result }) => `${action} ${result}`);
    for (const what of ['pause refused', 'pause done', 'release_pause done', 'end_release done']) {
      assert.ok(seen.includes(what), `${what} is not in the audit: ${seen.join(', ')}`);
    }
    jobIn(await s.submit('signup', signup()));
  });
});
