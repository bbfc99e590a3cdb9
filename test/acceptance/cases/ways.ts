/**
 * The same workflows with their participants behind queues: nobody who submits sees a difference, and a kill in the
 * middle loses no command and no result.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Api, jobIn } from '../support/api.ts';
import { assertAddsUp, assertEffectsMatch, assertHistoryValid, ledgersFor } from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import { order, signup, unique, withBadEmail } from '../support/inputs.ts';
import { Local } from '../support/local.ts';
import { type EmbeddedRuntime, startEmbedded } from '../support/runtime.ts';
import { isSettled, type Job } from '../support/wire.ts';

const SERVICES = ['tenant', 'billing', 'user', 'inventory', 'payment', 'fulfilment'];
const skip = process.env.DACAPO_ACCEPTANCE_URL ? 'needs a runtime of its own: run it without --url' : false;

async function settled(api: Api, jobId: string): Promise<Job> {
  return eventually(`job ${jobId} settles`, async () => {
    const seen = await api.job(jobId);
    return isSettled(seen) ? seen : undefined;
  });
}

test('participants behind queues: done, rolled back, and after a kill, as when they are called', {
  skip,
}, async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'dacapo-acceptance-ways-'));
  const routes = join(data, 'routes.json');
  await writeFile(routes, JSON.stringify({ targets: SERVICES.map((target) => ({ by: 'queue', target })) }));
  let runtime: EmbeddedRuntime = await startEmbedded(data, { DACAPO_ROUTES: routes });
  t.after(async () => {
    await runtime.kill();
    await rm(data, { recursive: true, force: true });
  });
  const submit = async (type: string, input: unknown): Promise<string> =>
    jobIn(await runtime.api.submit(type, input, { key: unique('ways') })).job_id;

  const ends: [string, string][] = [
    [await submit('signup', signup()), 'COMPLETED'],
    [await submit('signup', withBadEmail()), 'FAILED'],
    [await submit('order', order()), 'COMPLETED'],
    [await submit('order', order({ address: '' })), 'FAILED'],
  ];
  for (const [jobId, end] of ends) assert.equal((await settled(runtime.api, jobId)).current_state, end, jobId);

  const local = new Local(runtime.api);
  for (const target of ['billing:setup', 'tenant:delete']) {
    await local.fault({ target, mode: 'delay', delay_ms: 300, times: 20 });
  }
  for (let nth = 0; nth < 10; nth += 1) {
    ends.push([await submit('signup', signup()), 'COMPLETED'], [await submit('signup', withBadEmail()), 'FAILED']);
  }
  await runtime.kill();
  runtime = await startEmbedded(data, { DACAPO_ROUTES: routes });
  await new Local(runtime.api).clearFaults();

  const jobs: Job[] = [];
  for (const [jobId, end] of ends) {
    const job = await settled(runtime.api, jobId);
    assert.equal(job.current_state, end, jobId);
    jobs.push(job);
  }
  const ledgers = await ledgersFor(new Local(runtime.api), jobs);
  for (const job of jobs) {
    assertAddsUp(job);
    assertEffectsMatch(job, ledgers);
    await assertHistoryValid(runtime.api, job.job_id);
  }
});
