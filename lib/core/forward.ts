/**
 * The way forward: which steps to call next, and when the job is complete, waits, or turns back. Stages run one after
 * another, the steps of a stage at once.
 */

import { failure } from './answers.ts';
import { callForward, callQuery, fits, messageOf, refuseUncallable } from './calls.ts';
import { beginChildren, tendChildren } from './children.ts';
import {
  type Draft,
  type EntryDetails,
  forwardInFlight,
  leaseHolds,
  mappingContext,
  moveJob,
  moveStep,
  setStep,
  stepPlan,
} from './draft.ts';
import { pivot } from './effects.ts';
import { askForReview, ended, stoppedBy, turnBack } from './ends.ts';
import { describeGate } from './gates.ts';
import type { StepState } from './job.ts';
import { newValue } from './job.ts';
import { LIMITS } from './limits.ts';
import { wayOrPark } from './park.ts';
import { type StepPlan, topicOf } from './plan.ts';
import { settleForward } from './settle.ts';
import { applyGuards, beginWait } from './waits.ts';

export function goForward(draft: Draft): void {
  const { job, context } = draft;
  tendChildren(draft);
  const failed = job.steps.find((step) => step.status === 'failed');
  if (failed !== undefined) {
    turnBackFor(draft, failed);
    return;
  }
  // What is done is done, also when the last answer came past the deadline.
  if (job.steps.every(isSettled)) {
    complete(draft);
    return;
  }
  if (context.now >= job.deadlineAt && pivot(job, draft.plan) !== 'open') {
    const code = 'ORCH_DEADLINE_EXCEEDED';
    turnBack(draft, { cause: 'deadline', code, stoppedReason: code, step: firstOpen(draft)?.name ?? null });
    return;
  }
  if (context.now >= job.deadlineAt && giveUpParked(draft)) return;
  const review = job.steps.find((step) => step.status === 'unknown' && step.settleBy === 'review');
  if (review !== undefined) {
    if (!forwardInFlight(draft)) askForReview(draft, review.name);
    return;
  }
  if (applyGuards(draft, currentStage(draft))) return;
  const ready = currentStage(draft).filter((step) => isReady(draft, step));
  // Who cannot be called turns the job back, so that comes out before a sibling is called.
  if (ready.some((step) => !isCallable(draft, step))) return;
  for (const step of ready) start(draft, step);
  parkIfIdle(draft);
}

function isReady(draft: Draft, step: StepState): boolean {
  if (step.status !== 'pending' && step.status !== 'retry_scheduled' && step.status !== 'unknown') return false;
  const plan = stepPlan(draft, step);
  if (leaseHolds(draft, step) || !isDue(step, draft.context.now)) return false;
  return callsFirst(plan) ? fits(draft, 'forward', plan.timeoutMs) : true;
}

/** Whether the step begins with a call, for which a driver has to be there. */
function callsFirst(plan: StepPlan): boolean {
  switch (plan.work.type) {
    case 'call':
      return true;
    case 'timer':
    case 'signal':
    case 'children':
      return false;
    case 'approval':
      return plan.topic !== null;
  }
}

/** A step that is not changed to failed or settled another way: the caller's loop comes round once more. */
function isCallable(draft: Draft, step: StepState): boolean {
  if (!callsFirst(stepPlan(draft, step))) return true;
  if (asks(draft, step)) return true;
  if (step.status !== 'unknown' || step.settleBy === 'retry') return !refuseUncallable(draft, step);
  settleForward(draft, step, failure(step.errorCode ?? 'EXT_TIMEOUT', step.errorMessage ?? 'unknown', true), null);
  return false;
}

/** Past the pivot a deadline waits for what is open; what is parked would wait for ever, so a person has to look. */
function giveUpParked(draft: Draft): boolean {
  const parked = draft.job.steps.find((step) => step.parkedOn !== null);
  if (parked === undefined) return false;
  if (parked.status === 'unknown') setStep(draft, parked, { settleBy: 'review', parkedOn: null, nextAttemptAt: null });
  else
    moveStep(draft, parked, parked.status === 'pending' ? 'not_callable' : 'budget_spent', {
      errorCode: parked.errorCode ?? 'ORCH_DEADLINE_EXCEEDED',
    });
  return true;
}

function asks(draft: Draft, step: StepState): boolean {
  return step.status === 'unknown' && step.settleBy === 'query' && stepPlan(draft, step).query !== null;
}

function start(draft: Draft, step: StepState): void {
  const plan = stepPlan(draft, step);
  const query = asks(draft, step) ? plan.query : null;
  if (!callsFirst(plan)) {
    goOn(draft, step);
    if (plan.work.type === 'children') beginChildren(draft, step);
    else beginWait(draft, step);
    return;
  }
  const topic = query?.topic ?? topicOf(plan);
  const way = wayOrPark(draft, step, topic, query === null ? 'do' : 'query');
  if (way === null) return;
  goOn(draft, step);
  if (query === null) callForward(draft, step, way);
  else callQuery(draft, step, query.topic, false, way);
}

function goOn(draft: Draft, step: StepState): void {
  if (draft.job.state === 'RETRY_SCHEDULED') moveJob(draft, 'due', null, { step: step.name });
}

function isDue(step: StepState, now: number): boolean {
  if (step.parkedOn !== null) return false;
  return step.nextAttemptAt === null || step.nextAttemptAt <= now;
}

function isSettled(step: StepState): boolean {
  return step.status === 'succeeded' || step.status === 'skipped';
}

function firstOpen(draft: Draft): StepState | undefined {
  return draft.job.steps.find((step) => !isSettled(step));
}

/** The steps of the first stage that is not settled yet. */
export function currentStage(draft: Pick<Draft, 'job' | 'plan'>): StepState[] {
  const stageOf = (step: StepState): number => draft.plan.steps.find((one) => one.name === step.name)?.stage ?? 0;
  const open = draft.job.steps.filter((step) => !isSettled(step));
  const stage = Math.min(...open.map(stageOf));
  return open.filter((step) => stageOf(step) === stage);
}

/** Nothing in flight and the next try is far: the job waits outside, where it costs nothing. */
function parkIfIdle(draft: Draft): void {
  const { job, context } = draft;
  if (job.state !== 'PROCESSING' || forwardInFlight(draft)) return;
  const stage = currentStage(draft);
  const waits = stage.map((step) => (step.parkedOn === null ? step.nextAttemptAt : job.deadlineAt));
  if (waits.some((at) => at === null) || stage.some((step) => step.status === 'waiting')) return;
  const earliest = Math.min(...waits.map((at) => at ?? 0));
  if (earliest - context.now >= LIMITS.parkThresholdMs) moveJob(draft, 'retry_later', null, retryDetails(stage));
}

function retryDetails(stage: readonly StepState[]): EntryDetails {
  const parked = stage.find((step) => step.parkedOn !== null);
  if (parked?.parkedOn != null) {
    return {
      step: parked.name,
      errorCode: 'ORCH_DEPENDENCY_UNAVAILABLE',
      reason: `parked: ${describeGate(parked.parkedOn)}`,
    };
  }
  const waiting = stage.find((step) => step.nextAttemptAt !== null);
  return { step: waiting?.name ?? null, errorCode: waiting?.errorCode ?? null };
}

function complete(draft: Draft): void {
  const { job, plan } = draft;
  let output: ReturnType<typeof plan.output>;
  try {
    output = plan.output(mappingContext(draft));
  } catch (error) {
    job.lastErrorCode = 'ORCH_MAPPING_FAILED';
    job.lastErrorMessage = messageOf(error);
    turnBack(draft, {
      cause: 'failure',
      code: 'ORCH_MAPPING_FAILED',
      stoppedReason: 'ORCH_MAPPING_FAILED',
      step: null,
    });
    return;
  }
  job.output = newValue(output);
  // A late success ends the wait for a retry that nobody needs any more.
  if (job.state === 'RETRY_SCHEDULED') moveJob(draft, 'due', null);
  moveJob(draft, 'all_steps_settled', null);
  ended(draft);
}

function turnBackFor(draft: Draft, step: StepState): void {
  const code = step.errorCode ?? 'ORCH_OUTCOME_UNKNOWN';
  draft.job.lastErrorCode = code;
  draft.job.lastErrorMessage = step.errorMessage;
  const plan = stepPlan(draft, step);
  const doubtful = step.mayHaveApplied && plan.onUnknown === 'compensate';
  const stoppedReason = doubtful
    ? 'ORCH_OUTCOME_UNKNOWN'
    : stoppedBy(code, [draft.context.rules.policies, draft.plan.retry, plan.retry]);
  turnBack(draft, { cause: 'failure', code, stoppedReason, step: step.name });
}
