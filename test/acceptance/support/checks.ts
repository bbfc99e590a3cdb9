/** What must hold of every job, whatever the case was about. */
import assert from 'node:assert/strict';
import type { Answer, Api } from './api.ts';
import { EFFECTS } from './inputs.ts';
import type { Local } from './local.ts';
import { isAllowed } from './transitions.ts';
import type { BusEvent, HistoryEntry, Job, Ledger, Problem } from './wire.ts';

const ISO_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HISTORY_INLINE = 20;
const PROBLEM_FIELDS = ['type', 'title', 'status', 'detail', 'code', 'job_id', 'errors', 'open_effects'];

/** RFC 9457, with the code and nothing that the contract does not name. */
export function expectProblem(answer: Answer, status: number, code?: string | RegExp): Problem {
  assert.equal(answer.status, status, `expected a problem ${status} ${code ?? ''}, got ${JSON.stringify(answer.body)}`);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json\b/);
  const problem = answer.body as Problem;
  assert.equal(problem.status, status);
  for (const field of ['type', 'title', 'detail', 'code'] as const) {
    assert.equal(typeof problem[field], 'string', `problem.${field}`);
    assert.notEqual(problem[field], '', `problem.${field}`);
  }
  const unknown = Object.keys(problem).filter((field) => !PROBLEM_FIELDS.includes(field));
  assert.deepEqual(unknown, [], 'fields the contract does not name');
  for (const error of problem.errors ?? []) {
    assert.ok('path' in error && typeof error.message === 'string', `errors[]: ${JSON.stringify(error)}`);
  }
  if (code instanceof RegExp) assert.match(problem.code, code);
  else if (code !== undefined) assert.equal(problem.code, code);
  return problem;
}

/** `step:state` of each effect that is or may be left, in order of name. */
export const openEffects = (of: { open_effects?: Job['open_effects'] }): string[] =>
  (of.open_effects ?? []).map(({ step, state }) => `${step}:${state}`).sort();

/** Gap-free from 0, chained, every edge in the table, each entry with its reason and time, and it ends where the job is. */
export async function assertHistoryValid(api: Api, jobId: string): Promise<HistoryEntry[]> {
  const job = await api.job(jobId);
  const entries = await api.history(jobId);
  assert.ok(entries.length > 0, `job ${jobId} has no history`);
  for (const [seq, entry] of entries.entries()) {
    const where = `${jobId} history ${seq} (${entry.from_state} → ${entry.to_state})`;
    assert.equal(entry.seq, seq, where);
    assert.equal(entry.event_id, `${jobId}.${seq}`, where);
    assert.equal(entry.job_id, jobId, where);
    assert.equal(entry.correlation_id, job.correlation_id, where);
    assert.equal(entry.workflow_type, job.workflow_type, where);
    assert.equal(entry.from_state, entries[seq - 1]?.to_state ?? null, `${where}: not chained`);
    assert.ok(isAllowed(entry), `${where}: the table has no such edge`);
    assert.match(entry.transition_reason, /\S/, where);
    assert.match(entry.actor, /^(orchestrator|operator|caller):./, where);
    assert.match(entry.occurred_at, ISO_MS, where);
  }
  assert.equal(entries.at(-1)?.to_state, job.current_state, `${jobId}: history and job disagree`);
  assert.deepEqual(job.state_history, entries.slice(-HISTORY_INLINE), `${jobId}: state_history is not the newest part`);
  return entries;
}

/** State, outcome, open effects and next action of a settled job do not contradict each other. */
export function assertAddsUp(job: Job): void {
  const what = `${job.job_id} ${job.current_state} ${job.outcome} [${openEffects(job)}]`;
  for (const time of [job.created_at, job.updated_at, job.deadline_at]) assert.match(time, ISO_MS, what);
  if (job.current_state === 'COMPLETED') {
    assert.equal(job.outcome, 'succeeded', what);
    assert.deepEqual(job.open_effects, [], what);
  } else if (job.current_state === 'NEEDS_REVIEW') {
    assert.match(job.next_action_at ?? '', ISO_MS, `${what}: waits for ever`);
  } else {
    assert.match(job.outcome ?? '', /^(partially_)?rolled_back$/, what);
    assert.equal(job.open_effects.length === 0, job.outcome === 'rolled_back', `${what}: clean is what leaves nothing`);
  }
  for (const step of job.steps)
    assert.match(step.operation_id, new RegExp(`^${job.job_id}\\.${step.step}(\\.[cr]\\d+)*$`));
}

export type Ledgers = Map<string, Ledger>;

export async function ledgersFor(local: Local, jobs: readonly Job[]): Promise<Ledgers> {
  const services = new Set(jobs.flatMap((job) => Object.values(EFFECTS[job.workflow_type] ?? {})));
  return new Map(
    await Promise.all([...services].map(async (name) => [name, await local.participant(name)] as [string, Ledger])),
  );
}

/** The operation ids of a job's records that participants hold, in order of name. */
export function recordsOf(job: Job, ledgers: Ledgers): string[] {
  const all = [...ledgers.values()].flatMap((ledger) => ledger.records.map((record) => record.operation_id));
  return all.filter((operation) => operation.startsWith(`${job.job_id}.`)).sort();
}

/** Completed: each effect, once. Rolled back: nothing left. Under review: what it says is open, and no more. */
export function assertEffectsMatch(job: Job, ledgers: Ledgers): void {
  const steps = Object.keys(EFFECTS[job.workflow_type] ?? {});
  const records = recordsOf(job, ledgers);
  const what = `${job.job_id} ended ${job.current_state} ${job.outcome}; records left`;
  if (job.current_state === 'COMPLETED') {
    assert.deepEqual(records, steps.map((step) => `${job.job_id}.${step}`).sort(), what);
  } else if (job.outcome === 'rolled_back') {
    assert.deepEqual(records, [], what);
  } else {
    const unsaid = records.filter((id) => !job.open_effects.some((effect) => effect.operation_id === id));
    assert.deepEqual(unsaid, [], `${what} that open_effects does not name`);
  }
}

/** The end's own outcome event is on the bus, perhaps repeated but under one id, and no other claims another end. */
export function assertOutcomePublished(job: Job, history: readonly HistoryEntry[], events: readonly BusEvent[]): void {
  if (job.current_state === 'NEEDS_REVIEW') return;
  const outcomes = events.filter(({ detail_type }) => /:(completed|failed)$/.test(detail_type));
  const name = `${job.workflow_type}:${job.current_state === 'COMPLETED' ? 'completed' : 'failed'}`;
  const ids = new Set(outcomes.map(({ detail_type, detail }) => `${detail_type} ${detail.event_id}`));
  const end = history.at(-1);
  assert.ok(end);
  const expected = `${name} ${end.event_id}.outcome`;
  assert.ok(ids.has(expected), `${expected} was not published, but: ${[...ids].join(', ') || 'nothing'}`);
  const reviews = history.filter(({ from_state, to_state }) => to_state === 'NEEDS_REVIEW' && from_state !== to_state);
  const atMost = job.current_state === 'COMPLETED' ? 1 : 1 + reviews.length;
  assert.ok(ids.size <= atMost, `more than one outcome: ${[...ids].join(', ')}`);
}
