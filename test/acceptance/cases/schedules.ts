/** Workflows on a schedule: each tick one job, whatever happens; people set, stop and remove them. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { expectProblem } from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import { unique } from '../support/inputs.ts';
import { type LocalScenario, localScenario, type Scenario, scenario } from '../support/scenario.ts';
import type { Job } from '../support/wire.ts';

const MINUTE_MS = 60_000;

interface Tick {
  at: string;
  status: string;
  job_id: string | null;
  reason: string | null;
}

interface Schedule {
  name: string;
  paused: boolean;
  next_tick_at: string | null;
  ticks: Tick[];
  revision: number;
}

const name = (): string =>
  unique('s')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
    .slice(0, 60);
const wish = (more: object = {}) => ({
  workflow_type: 'research',
  input: { question: 'what is new?' },
  expression: 'rate(5 minutes)',
  reason: 'acceptance',
  ...more,
});

async function set(s: Scenario, schedule: string, more: object = {}): Promise<Schedule> {
  const answer = await s.api.call('PUT', `/schedules/${schedule}`, { body: wish(more) });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as Schedule;
}

async function remove(s: Scenario, schedule: string): Promise<void> {
  assert.equal((await s.api.call('DELETE', `/schedules/${schedule}`)).status, 200);
}

/** The schedule once the last of its ticks stands as the case wants it. */
function ticked(s: Scenario, schedule: string, statuses: readonly string[]): Promise<Schedule> {
  return eventually(`${schedule} has ticks ${statuses.join(', ')}`, async () => {
    const found = (await s.api.read(`/schedules/${schedule}`)) as Schedule;
    return found.ticks.map(({ status }) => status).join() === statuses.join() ? found : undefined;
  });
}

async function jobsOf(s: Scenario, schedule: string): Promise<Job[]> {
  return (await s.api.jobs({ correlation_id: `schedule:${schedule}`, limit: 100 })).items;
}

/** The job of a tick, settled, and told apart from any other. */
async function jobOfTick(s: LocalScenario, schedule: string, tick: Tick | undefined): Promise<Job> {
  assert.ok(tick?.job_id);
  const job = await s.local.settle(tick.job_id);
  s.remember({ status: 200, headers: new Headers(), body: job });
  assert.equal(job.source, 'schedule');
  assert.equal(job.idempotency_key, `${schedule}@${tick.at}`);
  return job;
}

describe('schedules', () => {
  // Open: on the emulator a schedule cannot be set (500), so this is held embedded only until that is understood.
  localScenario('are kept, shown, paused and removed, and those who are no operators see none', async (s) => {
    const schedule = name();
    const made = await set(s, schedule, { expression: 'cron(0 8 1 1 *)', timezone: 'Europe/Berlin' });
    assert.match(made.next_tick_at ?? '', /-01-01T07:00:00\.000Z$/);
    const paused = await s.api.call('POST', `/schedules/${schedule}/pause`, { body: { reason: 'acceptance' } });
    assert.deepEqual([paused.status, (paused.body as Schedule).next_tick_at], [200, null]);
    const resumed = await s.api.call('POST', `/schedules/${schedule}/pause`, {
      body: { reason: 'acceptance', paused: false },
    });
    assert.equal((resumed.body as Schedule).paused, false);
    const other = { id: 'mallory', role: 'submitter' } as const;
    expectProblem(await s.api.call('GET', `/schedules/${schedule}`, { as: other }), 403, 'ORCH_FORBIDDEN');
    expectProblem(await s.api.call('DELETE', `/schedules/${schedule}`, { as: other }), 403, 'ORCH_FORBIDDEN');
    await remove(s, schedule);
    expectProblem(await s.api.call('GET', `/schedules/${schedule}`), 404, 'ORCH_UNKNOWN_SCHEDULE');
  });

  scenario('that could not work are refused when they are set', async (s) => {
    const put = (more: object) => s.api.call('PUT', `/schedules/${name()}`, { body: wish(more) });
    expectProblem(await put({ expression: 'at noon' }), 400, 'ORCH_MALFORMED_REQUEST');
    expectProblem(await put({ timezone: 'Mars/Olympus' }), 400, 'ORCH_MALFORMED_REQUEST');
    expectProblem(await put({ workflow_type: 'nothing' }), 404, 'ORCH_UNKNOWN_WORKFLOW');
    expectProblem(await put({ input: {} }), 422, 'CONTRACT_INPUT_INVALID');
  });

  localScenario('each tick becomes one job, also when the process is killed in between', async (s) => {
    const schedule = name();
    await set(s, schedule);
    await s.local.advance(5 * MINUTE_MS);
    const first = await ticked(s, schedule, ['started']);
    await jobOfTick(s, schedule, first.ticks[0]);
    await s.local.restart();
    await s.local.advance(5 * MINUTE_MS);
    const second = await ticked(s, schedule, ['started', 'started']);
    await jobOfTick(s, schedule, second.ticks[1]);
    assert.equal((await jobsOf(s, schedule)).length, 2);
    await remove(s, schedule);
  });

  localScenario('a watchdog that dies at any of its calls leaves one job a tick', async (s) => {
    const schedule = name();
    await set(s, schedule, { expression: 'rate(1 hour)' });
    for (let atCall = 1; atCall <= 12; atCall += 1) {
      // Sixteen calls look for jobs; what follows is about schedules.
      await s.local.fault({ target: 'watchdog', mode: 'crash', at_call: atCall + 16 });
      await s.local.advance(60 * MINUTE_MS);
      const statuses = Array<string>(atCall).fill('started');
      const { ticks } = await ticked(s, schedule, statuses);
      await jobOfTick(s, schedule, ticks.at(-1));
      await s.local.clearFaults();
    }
    assert.equal((await jobsOf(s, schedule)).length, 12);
    await remove(s, schedule);
  });

  localScenario('a tick is skipped while the job before it runs, and the reason is told', async (s) => {
    const schedule = name();
    await set(s, schedule);
    await s.local.fault({ target: 'research:mine', mode: 'hang', times: 50 });
    await s.local.advance(5 * MINUTE_MS);
    await ticked(s, schedule, ['started']);
    await s.local.advance(5 * MINUTE_MS);
    const { ticks } = await ticked(s, schedule, ['started', 'skipped']);
    assert.ok(ticks[1]?.reason?.includes(ticks[0]?.job_id ?? '-'), 'the reason names the job');
    assert.equal(ticks[1]?.job_id, null);
    await s.local.clearFaults();
    await jobOfTick(s, schedule, ticks[0]);
    await remove(s, schedule);
  });

  localScenario('a tick that waits starts when the job before it has ended', async (s) => {
    const schedule = name();
    await set(s, schedule, { overlap: 'queue' });
    await s.local.fault({ target: 'research:mine', mode: 'hang', times: 50 });
    await s.local.advance(5 * MINUTE_MS);
    await ticked(s, schedule, ['started']);
    await s.local.advance(5 * MINUTE_MS);
    const { ticks } = await ticked(s, schedule, ['started', 'queued']);
    await s.local.clearFaults();
    await jobOfTick(s, schedule, ticks[0]);
    await s.local.advance(MINUTE_MS);
    const later = await ticked(s, schedule, ['started', 'started']);
    await jobOfTick(s, schedule, later.ticks[1]);
    await remove(s, schedule);
  });

  localScenario(
    'missed ticks are made up for as far as the policy says; a pause leaves nothing to make up',
    async (s) => {
      const [some, none, all] = [name(), name(), name()];
      await set(s, some, { overlap: 'allow', backfill: { max_ticks: 2 } });
      await set(s, none, { overlap: 'allow', backfill: { max_ticks: 0 } });
      await set(s, all, { overlap: 'allow', backfill: { max_ticks: 100 } });
      await s.api.call('POST', `/schedules/${all}/pause`, { body: { reason: 'acceptance' } });
      await s.local.advance(60 * MINUTE_MS + 1_000);
      await ticked(s, some, ['missed', 'started', 'started', 'started']);
      await ticked(s, none, ['missed', 'started']);
      await s.api.call('POST', `/schedules/${all}/resume`, { body: { reason: 'acceptance' } });
      await s.local.advance(5 * MINUTE_MS);
      const { ticks } = await ticked(s, all, ['started']);
      await jobOfTick(s, all, ticks[0]);
      for (const schedule of [some, none, all]) await remove(s, schedule);
    },
  );
});
