/**
 * kill -9, round after round, on one file: each round starts what the last one left, takes orders, lets participants
 * misbehave and people interfere, and dies at any moment. What was answered must be there for ever after; in the end
 * every job has ended or waits for a person, and what the participants hold is what the jobs say.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { jobFromJson } from '../../lib/contract/stored-job.ts';
import type { Job as StoredJob } from '../../lib/core/job.ts';
import { type Chance, chanceFrom } from '../../lib/testing/simulation/chance.ts';
import { brokenSince, brokenState } from '../../lib/testing/simulation/change-rules.ts';
import { jobIn } from '../acceptance/support/api.ts';
import {
  assertAddsUp,
  assertEffectsMatch,
  assertHistoryValid,
  assertOutcomePublished,
  ledgersFor,
} from '../acceptance/support/checks.ts';
import { eventually } from '../acceptance/support/eventually.ts';
import { order, research, signup, withBadEmail, withBadPlan, withStickyTenant } from '../acceptance/support/inputs.ts';
import { type Fault, Local } from '../acceptance/support/local.ts';
import { type EmbeddedRuntime, startEmbedded } from '../acceptance/support/runtime.ts';
import type { BusEvent, Job } from '../acceptance/support/wire.ts';

export interface KillOptions {
  readonly directory: string;
  readonly rounds: number;
  readonly seed: number;
  told(round: number, submitted: number): void;
}

export interface KillReport {
  readonly submitted: number;
  readonly answered: number;
  /** Jobs by how they ended. */
  readonly ends: Readonly<Record<string, number>>;
}

interface Wanted {
  readonly key: string;
  readonly type: string;
  readonly input: unknown;
  /** Once a submit was answered. */
  jobId?: string;
}

const KINDS = [
  { type: 'signup', make: signup },
  { type: 'signup', make: signup },
  { type: 'signup', make: withBadPlan },
  { type: 'signup', make: withBadEmail },
  { type: 'signup', make: withStickyTenant },
  { type: 'order', make: order },
  { type: 'order', make: () => order({ address: '' }) },
  { type: 'research', make: research },
] as const;

const TOPICS = [
  'tenant:create',
  'billing:setup',
  'user:create',
  'tenant:delete',
  'payment:authorise',
  'payment:cancel',
];
const MODES = ['fail', 'fail_after_effect', 'drop_response', 'hang', 'delay', 'duplicate'] as const;

const FILE = 'dacapo.sqlite';

/** From start to death: most die at work, some before they have begun, a few when all is done. */
const LIFE_MS_MAX = 300;
const ORDERS_MAX = 8;

export async function killRounds({ directory, rounds, seed, told }: KillOptions): Promise<KillReport> {
  const chance = chanceFrom(seed);
  const wanted: Wanted[] = [];
  const known = new Map<string, StoredJob>();
  for (let round = 1; round <= rounds; round += 1) {
    const runtime = await startEmbedded(directory);
    try {
      await assertRemembered(runtime, wanted, chance);
      await live(runtime, wanted, `${seed}-${round}`, chance);
    } finally {
      await runtime.kill();
    }
    assertFileHolds(directory, known);
    told(round, wanted.length);
  }
  const runtime = await startEmbedded(directory);
  try {
    return await judge(runtime, wanted);
  } finally {
    await runtime.stop();
    assertSound(directory);
  }
}

/** Whoever was answered is found, under the same id, whatever came after. */
async function assertRemembered({ api }: EmbeddedRuntime, wanted: readonly Wanted[], chance: Chance): Promise<void> {
  const answered = wanted.flatMap(({ jobId }) => jobId ?? []);
  const looked = answered.length === 0 ? [] : [...answered.slice(-ORDERS_MAX), chance.pick(answered)];
  for (const jobId of looked) assert.equal((await api.job(jobId)).job_id, jobId);
}

/** Takes orders until it is killed, which may be at once. */
async function live({ api }: EmbeddedRuntime, wanted: Wanted[], name: string, chance: Chance): Promise<void> {
  const local = new Local(api);
  if (chance.often(0.7)) await local.fault(faultOf(chance));
  const fresh = Array.from({ length: chance.between(1, ORDERS_MAX) }, (_, index): Wanted => {
    const { type, make } = chance.pick(KINDS);
    return { key: `${name}-${index}`, type, input: make() };
  });
  wanted.push(...fresh);
  const unanswered = wanted.filter(({ jobId }) => jobId === undefined);
  const killAfter = pause(chance.between(0, LIFE_MS_MAX));
  // Answers that the kill cut off are no answers; they are asked for again in the next round.
  const work = [...unanswered.map((one) => submit(api, one)), interfere(api, wanted, chance), local.advance(2_000)];
  await Promise.race([killAfter, Promise.allSettled(work).then(() => killAfter)]);
}

async function submit(api: EmbeddedRuntime['api'], one: Wanted): Promise<void> {
  const jobId = jobIn(await api.submit(one.type, one.input, { key: one.key })).job_id;
  assert.equal(one.jobId ?? jobId, jobId, 'one job a key');
  one.jobId = jobId;
}

/** Somebody cancels, or settles what waits for a person; what is refused is refused. */
async function interfere(api: EmbeddedRuntime['api'], wanted: readonly Wanted[], chance: Chance): Promise<void> {
  const known = wanted.flatMap(({ jobId }) => jobId ?? []);
  if (known.length === 0 || chance.often(0.4)) return;
  const verb = chance.pick(['cancel', 'cancel', 'retry-compensation', 'close', 'resume']);
  const { status } = await api.act(chance.pick(known), verb, { reason: 'a round of kills' });
  assert.ok([202, 409].includes(status), `${verb} was answered ${status}`);
}

function faultOf(chance: Chance): Fault {
  const mode = chance.pick(MODES);
  const delay = mode === 'delay' ? { delay_ms: chance.between(20, 400) } : {};
  return { target: chance.pick(TOPICS), mode, times: chance.between(1, 5), ...delay };
}

async function judge({ api }: EmbeddedRuntime, wanted: readonly Wanted[]): Promise<KillReport> {
  const local = new Local(api);
  await local.clearFaults();
  const answered = wanted.filter(({ jobId }) => jobId !== undefined).length;
  for (const one of wanted) await submit(api, one);
  const ids = wanted.flatMap(({ jobId }) => jobId ?? []);
  assert.equal(new Set(ids).size, wanted.length, 'one job a key');
  const jobs = await local.settleAll(ids);
  const ledgers = await ledgersFor(local, jobs);
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
  return { submitted: wanted.length, answered, ends: endsOf(jobs) };
}

function endsOf(jobs: readonly Job[]): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { current_state } of jobs) ends[current_state] = (ends[current_state] ?? 0) + 1;
  return ends;
}

/**
 * What a kill leaves is a state that the rules of the simulation allow, and follows from the one before. Looked at in a
 * copy: the file itself is for the next life to recover.
 */
function assertFileHolds(directory: string, known: Map<string, StoredJob>): void {
  const copy = mkdtempSync(join(tmpdir(), 'dacapo-left-'));
  try {
    cpSync(directory, copy, { recursive: true });
    const database = new DatabaseSync(join(copy, FILE));
    const rows = database.prepare('SELECT document FROM jobs').all();
    database.close();
    for (const { document } of rows) {
      const job = jobFromJson(String(document));
      const before = known.get(job.jobId);
      assert.deepEqual([...brokenState(job), ...(before === undefined ? [] : brokenSince(before, job))], [], job.jobId);
      known.set(job.jobId, job);
    }
    assert.ok(rows.length >= known.size, 'a job was lost');
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function assertSound(directory: string): void {
  const database = new DatabaseSync(join(directory, FILE), { readOnly: true });
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  database.close();
}
