/**
 * Folds the answer to a query: what became of an operation whose answer was lost. `not_applied` without a fence only
 * permits to try again under the same id; with a fence it is final.
 */
import { type Answer, failure } from './answers.ts';
import { type Draft, draw, goesForward, logError, moveStep, setStep, stepPlan } from './draft.ts';
import { PREFIX_POLICIES, type RetryPolicy } from './errors.ts';
import type { Ignored, Result } from './events.ts';
import { foldForward } from './fold-forward.ts';
import { forwardOperationId, type StepState } from './job.ts';
import { isObject, type Json } from './json.ts';
import { LIMITS } from './limits.ts';
import { hasUndo } from './plan.ts';
import { backoffMs } from './retry.ts';
import { canQuery, countRetry, giveUp, nextRetry, settleWhileTurningBack } from './settle.ts';

export type QueryState = 'applied' | 'not_applied' | 'running' | 'unknown';

interface QueryAnswer {
  readonly state: QueryState;
  readonly output: Json;
  readonly fenced: boolean;
}

/** Anything that is not a clear word counts as `unknown`. */
export function readQueryAnswer(answer: Answer): QueryAnswer {
  const body = answer.kind === 'success' && isObject(answer.output) ? answer.output : {};
  const { state } = body;
  const known = state === 'applied' || state === 'not_applied' || state === 'running' ? state : 'unknown';
  return { state: known, output: body.output ?? null, fenced: known === 'not_applied' && body.fenced === true };
}

export function foldQuery(draft: Draft, step: StepState, result: Result): Ignored | null {
  if (result.operationId !== forwardOperationId(draft.job, step)) return 'unknown_operation';
  const answer = readQueryAnswer(result.answer);
  // That the effect stands is news whenever it comes.
  if (answer.state === 'applied') {
    return foldForward(draft, step, { ...result, answer: { kind: 'success', output: answer.output } });
  }
  if (step.status !== 'reconciling' || result.attempt !== step.queries) return 'stale_attempt';
  if (result.answer.kind === 'accepted') return waitForWord(draft, step);
  if (answer.fenced) {
    const errorCode = step.errorCode ?? 'ORCH_OUTCOME_UNKNOWN';
    moveStep(draft, step, 'fenced', { lease: null, mayHaveApplied: false, fenced: true, errorCode });
  } else if (answer.state === 'not_applied') {
    notApplied(draft, step);
  } else {
    stillUnknown(draft, step);
  }
  return null;
}

/** The word comes by message. Until then the query is out, for as long as the longest call; then it is asked again. */
function waitForWord(draft: Draft, step: StepState): Ignored | null {
  if (step.lease === null) return 'duplicate';
  setStep(draft, step, { lease: { ...step.lease, until: draft.context.now + LIMITS.stepTimeoutMsMax } });
  return null;
}

/** Try again under the same id while attempts last; sticky doubt stays, so without them the step is undone. */
function notApplied(draft: Draft, step: StepState): void {
  const plan = stepPlan(draft, step);
  const unknown = moveStep(draft, step, 'still_unknown', { lease: null });
  if (!goesForward(draft)) {
    setStep(draft, unknown, { settleBy: hasUndo(plan) ? 'undo' : 'review', nextAttemptAt: null });
    return;
  }
  const failed = failure(step.errorCode ?? 'EXT_UNAVAILABLE', 'the participant says: not applied', false);
  const retryAt = nextRetry(draft, unknown, plan, failed);
  if (retryAt === null) {
    giveUp(draft, unknown, plan);
    return;
  }
  setStep(draft, unknown, { settleBy: 'retry', nextAttemptAt: retryAt });
  countRetry(draft, unknown, failed, retryAt);
}

/** Ask again a little later, a bounded number of times. */
export function stillUnknown(draft: Draft, step: StepState): void {
  const plan = stepPlan(draft, step);
  const unknown = moveStep(draft, step, 'still_unknown', { lease: null });
  const errorCode = 'ORCH_OUTCOME_UNKNOWN';
  const askAgain = canQuery(plan, unknown);
  const nextAttemptAt = askAgain ? draft.context.now + queryDelayMs(unknown.queries, draw(draft)) : null;
  const message = `query ${unknown.queries} did not establish the outcome`;
  logError(draft, { step: step.name, attempt: step.attempts, errorCode, message, nextAttemptAt });
  if (nextAttemptAt !== null) setStep(draft, unknown, { settleBy: 'query', nextAttemptAt });
  else if (goesForward(draft)) giveUp(draft, unknown, plan);
  else settleWhileTurningBack(draft, unknown);
}

/** Queries are spaced like retries of an outside dependency. */
function queryDelayMs(queries: number, random: number): number {
  const policy: RetryPolicy | undefined = PREFIX_POLICIES.find((row) => row.prefix === 'EXT_')?.policy;
  return policy === undefined ? 0 : Math.floor(backoffMs(policy, queries - 1) * random);
}
