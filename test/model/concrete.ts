/** From the model's job to a real one and back, and the same question put to the real `decide`. */

import { type Answer, failure } from '../../lib/core/answers.ts';
import { decide } from '../../lib/core/decide.ts';
import type { Context, Decision, Driver, JobEvent, Result, Rules } from '../../lib/core/events.ts';
import { FREE } from '../../lib/core/gates.ts';
import {
  type HistoryEntry,
  type Job,
  type Lease,
  newStep,
  type StepState,
  type UndoState,
} from '../../lib/core/job.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import type { WorkflowPlan } from '../../lib/core/plan.ts';
import type { JobState } from '../../lib/core/states.ts';
import { start, step, undoBy, workflow } from '../core/support.ts';
import {
  ATTEMPTS_MAX,
  type ModelAnswer,
  type ModelCall,
  type ModelEvent,
  type ModelJob,
  type ModelStep,
  STEPS,
  type StepName,
  type Word,
} from './job-model.ts';

const NOW = 1_800_000_600_000;
const TIMEOUT_MS = 10_000;

const undoOf = (name: StepName) => undoBy(`${name}:undo`, { retry: { maxAttempts: ATTEMPTS_MAX[name] } });
const stepPlanOf = (name: StepName) =>
  step(name, { undo: undoOf(name), retry: { EXT_: { maxAttempts: ATTEMPTS_MAX[name] } }, timeoutMs: TIMEOUT_MS });

/** The workflow that the model speaks of. */
export const PLAN: WorkflowPlan = workflow([STEPS.map(stepPlanOf)], { recovery: ['b', 'a'] });

const rules: Rules = {
  route: (topic) => ({ target: topic, fencing: true, maxRunMs: 60_000 }),
  policies: {},
  hintGraceMs: 60_000,
  gate: () => FREE,
  retryPenaltyMs: () => 0,
  livingOwners: null,
};
/** Chance at its luckiest: full jitter waits no time at all, so there is no waiting in the model. */
const context: Context = {
  now: NOW,
  random: 0,
  writeId: 'write-id-of-this',
  nonce: 'nonce',
  actor: 'orchestrator:model',
  rules,
};

export function decideReally(job: ModelJob, event: ModelEvent): Decision {
  return decide(concrete(job), concreteEvent(job, event), PLAN, context);
}

const LIVE: Lease = { owner: 'd', until: NOW + TIMEOUT_MS + LIMITS.leaseMarginMs };
const DEAD: Lease = { owner: 'd', until: NOW - 1 };

function leaseOf({ lease }: ModelStep): Lease | null {
  return lease === null ? null : lease === 'live' ? LIVE : DEAD;
}

export function concrete(job: ModelJob): Job {
  const base = start(PLAN).job;
  return {
    ...base,
    state: job.state,
    outcome: outcomeOf(job),
    turnBack: job.cause === null ? null : { cause: job.cause, at: NOW - 500 },
    steps: STEPS.map((name) => concreteStep(name, job)),
    history: historyOf(job),
    updatedAt: NOW - 100,
  };
}

function outcomeOf({ state }: ModelJob): Job['outcome'] {
  if (state === 'COMPLETED') return 'succeeded';
  if (state === 'NEEDS_REVIEW') return 'partially_rolled_back';
  return state === 'FAILED' || state === 'CANCELLED' ? 'rolled_back' : null;
}

function historyOf({ state, steps }: ModelJob): HistoryEntry[] {
  const wentBack = STEPS.some((name) => steps[name].undos > 0) || state === 'NEEDS_REVIEW' || state === 'COMPENSATING';
  const path: JobState[] = ['PENDING', 'VALIDATING', 'PROCESSING'];
  if (wentBack) path.push('COMPENSATING');
  if (path.at(-1) !== state) path.push(state);
  return path.map((to, seq) => {
    const said = { reason: 'model', at: NOW - 10_000 + seq, actor: 'orchestrator:model', mark: `mark---${seq}` };
    return { ...said, seq, from: path[seq - 1] ?? null, to, errorCode: null, step: null, evidence: null };
  });
}

function concreteStep(name: StepName, { steps, state }: ModelJob): StepState {
  const model = steps[name];
  const { status, attempts, may, heard, undos } = model;
  const isUnknown = status === 'unknown';
  const waits = status === 'retry_scheduled' || (isUnknown && state === 'PROCESSING');
  return {
    ...newStep(name),
    status,
    attempts,
    mayHaveApplied: may,
    lease: status === 'dispatched' ? leaseOf(model) : null,
    startedAt: attempts === 0 ? null : NOW - 9_000,
    lastCallAt: attempts > 1 ? NOW - 8_000 : null,
    completedAt: heard ? NOW - 1_000 : null,
    nextAttemptAt: waits && state === 'PROCESSING' ? NOW : null,
    settleBy: isUnknown ? (state === 'PROCESSING' ? 'retry' : 'undo') : null,
    errorCode: attempts === 0 ? null : 'EXT_TIMEOUT',
    output: heard ? { data: { id: 1 }, hash: null } : null,
    target: attempts === 0 ? null : name,
    undo: undos === 0 ? null : undoState(name, model),
  };
}

function undoState(name: StepName, model: ModelStep): UndoState {
  const lease = model.status === 'compensating' ? leaseOf(model) : null;
  return {
    generation: 0,
    topic: `${name}:undo`,
    attempts: model.undos,
    attemptsBefore: 0,
    lease,
    startedAt: NOW - 4_000,
    idleMs: 0,
    nextAttemptAt: model.status === 'compensating' && lease === null ? NOW : null,
    promisedUntil: null,
    compensatedAt: model.status === 'compensated' ? NOW - 200 : null,
    result: null,
    errorCode: null,
    refused: false,
  };
}

function concreteEvent(job: ModelJob, event: ModelEvent): JobEvent {
  const driver = (kind: Driver['kind']): Driver => ({ kind, owner: 'd', remainingMs: 100_000 });
  switch (event.type) {
    case 'turn':
      return { type: 'turn', driver: driver(event.kind) };
    case 'cancel':
      return { type: 'cancel', actor: 'caller:ann', reason: 'changed my mind', expectedRevision: null };
    case 'result':
      return {
        type: 'results',
        results: [resultOf(concrete(job), event.answer)],
        driver: event.kind === null ? null : driver(event.kind),
      };
  }
}

function resultOf({ jobId }: Job, { step: name, direction, attempt, word }: ModelAnswer): Result {
  const operationId = direction === 'undo' ? `${jobId}.${name}.undo` : `${jobId}.${name}`;
  return { step: name, direction, operationId, attempt, at: NOW, answer: ANSWERS[word] };
}

const ANSWERS: Readonly<Record<Word, Answer>> = {
  success: { kind: 'success', output: { id: 1 } },
  refused: failure('DQ_REFUSED', 'refused', false),
  transient: failure('EXT_UNAVAILABLE', 'down', false),
  doubt: failure('EXT_TIMEOUT', 'no answer', true),
  revoked: failure('CONTRACT_OPERATION_REVOKED', 'fenced', false),
};

/** What of a real job the model speaks of. Quarantine is a second entry of the same end. */
export function abstract(job: Job): ModelJob {
  const state = job.state === 'DEAD_LETTERED' ? 'FAILED' : (job.state as ModelJob['state']);
  const [a, b] = job.steps;
  if (a === undefined || b === undefined) throw new Error('the job has lost its steps');
  return { state, cause: (job.turnBack?.cause ?? null) as ModelJob['cause'], steps: { a: stepIn(a), b: stepIn(b) } };
}

function stepIn({ status, attempts, mayHaveApplied, completedAt, lease, undo }: StepState): ModelStep {
  const held = lease ?? undo?.lease ?? null;
  return {
    status: status as ModelStep['status'],
    attempts,
    may: mayHaveApplied,
    heard: completedAt !== null,
    lease: held === null ? null : held.until > NOW ? 'live' : 'dead',
    undos: undo?.attempts ?? 0,
  };
}

export function callsIn(decision: Decision): ModelCall[] {
  if (decision.status !== 'changed') return [];
  return decision.calls.map(({ step: name, direction, attempt }) => ({
    step: name as StepName,
    direction: direction as ModelCall['direction'],
    attempt,
  }));
}
