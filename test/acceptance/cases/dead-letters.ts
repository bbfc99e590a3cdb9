/** A dead letter is looked at, replayed as a new linked job, or discarded, by somebody with a reason. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { jobIn } from '../support/api.ts';
import { expectProblem } from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import { signup } from '../support/inputs.ts';
import { type LocalScenario, localScenario } from '../support/scenario.ts';
import type { DeadLetter, Job, Page } from '../support/wire.ts';

const why = { reason: 'the user service is fixed' };

/** A signup that failed with a code nobody knows: rolled back and quarantined at once. */
async function deadLettered(s: LocalScenario, input = signup()): Promise<Job> {
  await s.local.fault({ target: 'user:create', mode: 'fail', error_code: 'SURPRISE' });
  const job = await s.settled((await s.start('signup', input)).job_id);
  assert.equal(job.current_state, 'DEAD_LETTERED');
  return job;
}

const record = async (s: LocalScenario, job: Job): Promise<DeadLetter> =>
  (await s.api.read(`/dead-letters/d${job.job_id}`)) as DeadLetter;

describe('dead letters', () => {
  localScenario('a replay is a new job with the same input and trace, linked in both directions', async (s) => {
    const input = signup();
    const dead = await deadLettered(s, input);
    assert.equal((await record(s, dead)).replay_eligible, true);

    const answer = await s.api.call('POST', `/dead-letters/d${dead.job_id}/replay`, { body: why });
    s.remember(answer);
    const replay = await s.settled(jobIn(answer, 202).job_id);
    assert.notEqual(replay.job_id, dead.job_id);
    assert.equal(replay.current_state, 'COMPLETED');
    assert.equal(replay.source, 'replay');
    assert.equal(replay.replay_of, dead.job_id);
    assert.deepEqual(replay.input, input);
    const traceId = (job: Job) => job.trace_context.traceparent.split('-')[1];
    assert.equal(traceId(replay), traceId(dead));
    const linked = await s.until(dead.job_id, 'names its replay', ({ replayed_by }) => replayed_by.length > 0);
    assert.deepEqual(linked.replayed_by, [replay.job_id]);
    assert.equal(linked.current_state, 'DEAD_LETTERED');
    assert.equal((await record(s, dead)).status, 'replayed');
  });

  localScenario('a second replay answers the job of the first', async (s) => {
    const dead = await deadLettered(s);
    const replay = () => s.api.call('POST', `/dead-letters/d${dead.job_id}/replay`, { body: why });
    const [one, other] = await Promise.all([replay(), replay()]);
    s.remember(one);
    assert.equal(jobIn(one, 202).job_id, jobIn(other, 202).job_id);
    assert.equal(jobIn(await replay(), 202).job_id, jobIn(one).job_id);
  });

  localScenario('a discarded one is closed for good', async (s) => {
    const dead = await deadLettered(s);
    const act = (verb: string, body: unknown) => s.api.call('POST', `/dead-letters/d${dead.job_id}/${verb}`, { body });
    expectProblem(await act('discard', {}), 400, 'ORCH_MALFORMED_REQUEST');
    assert.equal((await act('discard', { reason: 'a test customer' })).status, 200);
    assert.equal((await record(s, dead)).status, 'discarded');
    expectProblem(await act('replay', why), 409);
  });

  localScenario('the list is narrowed by reason, type and status', async (s) => {
    const dead = await deadLettered(s);
    const isListed = async (query: string) => {
      const { items } = (await s.api.read(`/dead-letters?limit=100&${query}`)) as Page<DeadLetter>;
      return items.some(({ job_id }) => job_id === dead.job_id);
    };
    await eventually('it is listed', async () => (await isListed('reason=unrecoverable_error')) || undefined);
    assert.ok(await isListed('workflow_type=signup&status=open'));
    assert.ok(!(await isListed('reason=compensation_failed')));
    assert.ok(!(await isListed('workflow_type=order')));
    assert.ok(!(await isListed('status=discarded')));
  });
});
