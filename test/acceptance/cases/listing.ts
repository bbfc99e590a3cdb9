/** The list of jobs: filters, pages that neither repeat nor miss, and nobody sees what is not theirs. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { research, signup, unique, withBadPlan } from '../support/inputs.ts';
import { localScenario, type Scenario, SIDE_BY_SIDE, scenario } from '../support/scenario.ts';
import type { Job, Page } from '../support/wire.ts';

/** Started one after the other under one correlation id, so that their order is known. */
async function startInOrder(s: Scenario, correlation_id: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    const { job_id } = await s.start('research', research(), { headers: { 'x-correlation-id': correlation_id } });
    ids.push(job_id);
  }
  return ids;
}

/** Lists may follow the jobs by a moment. */
const listed = (s: Scenario, query: Record<string, string | number>, count: number): Promise<Page<Job>> =>
  eventually(`${count} job(s) listed for ${JSON.stringify(query)}`, async () => {
    const page = await s.api.jobs(query);
    return page.items.length === count ? page : undefined;
  });

const idsOf = (jobs: readonly Job[]): string[] => jobs.map(({ job_id }) => job_id);

describe('listing', SIDE_BY_SIDE, () => {
  scenario('pages follow each other, newest first, and jobs that come in between are not repeated', async (s) => {
    const correlation_id = unique('pages');
    const ids = await startInOrder(s, correlation_id, 5);
    await listed(s, { correlation_id }, 5);

    const seen: Job[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<Job> = await s.api.jobs({ correlation_id, limit: 2, ...(cursor && { cursor }) });
      assert.ok(page.items.length <= 2);
      seen.push(...page.items);
      cursor = page.next_cursor;
      if (seen.length === 2) await startInOrder(s, correlation_id, 1);
    } while (cursor !== null);
    assert.deepEqual(idsOf(seen).sort(), [...ids].sort());
    const times = seen.map(({ created_at }) => created_at);
    assert.deepEqual(times, times.toSorted().reverse(), 'newest first');
  });

  scenario('filters by state, type and time narrow the list', async (s) => {
    const correlation_id = unique('filters');
    const headers = { 'x-correlation-id': correlation_id };
    const good = await s.start('signup', signup(), { headers });
    const bad = await s.start('signup', withBadPlan(), { headers });
    const other = await s.start('research', research(), { headers });
    await Promise.all([good, bad, other].map(({ job_id }) => s.settled(job_id)));
    await listed(s, { correlation_id }, 3);

    const only = async (query: Record<string, string>) => idsOf((await s.api.jobs({ correlation_id, ...query })).items);
    assert.deepEqual(await only({ state: 'FAILED' }), [bad.job_id]);
    assert.deepEqual(await only({ workflow_type: 'research' }), [other.job_id]);
    assert.deepEqual(await only({ state: 'COMPLETED', workflow_type: 'signup' }), [good.job_id]);
    assert.deepEqual(await only({ state: 'CANCELLED' }), []);
    const at = (time: string, shiftMs: number) => new Date(Date.parse(time) + shiftMs).toISOString();
    const around = { from: at(good.created_at, -1_000), to: at(other.created_at, 1_000) };
    assert.equal((await only(around)).length, 3);
    assert.deepEqual(await only({ from: at(other.created_at, 1_000) }), []);
    assert.deepEqual(await only({ to: at(good.created_at, -1_000) }), []);
  });

  scenario('a correlation id that the caller does not give is made', async (s) => {
    const job = await s.start('research', research());
    assert.match(job.correlation_id, /\S/);
    const { items } = await listed(s, { correlation_id: job.correlation_id }, 1);
    assert.equal(items[0]?.job_id, job.job_id);
  });
});

describe('listing, by several callers', () => {
  localScenario('a submitter sees its own jobs only; an operator sees all', async (s) => {
    const [mine, theirs] = [unique('mine'), unique('theirs')].map((id) => ({ id, role: 'submitter' as const }));
    assert.ok(mine && theirs);
    const own = await s.start('research', research(), { as: mine });
    const foreign = await s.start('research', research(), { as: theirs });
    for (const [caller, job] of [
      [mine, own],
      [theirs, foreign],
    ] as const) {
      await eventually('its one job is listed', async () => {
        const { items } = await s.api.jobs({}, caller);
        return items.length > 0 ? (assert.deepEqual(idsOf(items), [job.job_id]) ?? true) : undefined;
      });
      assert.equal((await s.api.job(job.job_id)).caller_id, job.caller_id);
    }
    const { items } = await s.api.jobs({ correlation_id: foreign.correlation_id }, mine);
    assert.deepEqual(items, []);
    const all = idsOf((await s.api.jobs({ limit: 100 })).items);
    assert.ok(all.includes(own.job_id) && all.includes(foreign.job_id));
  });
});
