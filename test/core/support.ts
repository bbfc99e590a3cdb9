/**
 * Words for the tests of the core: plans written as data, and moments. `given(plan).when(turn(), ok('a')).job` reads
 * as what happened to a job; every argument of `decide` is frozen on the way, so a decision that writes to one throws.
 */

import type { Answer } from '../../lib/core/answers.ts';
import { failure } from '../../lib/core/answers.ts';
import { decide } from '../../lib/core/decide.ts';
import type { PolicyOverrides } from '../../lib/core/errors.ts';
import type {
  Call,
  Context,
  Decision,
  Direction,
  Driver,
  JobEvent,
  OperatorAct,
  Result,
  Rules,
} from '../../lib/core/events.ts';
import { FREE } from '../../lib/core/gates.ts';
import { jobIdOf } from '../../lib/core/ids.ts';
import {
  forwardOperationId,
  type Job,
  type JobSource,
  type StepState,
  stepOf,
  undoOperationId,
} from '../../lib/core/job.ts';
import type { Json } from '../../lib/core/json.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { newJob } from '../../lib/core/new-job.ts';
import { CALL, type StepPlan, type UndoPlan, type WorkflowPlan } from '../../lib/core/plan.ts';
import { driverKindOf } from '../../lib/core/schedule.ts';

/** The start of a watchdog's bucket, so that a test sees where one begins. */
export const T0 = 1_800_000_000_000;
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 86_400_000;
/** An answer that no step's schema takes. */
export const BAD_OUTPUT = 'not what was promised';

export function undoBy(topic: string, over: Partial<UndoPlan> = {}): UndoPlan {
  return { topics: [topic], choose: () => topic, map: null, timeoutMs: 10_000, retry: {}, ...over };
}

export function step(name: string, over: Partial<StepPlan> = {}): StepPlan {
  const kind = over.kind ?? 'compensatable';
  const undos = { compensatable: undoBy(`${name}:undo`), irreversible: { none: 'irreversible' }, readOnly: null };
  return {
    name,
    stage: 0,
    kind,
    work: CALL,
    when: null,
    topic: `${name}:do`,
    timeoutMs: 10_000,
    retry: {},
    onUnknown: 'retry',
    query: null,
    undo: undos[kind],
    map: ({ outputs }) => ({ of: name, seen: Object.keys(outputs) }),
    checkOutput: (body) =>
      body === BAD_OUTPUT ? { ok: false, errors: [{ path: '/id', message: 'is missing' }] } : { ok: true, value: body },
    ...over,
  };
}

export const queryOf = (name: string): { topic: string } => ({ topic: `${name}:find` });

export function workflow(stages: readonly (readonly StepPlan[])[], over: Partial<WorkflowPlan> = {}): WorkflowPlan {
  return {
    type: 'trial',
    version: 1,
    digest: 'none',
    steps: stages.flatMap((stage, index) => stage.map((one) => ({ ...one, stage: index }))),
    stages: stages.length,
    recovery: null,
    concurrentUndo: false,
    deadlineMs: DAY,
    undoDeadlineMs: DAY,
    maxRetries: 20,
    retry: {},
    sagaRetry: null,
    onFailed: 'return',
    events: { completed: 'trial:completed', failed: 'trial:failed' },
    quarantine: 'default',
    checkInput: (input) => ({ ok: true, value: input }),
    output: ({ outputs }) => ({ done: Object.keys(outputs) }),
    ...over,
  };
}

export interface RuleOptions {
  /** Services, named as their step, that do not fence. */
  readonly nonFencing?: readonly string[];
  readonly unrouted?: readonly string[];
  readonly policies?: PolicyOverrides;
  readonly livingOwners?: string | null;
  readonly penaltyMs?: number;
}

export const MAX_RUN_MS = 900_000;
/** From the decision to call until nothing of it can be at work: it may start late, by a clock that is behind ours. */
export const OUT_MS_MAX = MAX_RUN_MS + LIMITS.leaseMarginMs + 2 * LIMITS.clockSkewMsMax;

/** Delays without jitter unless a test says otherwise: what is expected can be written down. */
export function rulesOf(options: RuleOptions = {}): Rules {
  return {
    route: (topic) => {
      const service = topic.split(':')[0] ?? '';
      if (options.unrouted?.includes(topic)) return undefined;
      return { target: service, fencing: !options.nonFencing?.includes(service), maxRunMs: MAX_RUN_MS };
    },
    policies: { EXT_: { jitter: 'none' }, ...options.policies },
    hintGraceMs: MINUTE,
    gate: () => FREE,
    retryPenaltyMs: () => options.penaltyMs ?? 0,
    livingOwners: options.livingOwners ?? null,
  };
}

/** Everything there is about a job at one time: itself, and the calls made for it so far. */
export interface Moment {
  readonly plan: WorkflowPlan;
  readonly rules: Rules;
  readonly now: number;
  readonly random: number;
  readonly job: Job;
  readonly decision: Decision | null;
  readonly calls: readonly Call[];
  readonly writes: number;
}

export type When = (moment: Moment) => Moment;

export interface StartOptions extends RuleOptions {
  readonly source?: JobSource;
  readonly random?: number;
  readonly input?: Json;
}

/** A job as it is submitted, before anything happened to it. */
export function start(plan: WorkflowPlan, options: StartOptions = {}): Moment {
  const rules = rulesOf(options);
  const random = options.random ?? 0.5;
  const submission = {
    jobId: jobIdOf('caller', plan.type, 'key'),
    correlationId: 'correlation',
    idempotencyKey: 'key',
    inputFingerprint: 'print',
    callerId: 'caller',
    source: options.source ?? 'api',
    trace: { traceparent: '00-1-1-01', tracestate: null },
    lineage: {},
    input: options.input ?? { amount: 1 },
    note: null,
  };
  const context = { now: T0, random, writeId: writeIdOf(0), nonce: 'nonce', actor: 'caller:caller', rules };
  const job = newJob(submission, plan, context);
  return { plan, rules, now: T0, random, job, decision: null, calls: [], writes: 1 };
}

export function given(from: WorkflowPlan | Moment, options: StartOptions = {}): { when(...whens: When[]): Moment } {
  const moment = 'job' in from ? from : start(from, options);
  return { when: (...whens) => whens.reduce((at, when) => when(at), moment) };
}

/** The first 8 characters differ from write to write, as those of a random id do. */
export function writeIdOf(count: number): string {
  return `${count.toString(36).padStart(8, '0')}-write`;
}

export function contextOf(moment: Moment): Context {
  const { now, random, rules, writes } = moment;
  const writeId = writeIdOf(writes);
  return { now, random, writeId, nonce: `nonce-${writeId}`, actor: 'orchestrator:test', rules };
}

export function happens(moment: Moment, event: JobEvent): Moment {
  const context = contextOf(moment);
  const decision = decide(deepFreeze(moment.job), deepFreeze(event), deepFreeze(moment.plan), context);
  if (decision.status !== 'changed') return { ...moment, decision };
  const calls = [...moment.calls, ...decision.calls];
  return { ...moment, decision, calls, job: decision.job, writes: moment.writes + 1 };
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

// --- what can happen --------------------------------------------------------------------------------------------------

/** A driver of the kind the job needs now, with time enough for any call. */
export function driverFor(job: Job, over: Partial<Driver> = {}): Driver {
  return { kind: driverKindOf(job), owner: 'p1:driver', remainingMs: 115_000, ...over };
}

export function turn(over: Partial<Driver> = {}): When {
  return (moment) => happens(moment, { type: 'turn', driver: driverFor(moment.job, over) });
}

export function later(ms: number): When {
  return (moment) => ({ ...moment, now: moment.now + ms });
}

export function until(at: (moment: Moment) => number | null | undefined): When {
  return (moment) => ({ ...moment, now: Math.max(moment.now, at(moment) ?? moment.now) });
}

export function cancelled(expectedRevision: number | null = null): When {
  return (moment) =>
    happens(moment, { type: 'cancel', actor: 'caller:caller', reason: 'changed my mind', expectedRevision });
}

/** What a named person does to the job. */
export function operated(act: OperatorAct, expectedRevision: number | null = null): When {
  const by = { actor: 'operator:ann', reason: 'looked into it', evidence: 'ticket 7', expectedRevision };
  return (moment) => happens(moment, { type: 'operate', ...by, act });
}

export interface AnswerOptions {
  readonly direction?: Direction;
  readonly attempt?: number;
  readonly operationId?: string;
  /** The answer comes by message: nobody is there to go on. */
  readonly byMessage?: boolean;
}

/** An answer to the newest call of this step and direction, unless told otherwise. */
export function resultOf(moment: Moment, name: string, answer: Answer, options: AnswerOptions = {}): Result {
  const direction = options.direction ?? 'do';
  const state = stepOf(moment.job, name);
  const attempts = { do: state.attempts, undo: state.undo?.attempts ?? 0, query: state.queries };
  const operationId = direction === 'undo' ? undoOperationId(moment.job, state) : forwardOperationId(moment.job, state);
  return {
    step: name,
    direction,
    operationId: options.operationId ?? operationId,
    attempt: options.attempt ?? attempts[direction],
    at: moment.now,
    answer,
  };
}

export function answered(name: string, answer: Answer, options: AnswerOptions = {}): When {
  return (moment) => {
    const driver = options.byMessage === true ? null : driverFor(moment.job);
    return happens(moment, { type: 'results', results: [resultOf(moment, name, answer, options)], driver });
  };
}

/** Answers of several steps that arrive together. */
export function together(...answers: readonly (readonly [string, Answer, AnswerOptions?])[]): When {
  return (moment) => {
    const results = answers.map(([name, answer, options]) => resultOf(moment, name, answer, options));
    return happens(moment, { type: 'results', results, driver: driverFor(moment.job) });
  };
}

export const success = (output: Json = { id: 1 }): Answer => ({ kind: 'success', output });
export const refusal = (code = 'DQ_BAD_EMAIL'): Answer => failure(code, 'the participant refused', false);
/** This attempt did not apply; worth another one. */
export const notApplied = (code = 'EXT_THROTTLED', retryAfterMs = 0): Answer =>
  failure(code, 'not now', false, retryAfterMs);
/** Nobody knows whether this attempt applied. */
export const doubt = (code = 'EXT_TIMEOUT'): Answer => failure(code, 'no answer in time', true);
export const revoked: Answer = failure('CONTRACT_OPERATION_REVOKED', 'a tombstone stands', false);
export const notFound: Answer = { ...failure('CONTRACT_NOT_FOUND', 'nothing here', false), notFound: true };
export const promised: Answer = { kind: 'accepted' };

export const ok = (name: string, output?: Json, options?: AnswerOptions): When =>
  answered(name, success(output), options);
export const refused = (name: string, code?: string, options?: AnswerOptions): When =>
  answered(name, refusal(code), options);
export const failed = (name: string, code?: string, options?: AnswerOptions): When =>
  answered(name, notApplied(code), options);
export const lost = (name: string, code?: string, options?: AnswerOptions): When =>
  answered(name, doubt(code), options);
export const accepted = (name: string, options?: AnswerOptions): When => answered(name, promised, options);
export const undone = (name: string, options?: AnswerOptions): When =>
  answered(name, success({ undone: true }), { direction: 'undo', ...options });
export const undoAnswered = (name: string, answer: Answer, options?: AnswerOptions): When =>
  answered(name, answer, { direction: 'undo', ...options });
export const found = (name: string, body: Json, options?: AnswerOptions): When =>
  answered(name, success(body), { direction: 'query', ...options });

// --- what to look at --------------------------------------------------------------------------------------------------

export function statusOf(moment: Moment, name: string): string {
  return stepOf(moment.job, name).status;
}

export function stateOf(moment: Moment, name: string): StepState {
  return stepOf(moment.job, name);
}

/** The newest call of a step, or of a step in one direction. */
export function callOf(moment: Moment, name: string, direction?: Direction): Call {
  const call = moment.calls.findLast(
    (one) => one.step === name && (direction === undefined || one.direction === direction),
  );
  if (call === undefined) throw new Error(`no ${direction ?? ''} call of ${name} was made`);
  return call;
}

/** `a do 1`, `a undo 1`: the calls so far, in order. */
export function callsOf(moment: Moment): string[] {
  return moment.calls.map((call) => `${call.step} ${call.direction} ${call.attempt}`);
}

/** The states a job went through, entry by entry. */
export function pathOf(job: Job): string[] {
  return job.history.map((entry) => entry.to);
}
