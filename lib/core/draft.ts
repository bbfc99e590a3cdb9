/**
 * The working copy inside one decision. Its functions are the only ones that change a job or a step, and each change
 * of state goes through the tables; when the decision is made the copy becomes the next job and is never touched again.
 */

import { isAlive, planOf } from './effects.ts';
import type { Call, Context, Driver, Ignored } from './events.ts';
import type { ErrorLogEntry, HistoryEntry, Job, StepState } from './job.ts';
import { dataOf } from './job.ts';
import { cutText } from './json.ts';
import { LIMITS } from './limits.ts';
import { markOf } from './own-write.ts';
import type { Checked, MappingContext, StepPlan, WorkflowPlan } from './plan.ts';
import { type StepTrigger, stepTarget } from './step-transitions.ts';
import { type JobGuard, type JobTrigger, jobTarget } from './transitions.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface Draft {
  readonly before: Job;
  readonly job: Mutable<Job> & { steps: StepState[]; history: HistoryEntry[]; errorLog: ErrorLogEntry[] };
  readonly plan: WorkflowPlan;
  readonly context: Context;
  readonly driver: Driver | null;
  readonly calls: Call[];
  readonly ignored: Ignored[];
  changed: boolean;
  mapping: MappingContext | null;
  /** Differs for each use inside one decision, so that two retries of one write do not wait the same time. */
  draws: number;
}

export function draftOf(job: Job, plan: WorkflowPlan, context: Context, driver: Driver | null): Draft {
  return {
    before: job,
    job: { ...job, steps: [...job.steps], history: [...job.history], errorLog: [...job.errorLog] },
    plan,
    context,
    driver,
    calls: [],
    ignored: [],
    changed: false,
    mapping: null,
    draws: 0,
  };
}

export interface EntryDetails {
  readonly reason?: string;
  readonly errorCode?: string | null;
  readonly step?: string | null;
  readonly actor?: string;
  readonly evidence?: string | null;
}

/** Moves the job along an edge of the table and writes the history entry. */
export function moveJob(draft: Draft, on: JobTrigger, guard: JobGuard | null, details: EntryDetails = {}): void {
  const { job, context } = draft;
  const to = jobTarget(job.state, on, guard);
  const last = job.history.at(-1);
  job.history.push({
    seq: (last?.seq ?? -1) + 1,
    from: job.state,
    to,
    reason: details.reason ?? on,
    at: context.now,
    actor: details.actor ?? context.actor,
    errorCode: details.errorCode ?? null,
    step: details.step ?? null,
    evidence: details.evidence ?? null,
    mark: markOf(context.writeId),
  });
  job.state = to;
  draft.changed = true;
}

/** Moves a step along an edge of its table, with what else becomes true by it. */
export function moveStep(draft: Draft, step: StepState, on: StepTrigger, also: Partial<StepState> = {}): StepState {
  return setStep(draft, step, { parkedOn: null, ...also, status: stepTarget(step.status, on) });
}

/** Changes what is known of a step without moving it. */
export function setStep(draft: Draft, step: StepState, also: Partial<StepState>): StepState {
  const index = draft.job.steps.findIndex((one) => one.name === step.name);
  const next = { ...step, ...also };
  draft.job.steps[index] = next;
  draft.changed = true;
  draft.mapping = null;
  return next;
}

export function current(draft: Draft, name: string): StepState {
  const found = draft.job.steps.find((step) => step.name === name);
  if (found === undefined) throw new Error(`job ${draft.job.jobId} has no step ${name}`);
  return found;
}

/** The newest entries stay; the log explains, it does not decide. */
export function logError(draft: Draft, { message, ...entry }: Omit<ErrorLogEntry, 'at'>): void {
  const kept = cutText(message, LIMITS.errorMessageCharactersMax);
  draft.job.errorLog.push({ at: draft.context.now, ...entry, message: kept });
  if (draft.job.errorLog.length > LIMITS.errorLogInline) draft.job.errorLog.shift();
  draft.changed = true;
}

/** In [0, 1): low-discrepancy steps from the one number drawn outside (the golden ratio spreads them evenly). */
export function draw(draft: Draft): number {
  const random = (draft.context.random + draft.draws * 0.618_033_988_749_895) % 1;
  draft.draws += 1;
  return random;
}

export function stepPlan(draft: Draft, step: StepState): StepPlan {
  return planOf(draft.plan, step.name);
}

/**
 * Input and outputs as the schemas read them; a mapper sees what its types promise: the outputs of stages before its
 * own, and nothing that came meanwhile. So every attempt of an operation, and its undo, is mapped from the same data.
 */
export function mappingContext(draft: Draft, stage = Number.POSITIVE_INFINITY): MappingContext {
  draft.mapping ??= everything(draft);
  const { input, outputs } = draft.mapping;
  const seen: Record<string, unknown> = Object.create(null);
  for (const { name, stage: at } of draft.plan.steps) {
    if (at < stage && Object.hasOwn(outputs, name)) seen[name] = outputs[name];
  }
  return { input, outputs: seen };
}

function everything(draft: Draft): MappingContext {
  const outputs: Record<string, unknown> = Object.create(null);
  for (const step of draft.job.steps) {
    if (step.output !== null) outputs[step.name] = valueIn(stepPlan(draft, step).checkOutput(dataOf(step.output)));
  }
  return { input: valueIn(draft.plan.checkInput(dataOf(draft.job.input))), outputs };
}

function valueIn(checked: Checked): unknown {
  return checked.ok ? checked.value : undefined;
}

/** A forward call or its query is with a participant, under a lease that still holds. */
export function forwardInFlight(draft: Draft): boolean {
  return draft.job.steps.some((step) => leaseHolds(draft, step));
}

export function leaseHolds(draft: Draft, step: StepState): boolean {
  return isAlive(step.lease, draft.context.now, draft.context.rules.livingOwners);
}

/** Retries are for the way forward; a job that turned back or stopped only settles what is open. */
export function goesForward(draft: Draft): boolean {
  return draft.job.state === 'PROCESSING' || draft.job.state === 'RETRY_SCHEDULED';
}
