/**
 * A person tells what became of an effect: applied, not applied, or undone by hand. The word of a named person with a
 * reason settles what no program could; it moves a step along the same edges that an answer would.
 * Invariant: every open effect of a job that waits for a person can be settled here, unless a call about it is out.
 */
import { hasChildrenOut } from './child-set.ts';
import { type Draft, moveStep, setStep, stepPlan } from './draft.ts';
import { isAlive } from './effects.ts';
import type { Resolution } from './events.ts';
import { settled } from './fold-forward.ts';
import { newValue, type StepState, type UndoState } from './job.ts';
import type { Json } from './json.ts';
import { hasUndo } from './plan.ts';
import { type Refusal, refused } from './refusal.ts';

/** Settles the step, or says why the resolution does not fit; null when done. */
export function resolveStep(
  draft: Draft,
  step: StepState,
  resolution: Resolution,
  output: Json | undefined,
): Refusal | null {
  if (stepPlan(draft, step).kind === 'readOnly') return refused(`${step.name} only reads: it has no effect to resolve`);
  if (hasChildrenOut(step)) return refused(`children of ${step.name} are at work: settle what they wait for`);
  if (isOut(draft, step)) return refused(`a call about ${step.name} is out: wait for its answer, then look again`);
  switch (resolution) {
    case 'applied':
      return applied(draft, step, output);
    case 'not_applied':
      return notApplied(draft, step);
    case 'compensated':
      return compensated(draft, step);
  }
}

function isOut({ context }: Draft, step: StepState): boolean {
  const { now, rules } = context;
  return [step.lease, step.undo?.lease ?? null].some((lease) => isAlive(lease, now, rules.livingOwners));
}

/** Known to have been called, and nothing will be asked or tried that could still tell. */
const isInDoubt = (step: StepState): boolean =>
  step.mayHaveApplied && ['failed', 'skipped', 'compensated', 'pending', 'retry_scheduled'].includes(step.status);

function noDoubt(step: StepState): Refusal {
  return step.status === 'compensation_failed'
    ? refused(
        `the undo of ${step.name} failed: retry it, or resolve it as compensated if nothing is left of its effect`,
      )
    : refused(`${step.name} is ${step.status}: there is no doubt to resolve`);
}

function applied(draft: Draft, step: StepState, output: Json | undefined): Refusal | null {
  const { now } = draft.context;
  const settles = step.status === 'unknown' || step.status === 'waiting' || step.status === 'dispatched';
  if (!settles && !isInDoubt(step)) return noDoubt(step);
  // On the way forward later steps read this output, so it has to be what the schema promises.
  const checked = stepPlan(draft, step).checkOutput(output ?? null);
  if (draft.job.turnBack === null && !checked.ok && (settles || output !== undefined)) {
    const where = checked.errors.map((error) => `${error.path}: ${error.message}`).join('; ');
    return { ...refused(`say in output what ${step.name} answered, as its schema has it: ${where}`), needs: 'output' };
  }
  if (settles) settled(draft, step, step.status === 'unknown' ? 'late_success' : 'succeeded', output ?? null, now);
  else setStep(draft, step, { completedAt: now, output: output === undefined ? step.output : newValue(output) });
  return null;
}

function notApplied(draft: Draft, step: StepState): Refusal | null {
  const errorCode = step.errorCode ?? 'ORCH_OUTCOME_UNKNOWN';
  const known = { ...CLEARED, errorCode };
  if (step.status === 'unknown') moveStep(draft, step, 'budget_spent', known);
  else if (step.status === 'waiting' || step.status === 'dispatched') moveStep(draft, step, 'refused', known);
  else if (isInDoubt(step)) setStep(draft, step, { mayHaveApplied: false });
  else return noDoubt(step);
  return null;
}

const CLEARED = { mayHaveApplied: false, settleBy: null, nextAttemptAt: null, deadlineAt: null, lease: null } as const;

function compensated(draft: Draft, step: StepState): Refusal | null {
  const { now } = draft.context;
  const byHand = { lease: null, nextAttemptAt: null, promisedUntil: null, compensatedAt: now, errorCode: null };
  const undo = { ...undoOf(draft, step), ...byHand };
  const undone = (from: StepState): null => {
    moveStep(draft, moveStep(draft, from, 'undo_called'), 'undo_confirmed', { ...CLEARED, undo });
    return null;
  };
  switch (step.status) {
    case 'compensation_failed':
      moveStep(draft, step, 'operator_resolved', { ...CLEARED, undo });
      return null;
    case 'waiting':
      return undone(moveStep(draft, step, 'timed_out'));
    case 'dispatched':
      return undone(moveStep(draft, step, 'lost'));
    case 'unknown':
    case 'succeeded':
      return undone(step);
    case 'failed':
    case 'retry_scheduled':
      if (step.mayHaveApplied) return undone(step);
      break;
    case 'pending':
    case 'skipped':
    case 'compensated':
      if (!step.mayHaveApplied) break;
      setStep(draft, step, CLEARED);
      return null;
    default:
      break;
  }
  return refused(`${step.name} is ${step.status}: it has no effect that could have been undone`);
}

function undoOf(draft: Draft, step: StepState): UndoState {
  const plan = stepPlan(draft, step);
  const fresh: UndoState = {
    generation: 0,
    topic: (hasUndo(plan) ? plan.undo.topics[0] : null) ?? plan.topic ?? plan.name,
    attempts: 0,
    attemptsBefore: 0,
    lease: null,
    startedAt: draft.context.now,
    idleMs: 0,
    nextAttemptAt: null,
    promisedUntil: null,
    compensatedAt: null,
    result: null,
    errorCode: null,
    refused: false,
  };
  return step.undo ?? fresh;
}
