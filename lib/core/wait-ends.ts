/** The two ends of a wait: with what it waited for, or without. */
import { type Draft, logError, moveStep } from './draft.ts';
import { newValue, type StepState } from './job.ts';
import type { Json } from './json.ts';

/** The wait is over, with this output. */
export function endWait(draft: Draft, step: StepState, output: Json): void {
  moveStep(draft, step, 'succeeded', {
    deadlineAt: null,
    completedAt: draft.context.now,
    output: newValue(output),
  });
}

/** The wait is over, and with it the way forward. */
export function failWait(draft: Draft, step: StepState, errorCode: string, errorMessage: string): void {
  logError(draft, { step: step.name, attempt: step.attempts, errorCode, message: errorMessage, nextAttemptAt: null });
  draft.job.lastErrorCode = errorCode;
  draft.job.lastErrorMessage = errorMessage;
  const known = { lease: null, deadlineAt: null, nextAttemptAt: null, errorCode, errorMessage };
  moveStep(draft, step, step.status === 'retry_scheduled' ? 'budget_spent' : 'refused', known);
}
