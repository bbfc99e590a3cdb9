/**
 * A person tells what became of an effect: applied, not applied, or undone by hand. The word of a named person with a
 * reason settles what no program could; it moves a step along the same edges that an answer would.
 */
import { type Draft, moveStep, setStep, stepPlan } from './draft.ts';
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
  switch (resolution) {
    case 'applied':
      return applied(draft, step, output);
    case 'not_applied':
      return notApplied(draft, step);
    case 'compensated':
      return compensated(draft, step);
  }
}

const isInDoubt = (step: StepState): boolean =>
  step.mayHaveApplied && (step.status === 'failed' || step.status === 'skipped' || step.status === 'compensated');

function applied(draft: Draft, step: StepState, output: Json | undefined): Refusal | null {
  const { now } = draft.context;
  if (step.status === 'unknown') {
    // On the way forward later steps read this output, so it has to be what the schema promises.
    const checked = stepPlan(draft, step).checkOutput(output ?? null);
    if (draft.job.turnBack === null && !checked.ok) {
      const where = checked.errors.map((error) => `${error.path}: ${error.message}`).join('; ');
      return refused(`say in output what ${step.name} answered, as its schema has it: ${where}`);
    }
    settled(draft, step, 'late_success', output ?? null, now);
    return null;
  }
  if (!isInDoubt(step)) return refused(`${step.name} is ${step.status}: there is no doubt to resolve`);
  setStep(draft, step, { completedAt: now, output: output === undefined ? step.output : newValue(output) });
  return null;
}

function notApplied(draft: Draft, step: StepState): Refusal | null {
  if (step.status === 'unknown') {
    const errorCode = step.errorCode ?? 'ORCH_OUTCOME_UNKNOWN';
    moveStep(draft, step, 'budget_spent', { mayHaveApplied: false, settleBy: null, nextAttemptAt: null, errorCode });
    return null;
  }
  if (isInDoubt(step)) {
    setStep(draft, step, { mayHaveApplied: false });
    return null;
  }
  if (step.status === 'compensation_failed') {
    return refused(`the undo of ${step.name} failed: if nothing is left of its effect, resolve it as compensated`);
  }
  return refused(`${step.name} is ${step.status}: there is no doubt to resolve`);
}

function compensated(draft: Draft, step: StepState): Refusal | null {
  const { now } = draft.context;
  const byHand = { lease: null, nextAttemptAt: null, compensatedAt: now, errorCode: null };
  const cleared = { mayHaveApplied: false, settleBy: null, nextAttemptAt: null };
  switch (step.status) {
    case 'compensation_failed':
      moveStep(draft, step, 'operator_resolved', { ...cleared, undo: { ...undoOf(draft, step), ...byHand } });
      return null;
    case 'unknown':
    case 'succeeded':
    case 'failed':
      if (step.status === 'failed' && !step.mayHaveApplied) break;
      moveStep(draft, moveStep(draft, step, 'undo_called'), 'undo_confirmed', {
        ...cleared,
        undo: { ...undoOf(draft, step), ...byHand },
      });
      return null;
    case 'skipped':
    case 'compensated':
      if (!step.mayHaveApplied) break;
      setStep(draft, step, cleared);
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
    topic: hasUndo(plan) ? (plan.undo.topics[0] ?? plan.topic) : plan.topic,
    attempts: 0,
    attemptsBefore: 0,
    lease: null,
    startedAt: draft.context.now,
    nextAttemptAt: null,
    compensatedAt: null,
    result: null,
    errorCode: null,
  };
  return step.undo ?? fresh;
}
