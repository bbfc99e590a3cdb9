/**
 * The way back: no undo starts while a forward call of the job may still be out; then doubts are settled where they
 * can be, then every effect that stands or may stand is undone, in order. One undo that fails does not stop the others.
 */
import { beginUndoOfChildren, callQuery, callUndo, fits, refuseUndo, undoRequest } from './calls.ts';
import { waitForChildren } from './children.ts';
import { type Draft, forwardInFlight, setStep, stepPlan } from './draft.ts';
import { isAlive, owesUndo, planOf, routeOf, undoOrder } from './effects.ts';
import { endCompensation } from './ends.ts';
import type { Rules } from './events.ts';
import { describeGate } from './gates.ts';
import type { EpochMs } from './ids.ts';
import type { Job, StepState } from './job.ts';
import { LIMITS } from './limits.ts';
import { parkedUntil, wayOrPark } from './park.ts';
import { hasUndo, type WorkflowPlan } from './plan.ts';

/** What the way back needs next: each open piece of work and the time from which it can be done. */
export interface UndoWork {
  readonly step: string;
  readonly what: 'query' | 'undo';
  readonly at: EpochMs;
}

/** Open work in the order in which it may start; empty when everything is settled. */
export function undoWork(job: Job, plan: WorkflowPlan, rules: Rules, now: EpochMs): UndoWork[] {
  const queries = job.steps.filter((step) => step.status === 'unknown' && step.settleBy === 'query');
  if (queries.length > 0) {
    const at = (step: StepState): EpochMs =>
      step.parkedOn === null ? (step.nextAttemptAt ?? now) : parkedUntil(job, plan, step);
    return queries.map((step) => ({ step: step.name, what: 'query', at: at(step) }));
  }
  const work = undoOrder(job, plan).flatMap((step): (UndoWork & { begun: number })[] => {
    const at = undoAt(job, step, plan, rules, now);
    return at === null ? [] : [{ step: step.name, what: 'undo', at, begun: begun(step) }];
  });
  if (plan.concurrentUndo) return work;
  // One at a time: late news may change the order, but what has begun comes to its end first.
  return work.sort((a, b) => b.begun - a.begun).slice(0, 1);
}

function begun(step: StepState): number {
  if (step.status !== 'compensating') return 0;
  const { lease = null, promisedUntil = null } = step.undo ?? {};
  return lease === null && promisedUntil === null ? 1 : 2;
}

/** When this step's undo can start or goes on; null when it owes none or is through. */
function undoAt(job: Job, step: StepState, plan: WorkflowPlan, rules: Rules, now: EpochMs): EpochMs | null {
  const stepPlan = planOf(plan, step.name);
  if (step.parkedOn !== null) return parkedUntil(job, plan, step);
  if (step.status === 'compensating') {
    const lease = step.undo?.lease ?? null;
    if (isAlive(lease, now, rules.livingOwners)) return lease.until;
    return step.undo?.promisedUntil ?? step.undo?.nextAttemptAt ?? now;
  }
  if (!owesUndo(step, stepPlan)) return null;
  // Children have all ended before anything is undone.
  if (stepPlan.work.type === 'children') return now;
  const calledAt = step.lastCallAt ?? step.startedAt;
  const route = routeOf(stepPlan, rules);
  // Released from a gate together with others: each has its turn.
  const from = Math.max(now, step.nextAttemptAt ?? 0);
  if (calledAt === null || route?.fencing === true) return from;
  // A participant that does not fence may still be at work on a call we stopped listening to: one whose end nobody
  // knows, or one before the call that succeeded. A call starts at the latest when its lease leaves no more time for it.
  const mayBeAtWork = step.mayHaveApplied || step.attempts > 1;
  const longest = LIMITS.leaseMarginMs + (route?.maxRunMs ?? LIMITS.dispatchTimeoutMs) + clocksDifferMsMax(rules);
  return mayBeAtWork ? Math.max(from, calledAt + longest) : from;
}

/** Whoever called may have been behind by as much as whoever looks is ahead. Where one process serves all, there is one clock. */
function clocksDifferMsMax({ livingOwners }: Rules): number {
  return livingOwners === null ? 2 * LIMITS.clockSkewMsMax : 0;
}

export function recover(draft: Draft): void {
  if (waitForChildren(draft) || forwardInFlight(draft)) return;
  const { job, plan, context } = draft;
  const work = undoWork(job, plan, context.rules, context.now);
  if (work.length === 0) {
    endCompensation(draft);
    return;
  }
  for (const piece of work) {
    const step = job.steps.find((one) => one.name === piece.step);
    if (step === undefined || piece.at > context.now) continue;
    if (step.parkedOn !== null) giveUpParked(draft, step);
    else if (piece.what === 'query') ask(draft, step);
    else undo(draft, step);
  }
}

function ask(draft: Draft, step: StepState): void {
  const plan = stepPlan(draft, step);
  if (plan.query === null || !fits(draft, 'recovery', plan.timeoutMs)) return;
  const way = wayOrPark(draft, step, plan.query.topic, 'query');
  if (way !== null) callQuery(draft, step, plan.query.topic, true, way);
}

function undo(draft: Draft, step: StepState): void {
  const plan = stepPlan(draft, step);
  if (plan.work.type === 'children') {
    beginUndoOfChildren(draft, step);
    return;
  }
  if (!hasUndo(plan) || !fits(draft, 'recovery', plan.undo.timeoutMs)) return;
  const request = undoRequest(draft, step, plan);
  if (!request.ok) {
    refuseUndo(draft, step, request.code, request.message);
    return;
  }
  const way = wayOrPark(draft, step, request.topic, 'undo');
  if (way !== null) callUndo(draft, step, request, way);
}

/** The gate did not open in all the time that an undo may take: a person has to look. */
function giveUpParked(draft: Draft, step: StepState): void {
  const gate = describeGate(step.parkedOn ?? '');
  if (step.status !== 'unknown' || step.settleBy !== 'query') {
    refuseUndo(draft, step, 'ORCH_DEPENDENCY_UNAVAILABLE', `${gate}: the time for its undo is used up`);
    return;
  }
  const settleBy = hasUndo(stepPlan(draft, step)) ? 'undo' : 'review';
  setStep(draft, step, { settleBy, parkedOn: null, nextAttemptAt: null });
}
