/**
 * kill -9 in the middle of 200 running jobs, twice, and a start on the same directory each time. Whatever was answered is
 * found and ends; what the participants hold is what the ends say, exactly.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Api, jobIn } from '../support/api.ts';
import {
  assertAddsUp,
  assertEffectsMatch,
  assertHistoryValid,
  assertOutcomePublished,
  ledgersFor,
} from '../support/checks.ts';
import { eventually } from '../support/eventually.ts';
import { signup, unique, withBadEmail, withBadPlan } from '../support/inputs.ts';
import { Local } from '../support/local.ts';
import { type EmbeddedRuntime, startEmbedded } from '../support/runtime.ts';
import { type BusEvent, isSettled, type Job } from '../support/wire.ts';

const JOBS = 200;
const CLIENTS = 20;
/** Keeps jobs on their way long enough to be caught there. */
const CALL_MS = 150;

const KINDS = [
  { make: signup, end: 'COMPLETED' },
  { make: withBadPlan, end: 'FAILED' },
  { make: withBadEmail, end: 'FAILED' },
] as const;

interface Wanted {
  key: string;
  input: unknown;
  end: string;
  /** once a submit was answered */
  jobId?: string;
}

const wanted: Wanted[] = Array.from({ length: JOBS }, (_, index) => {
  const { make, end } = KINDS[index % KINDS.length] ?? KINDS[0];
  return { key: unique('kill'), input: make(), end };
});

let current: EmbeddedRuntime | undefined;

async function start(dataDirectory: string): Promise<EmbeddedRuntime> {
  current = await startEmbedded(dataDirectory);
  return current;
}

/** Clients that submit what has no answer yet, until all have one or the runtime is gone. */
async function submitTheRest(api: Api): Promise<void> {
  const rest = wanted.filter(({ jobId }) => !jobId);
  const client = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const job = jobIn(await api.submit('signup', next.input, { key: next.key }));
      next.jobId = job.job_id;
    }
  };
  await Promise.allSettled(Array.from({ length: CLIENTS }, client));
}

const answered = (): string[] => wanted.flatMap(({ jobId }) => jobId ?? []);

/** Submits, and kills the runtime once enough have been answered and some of them run. */
async function submitAndKill(dataDirectory: string, enough: number): Promise<void> {
  const runtime = await start(dataDirectory);
  const local = new Local(runtime.api);
  for (const target of ['billing:setup', 'user:create', 'tenant:delete']) {
    await local.fault({ target, mode: 'delay', delay_ms: CALL_MS, times: JOBS });
  }
  for (const jobId of answered()) await runtime.api.job(jobId);
  const submits = submitTheRest(runtime.api);
  await eventually(`${enough} submits are answered while jobs run`, async () => {
    if (answered().length < enough) return undefined;
    const { items } = await runtime.api.jobs({ state: 'PROCESSING' });
    return items.length > 0 ? true : undefined;
  });
  await runtime.kill();
  await submits;
}

async function endOf(api: Api, { jobId, end }: Wanted): Promise<Job> {
  assert.ok(jobId);
  const job = await eventually(`job ${jobId} settles`, async () => {
    const seen = await api.job(jobId);
    return isSettled(seen) ? seen : undefined;
  });
  assert.equal(job.current_state, end, jobId);
  return job;
}

const skip = process.env.DACAPO_ACCEPTANCE_URL ? 'needs a runtime of its own to kill: run it without --url' : false;

test(`kill -9 in the middle of ${JOBS} jobs, twice: no answered job is lost, no effect is left over`, {
  skip,
}, async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'dacapo-acceptance-kill-'));
  t.after(async () => {
    await current?.kill();
    await rm(data, { recursive: true, force: true });
  });
  await submitAndKill(data, JOBS / 4);
  await submitAndKill(data, JOBS / 2);

  const runtime = await start(data);
  const { api } = runtime;
  const local = new Local(api);
  await local.clearFaults();
  for (const jobId of answered()) await api.job(jobId);
  await submitTheRest(api);
  assert.equal(new Set(answered()).size, JOBS, 'one job a key');
  const jobs: Job[] = [];
  for (const one of wanted) jobs.push(await endOf(api, one));

  const ledgers = await ledgersFor(local, jobs);
  const expected = jobs.filter(({ current_state }) => current_state === 'COMPLETED').length * 3;
  const held = [...ledgers.values()].reduce((sum, { records }) => sum + records.length, 0);
  assert.equal(held, expected, 'records that belong to no completed job');
  const histories = new Map<string, Awaited<ReturnType<typeof assertHistoryValid>>>();
  for (const job of jobs) {
    assertAddsUp(job);
    assertEffectsMatch(job, ledgers);
    histories.set(job.job_id, await assertHistoryValid(api, job.job_id));
  }
  await eventually('every end is on the bus', async () => {
    const { items } = (await api.read('/local/events')) as { items: BusEvent[] };
    const byJob = Map.groupBy(items, ({ detail }) => detail.job_id);
    for (const job of jobs) assertOutcomePublished(job, histories.get(job.job_id) ?? [], byJob.get(job.job_id) ?? []);
    return true;
  });
  await runtime.stop();
});
