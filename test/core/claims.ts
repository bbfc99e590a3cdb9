/**
 * What a job claims, held against what a witness saw: that it completed, that nothing is left, that an undo was due.
 */
import { openEffects, routeOf } from '../../lib/core/effects.ts';
import { policyFor } from '../../lib/core/errors.ts';
import { forwardOperationId, type HistoryEntry, type Job, type StepState, stepOf } from '../../lib/core/job.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { hasUndo, type StepPlan } from '../../lib/core/plan.ts';
import { isTerminal } from '../../lib/core/states.ts';
import type { Change } from './invariants.ts';
import { mayStand, type Operation, seeCall, type Witness, wasUndone } from './ledger.ts';

const when = (broken: boolean, complaint: string): string[] => (broken ? [complaint] : []);

export function falseClaims(witness: Witness, change: Change): string[] {
  return [...callsMade(witness, change), ...bounds(witness, change), ...endings(witness, change)];
}

function callsMade(witness: Witness, { before, after, calls }: Change): string[] {
  return calls.flatMap((call) => {
    const complaint = seeCall(witness, after, call);
    const operation = witness.operations.get(call.about ?? call.operationId);
    const stands = operation !== undefined && (mayStand(operation) || inDoubt(stepOf(before, call.step)));
    return [
      ...(complaint === null ? [] : [complaint]),
      ...when(call.direction === 'do' && turnedBack(after), `${call.step} was called after the job turned back`),
      ...when(call.direction === 'undo' && !stands, `${call.step} was undone and never applied`),
    ];
  });
}

/** On the way back, from the turn until a new round or a person leads forward again. */
function turnedBack({ history }: Job): boolean {
  const turn = history.findLast(
    ({ from, to }) => to === 'COMPENSATING' || from === 'COMPENSATING' || from === 'NEEDS_REVIEW',
  );
  return turn?.to === 'COMPENSATING';
}

/** A lease that ended in silence raised the doubt; what was heard later does not take it back. */
function inDoubt(step: StepState): boolean {
  return step.mayHaveApplied || step.status === 'dispatched' || step.status === 'waiting';
}

/** The codes that a run answers with; the most attempts that any of them allows. */
const CODES = ['EXT_TIMEOUT', 'EXT_THROTTLED', 'EXT_UNAVAILABLE', 'EXT_UNEXPECTED', 'ORCH_RETRYABLE_STORE'];
const UNDO_ATTEMPTS = 10;

function bounds(witness: Witness, { after, plan, rules }: Change): string[] {
  return after.steps.flatMap((step) => {
    const stepPlan = plan.steps.find((one) => one.name === step.name);
    const scopes = [rules.policies, plan.retry, stepPlan?.retry ?? {}];
    const most = Math.max(...CODES.map((code) => policyFor(code, scopes).maxAttempts));
    const made = witness.operations.get(forwardOperationId(after, step))?.attempts.size ?? 0;
    return [
      ...when(step.attempts - step.attemptsBefore > most, `${step.name} was called more than ${most} times`),
      ...when(step.queries > LIMITS.queriesPerOperation, `${step.name}: too many queries`),
      ...when(undosSincePerson(step) > UNDO_ATTEMPTS, `${step.name}: too many undos`),
      ...when(made !== step.attempts, `${step.name}: ${made} calls were made and ${step.attempts} counted`),
    ];
  });
}

function undosSincePerson({ undo }: StepState): number {
  return (undo?.attempts ?? 0) - (undo?.attemptsBefore ?? 0);
}

function endings(witness: Witness, change: Change): string[] {
  const { before, after } = change;
  const ends = isTerminal(after.state) && !isTerminal(before.state);
  const newRound = before.sagaRound !== after.sagaRound;
  if (!ends && !newRound) return [];
  return [
    ...when(after.state === 'CANCELLED' && !witness.cancelAsked, 'cancelled without being asked'),
    ...when(leftReviewAlone(after), 'left a review without a person'),
    ...(after.state === 'COMPLETED' ? completed(witness, change) : []),
    ...(after.outcome === 'partially_rolled_back' ? [] : whatIsLeft(witness, change)),
    ...when(newRound && !after.history.some(isNewRound), 'a new round that nobody told'),
  ];
}

function isNewRound({ from, to }: HistoryEntry): boolean {
  return from === 'COMPENSATING' && to === 'RETRY_SCHEDULED';
}

function completed({ operations }: Witness, { after: job, plan }: Change): string[] {
  return job.steps.flatMap((step, index) => {
    const { work, when: guard } = plan.steps[index] ?? {};
    if (step.status === 'skipped' && guard != null) return [];
    const operation = operations.get(forwardOperationId(job, step));
    const known = operation?.applied === true || operation?.resolved === true;
    return [
      ...when(step.status !== 'succeeded', `completed with ${step.name} ${step.status}`),
      ...when(!known && work?.type === 'call', `completed and nobody heard ${step.name} succeed`),
    ];
  });
}

function leftReviewAlone(job: Job): boolean {
  return job.history.some(
    ({ from, to, actor }) => from === 'NEEDS_REVIEW' && to !== from && !actor.startsWith('operator:'),
  );
}

/** What stands, or may stand, of operations that the job counts as gone and does not list as open. */
function whatIsLeft(witness: Witness, change: Change): string[] {
  const { after, plan } = change;
  const listed = new Set(openEffects(after, plan).map((effect) => effect.operationId));
  const kept = after.state === 'COMPLETED' ? after.steps.map((step) => forwardOperationId(after, step)) : [];
  return [...witness.operations.values()].flatMap((operation) =>
    listed.has(operation.id) || kept.includes(operation.id) ? [] : leftBy(operation, change),
  );
}

function leftBy(operation: Operation, { plan, rules }: Change): string[] {
  const stepPlan = plan.steps.find((one) => one.name === operation.step);
  if (stepPlan === undefined || stepPlan.kind === 'readOnly') return [];
  if (!mayStand(operation) || operation.fenced || operation.resolved) return [];
  const { id, applied } = operation;
  if (!hasUndo(stepPlan)) return when(!(applied && isHarmless(stepPlan)), `${id} may stand and cannot be undone`);
  const fencing = routeOf(stepPlan, rules)?.fencing === true;
  return [
    ...when(!wasUndone(operation), `${id} may stand and no undo was confirmed`),
    ...when(!applied && !fencing, `${id} may yet apply: its undo fenced nothing`),
  ];
}

/** Declared to need no undo: once it is certain that it applied, nothing is owed. */
function isHarmless(plan: StepPlan): boolean {
  return plan.kind === 'compensatable' && plan.undo !== null && 'none' in plan.undo;
}
