/** One key, one job, one answer; another payload under it is a conflict. Without a key the product makes one. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Answer, jobIn, type Submission } from '../support/api.ts';
import { expectProblem } from '../support/checks.ts';
import { signup, unique, withBadPlan } from '../support/inputs.ts';
import { localScenario, type Scenario, SIDE_BY_SIDE, scenario } from '../support/scenario.ts';

const CROWD = 20;

const crowd = (s: Scenario, input: unknown, submission: Submission): Promise<Answer[]> =>
  Promise.all(Array.from({ length: CROWD }, () => s.submit('signup', input, submission)));

const isReplay = (answer: Answer): boolean => answer.headers.get('idempotency-replayed') === 'true';

/** All answers speak of one job, and exactly one of them of a new one. Returns its id. */
function assertOneJob(answers: Answer[]): string {
  const ids = new Set(answers.map((answer) => jobIn(answer).job_id));
  assert.equal(ids.size, 1, `more than one job: ${[...ids].join(', ')}`);
  assert.equal(answers.filter(isReplay).length, answers.length - 1);
  return [...ids].join();
}

describe('idempotency', SIDE_BY_SIDE, () => {
  for (const wait of [undefined, 20]) {
    const waiting = wait ? 'that wait' : 'that do not wait';

    scenario(`${CROWD} concurrent submits of one key, ${waiting}, are one job that ran once`, async (s) => {
      const answers = await crowd(s, signup(), { key: unique('key'), ...(wait && { wait }) });
      const job = await s.settled(assertOneJob(answers));
      assert.equal(job.current_state, 'COMPLETED');
      for (const step of job.steps) assert.equal(step.attempts, 1);
      if (wait) for (const answer of answers) jobIn(answer, 201);
    });
  }

  scenario('a key whose job has ended is answered with the stored end', async (s) => {
    const input = signup();
    const key = unique('key');
    const first = jobIn(await s.submit('signup', input, { key, wait: 20 }), 201);
    for (const [submission, status] of [
      [{}, 200],
      [{ wait: 5 }, 201],
    ] as const) {
      const answer = await s.submit('signup', input, { key, ...submission });
      const again = jobIn(answer, status);
      assert.ok(isReplay(answer));
      assert.equal(again.job_id, first.job_id);
      assert.deepEqual(again.output, first.output);
    }
  });

  scenario('a key whose job was refused is answered with the same refusal, and nothing runs again', async (s) => {
    const input = withBadPlan();
    const key = unique('key');
    const first = expectProblem(await s.submit('signup', input, { key, wait: 20 }), 422);
    const answer = await s.submit('signup', input, { key, wait: 5 });
    const again = expectProblem(answer, 422, first.code);
    assert.ok(isReplay(answer));
    assert.equal(again.job_id, first.job_id);
    assert.equal(jobIn(await s.submit('signup', input, { key }), 200).current_state, 'FAILED');
  });

  scenario('the same payload written another way is the same payload', async (s) => {
    const { company, email, plan } = signup();
    const key = unique('key');
    const first = await s.start('signup', { company, email, plan }, { key });
    const raw = `{ "plan": ${JSON.stringify(plan)},\n "email": ${JSON.stringify(email)}, "company": ${JSON.stringify(company)} }`;
    const answer = await s.submit('signup', undefined, { key, raw });
    assert.equal(jobIn(answer).job_id, first.job_id);
    assert.ok(isReplay(answer));
  });

  scenario('another payload under a used key is a conflict that names paths and no values', async (s) => {
    const input = signup();
    const key = unique('key');
    const first = await s.start('signup', input, { key });
    const other = { ...input, company: unique('Other') };
    const problem = expectProblem(await s.submit('signup', other, { key }), 409, 'ORCH_DUPLICATE_IDEMPOTENCY_KEY');
    assert.match(JSON.stringify(problem.errors?.map(({ path }) => path)), /company/);
    assert.doesNotMatch(JSON.stringify(problem.errors), /email|plan/, 'names what does not differ');
    for (const value of [input.company, other.company]) assert.ok(!JSON.stringify(problem).includes(value));
    const job = await s.settled(first.job_id);
    assert.deepEqual(job.input, input);
  });

  scenario('another payload under a used key is a conflict even where it is invalid', async (s) => {
    const key = unique('key');
    await s.start('signup', signup(), { key });
    for (const invalid of [{ company: '' }, {}, { ...signup(), extra: 1 }]) {
      expectProblem(await s.submit('signup', invalid, { key }), 409, 'ORCH_DUPLICATE_IDEMPOTENCY_KEY');
    }
  });

  scenario('one key under two workflow types is two jobs', async (s) => {
    const key = unique('key');
    const one = await s.start('signup', signup(), { key });
    const other = await s.start('research', { question: unique() }, { key });
    assert.notEqual(one.job_id, other.job_id);
  });

  scenario('without a key the same input is the same job, another input another', async (s) => {
    const input = signup();
    const first = await s.start('signup', input, { key: null });
    assert.match(first.idempotency_key, /^auto:/);
    const again = await s.submit('signup', input, { key: null });
    assert.equal(jobIn(again).job_id, first.job_id);
    assert.ok(isReplay(again));
    assert.notEqual((await s.start('signup', signup(), { key: null })).job_id, first.job_id);
  });

  scenario(`${CROWD} concurrent submits without a key are one job`, async (s) => {
    assertOneJob(await crowd(s, signup(), { key: null }));
  });
});

describe('idempotency, seen from inside', () => {
  localScenario(
    `${CROWD} concurrent submits of one key call each participant once and publish one outcome`,
    async (s) => {
      const job_id = assertOneJob(await crowd(s, signup(), { key: unique('key') }));
      await s.settled(job_id);
      await s.local.event(job_id, 'signup:completed');
      assert.equal(
        (await s.local.events(job_id)).filter(({ detail_type }) => detail_type === 'signup:completed').length,
        1,
      );
      for (const service of ['tenant', 'billing', 'user']) {
        assert.equal((await s.local.calls(service, job_id)).length, 1, service);
      }
    },
  );

  localScenario('one key of two callers is two jobs, and neither is told about the other', async (s) => {
    const key = unique('key');
    const [one, other] = await Promise.all(
      ['one', 'other'].map((name) => s.submit('signup', signup(), { key, as: { id: unique(name) } })),
    );
    assert.ok(one && other);
    assert.ok(!isReplay(one) && !isReplay(other));
    assert.notEqual(jobIn(one).job_id, jobIn(other).job_id);
  });

  localScenario('five minutes after the first submit without a key the same input is a new job', async (s) => {
    const input = signup();
    const first = await s.start('signup', input, { key: null });
    await s.settled(first.job_id);
    await s.local.advance(4 * 60_000);
    assert.equal((await s.start('signup', input, { key: null })).job_id, first.job_id, 'still in the window');
    await s.local.advance(61_000);
    const later = await s.submit('signup', input, { key: null });
    assert.notEqual(jobIn(later).job_id, first.job_id, 'the window counts from the first submit');
    assert.ok(!isReplay(later));
  });
});
