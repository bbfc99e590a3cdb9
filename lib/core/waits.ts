/**
 * Steps that wait for something other than a participant's answer: a moment, a signal, a person. A wait begins once, its
 * end is computed then and stored, and it ends once: by what it waits for, by its time, or left out when the job turns
 * back. Nothing here has an effect, so nothing here is ever unknown.
 */
import { askForApproval, expireApproval, remindOfApproval } from './approvals.ts';
import { type Draft, goesForward, logError, mappingContext, moveStep, setStep, stepPlan } from './draft.ts';
import type { EpochMs } from './ids.ts';
import { dataOf, type StepState } from './job.ts';
import type { StepPlan, TimeoutPlan } from './plan.ts';
import { endWait, failWait } from './wait-ends.ts';

/** Leaves out the steps of the stage whose guard says no; true: something moved, and the stage is looked at again. */
export function applyGuards(draft: Draft, stage: readonly StepState[]): boolean {
  let moved = false;
  for (const step of stage) {
    const plan = stepPlan(draft, step);
    if (step.status !== 'pending' || plan.when === null) continue;
    const wanted = ask(draft, plan.when, plan);
    if (wanted.ok && wanted.value) continue;
    moved = true;
    if (wanted.ok) moveStep(draft, step, 'left_out', { nextAttemptAt: null });
    else refuse(draft, step, wanted.message);
  }
  return moved;
}

/** Begins the wait, or fails the step when its end cannot be computed. */
export function beginWait(draft: Draft, step: StepState): void {
  const plan = stepPlan(draft, step);
  const { now } = draft.context;
  const end = ask(draft, (seen) => endOf(plan, seen, now), plan);
  if (!end.ok) {
    refuse(draft, step, end.message);
    return;
  }
  const waiting = moveStep(draft, step, 'wait_started', { startedAt: now, nextAttemptAt: null, deadlineAt: end.value });
  if (plan.work.type === 'approval') askForApproval(draft, waiting, plan.work);
}

function endOf(plan: StepPlan, seen: ReturnType<typeof mappingContext>, now: EpochMs): EpochMs {
  const { work } = plan;
  switch (work.type) {
    case 'timer':
      return work.due(seen, now);
    case 'signal':
    case 'approval':
      return now + work.withinMs;
    case 'call':
    case 'children':
      throw new Error(`step ${plan.name} has no end of its own to wait for`);
  }
}

/**
 * Ends a wait that has what it waits for, or whose time has come. A job that does not go forward leaves it as it is; it
 * is looked at again when it is resumed.
 */
export function settleWait(draft: Draft, step: StepState): void {
  if (!goesForward(draft)) return;
  const { received, deadlineAt } = step;
  if (received?.value != null) {
    const output = dataOf(received.value);
    endWait(draft, setStep(draft, step, { received: { ...received, value: null } }), output);
  } else if (deadlineAt !== null && draft.context.now >= deadlineAt) {
    endWaitByTime(draft, step);
  } else {
    remindOfApproval(draft, step);
  }
}

function endWaitByTime(draft: Draft, step: StepState): void {
  const { work } = stepPlan(draft, step);
  switch (work.type) {
    case 'timer':
      endWait(draft, step, null);
      return;
    case 'signal':
      timeOut(draft, step, work.onTimeout, `signal ${work.signal} did not come in time`);
      return;
    case 'approval':
      expireApproval(draft, step, work);
      return;
    case 'call':
    case 'children':
      throw new Error(`step ${step.name} does not end by its time: what became of it is not known`);
  }
}

function timeOut(draft: Draft, step: StepState, onTimeout: TimeoutPlan, message: string): void {
  if ('output' in onTimeout) endWait(draft, step, onTimeout.output);
  else failWait(draft, step, onTimeout.fail, message);
}

type Asked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** Runs a function of the definition on what the step may see. */
function ask<T>(draft: Draft, what: (seen: ReturnType<typeof mappingContext>) => T, plan: StepPlan): Asked<T> {
  try {
    return { ok: true, value: what(mappingContext(draft, plan.stage)) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

function refuse(draft: Draft, step: StepState, message: string): void {
  const errorCode = 'ORCH_MAPPING_FAILED';
  logError(draft, { step: step.name, attempt: step.attempts, errorCode, message, nextAttemptAt: null });
  moveStep(draft, step, 'not_callable', { errorCode, errorMessage: message, nextAttemptAt: null });
}
