/**
 * Six things that go wrong in earnest, each told to its end: whatever happened, nothing is left in the world, or what is
 * left is named where the next person looks.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Answer, jobIn } from '../support/api.ts';
import { expectProblem, openEffects, recordsOf } from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import { order, signup, unique, withBadEmail } from '../support/inputs.ts';
import { type LocalScenario, localScenario } from '../support/scenario.ts';
import { type DeadLetter, type Job, type Page, stepOf, undoOf } from '../support/wire.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The longest that an undo waits for its next attempt, and a little. */
const UNDO_WAIT = 5 * MINUTE + 10_000;
const PAST_THE_DEADLINE = 24 * HOUR + MINUTE;
const ANN = { id: 'ann' };
const BOB = { id: 'bob' };

interface AuditLine {
  actor: string;
  action: string;
  result: 'done' | 'refused';
  reason: string;
  detail: string | null;
}

const auditOf = async (s: LocalScenario, jobId: string): Promise<AuditLine[]> =>
  ((await s.api.read(`/audit?job_id=${jobId}&limit=100`)) as Page<AuditLine>).items;

const recordOf = async (s: LocalScenario, jobId: string): Promise<DeadLetter> =>
  (await s.api.read(`/dead-letters/d${jobId}`)) as DeadLetter;

const ledgerOf = async (s: LocalScenario, service: string, job: Job): Promise<string[]> =>
  recordsOf(job, new Map([[service, await s.local.participant(service)]]));

/** In steps that let every attempt of an undo happen at its time. */
async function anHourPasses(s: LocalScenario): Promise<void> {
  for (let waited = 0; waited < HOUR; waited += UNDO_WAIT) await s.local.advance(UNDO_WAIT);
}

/** Whose document opens with what a person may do now. */
async function adviceOn(s: LocalScenario, jobId: string): Promise<string[]> {
  const { support } = (await s.api.read(`/jobs/${jobId}`)) as {
    support: { safe_actions: { action: string; step?: string; resolution?: string }[] };
  };
  return support.safe_actions.map(({ action, step, resolution }) => [action, step, resolution].join(' ').trim());
}

describe('story: the answer is lost and never found again', () => {
  localScenario(
    'no call, no query and no undo is ever answered: a person looks, says so, and it is over',
    async (s) => {
      for (const topic of ['payment:authorise', 'payment:find', 'payment:cancel']) {
        await s.local.fault({ target: topic, mode: 'drop_response', times: 1_000 });
      }
      const { job_id } = await s.start('order', order());
      await anHourPasses(s);
      const stuck = await s.local.settle(job_id);
      assert.equal(stuck.current_state, 'NEEDS_REVIEW');
      assert.deepEqual(openEffects(stuck), ['payment:undo_failed']);
      assert.equal(undoOf(stuck, 'payment').attempts, 10, 'an undo is tried ten times');
      assert.equal(undoOf(stuck, 'reservation').status, 'compensated', 'what can be undone is undone');
      assert.deepEqual(await adviceOn(s, job_id), ['retry-compensation', 'resolve payment compensated']);

      // Whoever looks at the participant sees that the undo had worked after all.
      assert.deepEqual(await ledgerOf(s, 'payment', stuck), []);
      const said = {
        step: 'payment',
        resolution: 'compensated',
        reason: 'not in their books',
        evidence: 'ticket 4711',
      };
      jobIn(await s.api.act(job_id, 'resolve', said, ANN), 202);
      const ended = await s.api.job(job_id);
      assert.deepEqual([ended.current_state, ended.outcome], ['DEAD_LETTERED', 'rolled_back']);
      assert.deepEqual(openEffects(ended), []);
      const evidence = (await s.api.history(job_id)).flatMap((entry) => ('evidence' in entry ? [entry.evidence] : []));
      assert.ok(evidence.includes('ticket 4711'));
    },
  );
});

describe('story: the undo is down for an hour', () => {
  localScenario('it is tried for as long as its patience lasts, then by a person, under the same id', async (s) => {
    await s.local.fault({ target: 'tenant:delete', mode: 'fail', times: 1_000 });
    const { job_id } = await s.start('signup', withBadEmail());
    await s.until(job_id, 'turns back', (job) => stepOf(job, 'tenant').status === 'compensating');
    await anHourPasses(s);
    const stuck = await s.local.settle(job_id);
    assert.deepEqual([stuck.current_state, stuck.outcome], ['NEEDS_REVIEW', 'partially_rolled_back']);
    assert.deepEqual(openEffects(stuck), ['tenant:undo_failed']);
    assert.deepEqual([undoOf(stuck, 'tenant').attempts, undoOf(stuck, 'billing').status], [10, 'compensated']);
    const before = await recordOf(s, job_id);
    assert.deepEqual([before.reason, before.status, before.replay_eligible], ['compensation_failed', 'open', false]);

    await s.local.clearFaults();
    jobIn(await s.api.act(job_id, 'retry-compensation', { reason: 'tenant service is back' }), 202);
    const ended = await s.until(job_id, 'ends', ({ current_state }) => current_state === 'FAILED');
    assert.deepEqual([ended.outcome, openEffects(ended)], ['rolled_back', []]);
    assert.equal(ended.stopped_reason, 'CONTRACT_VALIDATION_ERROR', 'why it stopped is again its own cause');
    const undos = await s.local.calls('tenant', job_id, 'tenant:delete');
    assert.deepEqual(new Set(undos.map(({ operation_id }) => operation_id)), new Set([`${job_id}.tenant.undo`]));
    await s.local.fastForward('the record says that the job has ended', async () => {
      const { replay_eligible, final_state } = await recordOf(s, job_id);
      return { seen: final_state, result: (replay_eligible && final_state === 'FAILED') || undefined };
    });
  });

  localScenario('back before its patience is over, nobody has to do anything', async (s) => {
    await s.local.fault({ target: 'tenant:delete', mode: 'fail', times: 4 });
    const { job_id } = await s.start('signup', withBadEmail());
    const ended = await s.local.settle(job_id);
    assert.deepEqual([ended.current_state, ended.outcome], ['FAILED', 'rolled_back']);
    assert.equal(undoOf(ended, 'tenant').attempts, 5);
    assert.deepEqual(await auditOf(s, job_id), []);
  });
});

describe('story: the deadline in the middle of a call', () => {
  const inFlight = async (s: LocalScenario, delay_ms: number): Promise<string> => {
    await s.local.fault({ target: 'tenant:create', mode: 'delay', delay_ms });
    const { job_id } = await s.start('signup', signup());
    await s.until(job_id, 'is in flight', (job) => stepOf(job, 'tenant').status === 'dispatched');
    return job_id;
  };

  for (const [when, delay_ms] of [
    ['within the call’s own timeout', 5_000],
    ['long after everybody gave it up', 40_000],
  ] as const) {
    localScenario(`its success arrives ${when}: nothing of it stays`, async (s) => {
      const job_id = await inFlight(s, delay_ms);
      await s.local.advance(PAST_THE_DEADLINE);
      const job = await s.local.settle(job_id);
      assert.deepEqual([job.current_state, job.outcome], ['DEAD_LETTERED', 'rolled_back']);
      assert.equal(job.stopped_reason, 'ORCH_DEADLINE_EXCEEDED');
      assert.equal((await recordOf(s, job_id)).reason, 'max_retries_exceeded');
      await s.local.fastForward('the late call has come to its end', async () => {
        const creates = await s.local.calls('tenant', job_id, 'tenant:create');
        return { seen: String(creates.length), result: creates.length > 0 || undefined };
      });
      assert.deepEqual(openEffects(await s.api.job(job_id)), []);
      assert.deepEqual(await ledgerOf(s, 'tenant', job), []);
    });
  }
});

describe('story: cancel against completion', () => {
  const why = { reason: 'the customer changed their mind' };

  localScenario('the cancel comes first: the success that follows is taken back', async (s) => {
    await s.local.fault({ target: 'user:create', mode: 'delay', delay_ms: 700 });
    const { job_id } = await s.start('signup', signup());
    await s.until(job_id, 'makes its last call', (job) => stepOf(job, 'user').status === 'dispatched');
    jobIn(await s.api.act(job_id, 'cancel', why), 202);
    const job = await s.local.settle(job_id);
    assert.deepEqual([job.current_state, job.outcome, openEffects(job)], ['CANCELLED', 'rolled_back', []]);
    const made = await s.local.calls('user', job_id, 'user:create');
    assert.deepEqual(
      made.map(({ result }) => result),
      ['ok'],
      'it did succeed',
    );
    assert.equal(undoOf(job, 'user').status, 'compensated');
  });

  localScenario('the completion comes first: the cancel is refused with it, and told', async (s) => {
    const { job_id } = await s.settled((await s.start('signup', signup())).job_id);
    const answer = await s.api.act(job_id, 'cancel', why, ANN);
    assert.match(expectProblem(answer, 409, 'ORCH_INVALID_STATE_TRANSITION').detail, /COMPLETED/);
    const job = await s.api.job(job_id);
    assert.deepEqual([job.current_state, openEffects(job)], ['COMPLETED', []]);
    assert.deepEqual(
      (await auditOf(s, job_id)).map(({ actor, action, result, reason }) => [actor, action, result, reason]),
      [['operator:ann', 'cancel', 'refused', why.reason]],
    );
  });

  localScenario(
    'the last effect is there and its answer is lost when the cancel comes: it is taken back',
    async (s) => {
      await s.local.fault({ target: 'user:create', mode: 'hang', times: 50 });
      const { job_id } = await s.start('signup', signup());
      await s.until(job_id, 'makes its last call', (job) => stepOf(job, 'user').status === 'dispatched');
      jobIn(await s.api.act(job_id, 'cancel', why), 202);
      const job = await s.local.settle(job_id);
      assert.deepEqual([job.current_state, job.outcome, openEffects(job)], ['CANCELLED', 'rolled_back', []]);
      assert.deepEqual(await ledgerOf(s, 'user', job), []);
    },
  );
});

describe('story: two operators at once', () => {
  /** A job under review whose undo would work now. */
  async function underReview(s: LocalScenario): Promise<Job> {
    await s.local.fault({ target: 'tenant:delete', mode: 'fail', error_code: 'CONTRACT_CONFLICT' });
    const job = await s.settled((await s.start('signup', withBadEmail())).job_id);
    assert.equal(job.current_state, 'NEEDS_REVIEW');
    // Telling its news is one more write; what people look at in earnest is older than that.
    await s.local.event(job.job_id, 'job.needs_review');
    const looks: number[] = [];
    return eventually('its revision stands still for six looks', async () => {
      const seen = await s.api.job(job.job_id);
      looks.push(seen.revision);
      return looks.length >= 6 && looks.slice(-6).every((one) => one === seen.revision) ? seen : undefined;
    });
  }

  const kinds = (answers: Answer[]): number[] => answers.map(({ status }) => status).sort();

  localScenario('both looked at the same revision: one acts, the other is told to look again', async (s) => {
    const { job_id, revision } = await underReview(s);
    const said = { reason: 'the lock is gone', expected_revision: revision };
    const answers = await Promise.all([
      s.api.act(job_id, 'retry-compensation', said, ANN),
      s.api.act(job_id, 'retry-compensation', said, BOB),
    ]);
    assert.deepEqual(kinds(answers), [202, 409]);
    const ended = await s.until(job_id, 'ends', ({ current_state }) => current_state === 'FAILED');
    assert.deepEqual([ended.outcome, openEffects(ended)], ['rolled_back', []]);
    const deletes = await s.local.calls('tenant', job_id, 'tenant:delete');
    assert.equal(deletes.length, 2, 'the refused undo and one more');
    const audit = await s.local.fastForward('both are in the audit', async () => {
      const lines = await auditOf(s, job_id);
      return { seen: String(lines.length), result: lines.length === 2 ? lines : undefined };
    });
    assert.deepEqual(audit.map(({ result }) => result).sort(), ['done', 'refused']);
    assert.deepEqual(audit.map(({ actor }) => actor).sort(), ['operator:ann', 'operator:bob']);
  });

  localScenario('one takes it back, the other gives it up: whoever wins, what is left is named', async (s) => {
    const { job_id, revision } = await underReview(s);
    const expected = { expected_revision: revision };
    const answers = await Promise.all([
      s.api.act(job_id, 'retry-compensation', { reason: 'the lock is gone', ...expected }, ANN),
      s.api.act(job_id, 'force-close', { reason: 'we keep it', confirm: job_id, ...expected }, BOB),
    ]);
    assert.deepEqual(kinds(answers), [202, 409]);
    const given = answers[1]?.status === 202;
    const job = await s.until(job_id, 'ends', ({ current_state }) => /FAILED|DEAD_LETTERED/.test(current_state));
    assert.equal(job.current_state, given ? 'DEAD_LETTERED' : 'FAILED');
    assert.deepEqual(openEffects(job), given ? ['tenant:undo_failed'] : []);
    assert.deepEqual(await ledgerOf(s, 'tenant', job), given ? [`${job_id}.tenant`] : []);
  });
});

describe('story: a replay while the first effects still exist', () => {
  localScenario('the new job has operations of its own, and the old effect stays named at the old job', async (s) => {
    // The tenant of a sticky company cannot be deleted, and the user service is broken once.
    await s.local.fault({ target: 'user:create', mode: 'fail', error_code: 'SURPRISE' });
    const input = signup({ company: unique('sticky') });
    const { job_id } = await s.settled((await s.start('signup', input)).job_id);
    jobIn(await s.api.act(job_id, 'force-close', { reason: 'the tenant may stay', confirm: job_id }, ANN), 202);
    const left = await s.api.job(job_id);
    assert.deepEqual([left.current_state, left.outcome], ['DEAD_LETTERED', 'partially_rolled_back']);
    assert.deepEqual(openEffects(left), ['tenant:undo_failed']);
    assert.match((await auditOf(s, job_id))[0]?.detail ?? '', new RegExp(`leaves ${job_id}\\.tenant`));

    const answer = await s.api.call('POST', `/dead-letters/d${job_id}/replay`, {
      body: { reason: 'users are back' },
      as: ANN,
    });
    s.remember(answer);
    const replay = await s.local.settle(jobIn(answer, 202).job_id);
    assert.deepEqual([replay.current_state, replay.replay_of, openEffects(replay)], ['COMPLETED', job_id, []]);
    const tenants = (await s.local.participant('tenant')).records.filter(({ company }) => company === input.company);
    assert.deepEqual(
      tenants.map(({ operation_id }) => operation_id).sort(),
      [`${job_id}.tenant`, `${replay.job_id}.tenant`].sort(),
    );
    const original = await s.api.job(job_id);
    assert.deepEqual([original.replayed_by, openEffects(original)], [[replay.job_id], ['tenant:undo_failed']]);
    assert.equal(original.open_effects[0]?.operation_id, `${job_id}.tenant`);
  });
});
