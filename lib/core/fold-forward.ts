/**
 * Folds the answer to a step's own call into the job. A success of any attempt settles the operation; a failure counts
 * only from the attempt that is out now. Late and repeated answers are normal and change nothing they should not.
 */
import type { Failure } from './answers.ts';
import { approvalOf, askForApproval } from './approvals.ts';
import { type Draft, goesForward, logError, moveJob, moveStep, setStep, stepPlan } from './draft.ts';
import { routeOf } from './effects.ts';
import type { Ignored, Result } from './events.ts';
import { forwardOperationId, newValue, operationOf, type StepState, type UndoState, undoneOperationId } from './job.ts';
import { cutText, type Json, jsonBytes } from './json.ts';
import { LIMITS } from './limits.ts';
import { type Checked, hasUndo } from './plan.ts';
import { failForward, stopWaiting } from './settle.ts';
import { isTerminal } from './states.ts';
import type { StepTrigger } from './step-transitions.ts';

export function foldForward(draft: Draft, step: StepState, result: Result): Ignored | null {
  if (result.operationId !== forwardOperationId(draft.job, step)) return foldPast(draft, step, result);
  if (step.attempts === 0) return 'unknown_operation';
  switch (result.answer.kind) {
    case 'success':
      // Who brings a person the link has done its part; the step waits for the person.
      if (approvalOf(draft, step) !== null) return accept(draft, step, result);
      return succeed(draft, step, taken(result.answer.output), result.at);
    case 'accepted':
      return accept(draft, step, result);
    case 'failure':
      // What an undo does not find is undone, also where a job of its own does the undoing.
      if (result.answer.notFound && undoneOperationId(draft.job, step.name) !== null) {
        return succeed(draft, step, taken(null), result.at);
      }
      return fail(draft, step, result, result.answer);
  }
}

/** A success of an earlier round: where nothing fenced it off it is an effect nobody counted on. */
function foldPast(draft: Draft, step: StepState, result: Result): Ignored | null {
  const { job } = draft;
  const { answer } = result;
  const past = job.past.find((one) => operationOf(job, one.step, one.round) === result.operationId);
  if (past === undefined) return 'unknown_operation';
  // Only an undo that was called has put up the fence.
  const isFenced = past.generation !== null && fences(draft, step);
  if (answer.kind !== 'success' || isFenced) return 'late';
  if (past.appliedAt !== null) return 'duplicate';
  const news = { ...past, appliedAt: result.at, output: newValue(taken(answer.output).output) };
  job.past = job.past.map((one) => (one === past ? news : one));
  draft.changed = true;
  tellIfStopped(draft, step);
  return null;
}

function accept(draft: Draft, step: StepState, result: Result): Ignored | null {
  if (step.status !== 'dispatched' || result.attempt !== step.attempts) return 'stale_attempt';
  const waiting = moveStep(draft, step, 'accepted', { lease: null, deadlineAt: endOfWait(draft, step) });
  const approval = approvalOf(draft, step);
  if (!goesForward(draft)) stopWaiting(draft, waiting);
  else if (approval !== null) askForApproval(draft, waiting, approval);
  return null;
}

/** Until the token ends; or, of one that has to show that it is at work, until it is silent for too long. */
function endOfWait(draft: Draft, step: StepState): number {
  const { now } = draft.context;
  const { work } = stepPlan(draft, step);
  const end = step.callback?.expiresAt ?? now + LIMITS.waitMsDefault;
  const every = work.type === 'call' ? (work.later?.heartbeatMs ?? null) : null;
  return every === null ? end : Math.min(end, now + every);
}

function fail(draft: Draft, step: StepState, result: Result, failed: Failure): Ignored | null {
  const isOut = step.status === 'dispatched' || step.status === 'waiting';
  if (isOut && result.attempt === step.attempts) {
    failForward(draft, step, failed);
    return null;
  }
  if (step.status === 'unknown' && failed.fenced) {
    moveStep(draft, step, 'fenced', {
      mayHaveApplied: false,
      fenced: true,
      settleBy: null,
      nextAttemptAt: null,
      errorCode: failed.code,
    });
    return null;
  }
  return keepAsEvidence(draft, step, result, failed);
}

/** A late failure moves nothing; that it came is written down once. */
function keepAsEvidence(draft: Draft, step: StepState, result: Result, failed: Failure): Ignored | null {
  const told = draft.job.errorLog.some(
    (entry) => entry.step === step.name && entry.attempt === result.attempt && entry.errorCode === failed.code,
  );
  if (told || draft.job.state === 'COMPLETED') return 'late';
  logError(draft, {
    step: step.name,
    attempt: result.attempt,
    errorCode: failed.code,
    message: `late: ${failed.message}`,
    nextAttemptAt: null,
  });
  return null;
}

interface Taken {
  readonly output: Json;
  /** Why it was not kept: it says nothing then, as if it were not known. */
  readonly tooLarge: string | null;
}

function taken(output: Json): Taken {
  const bytes = jsonBytes(output);
  const most = LIMITS.outputBytesMax;
  if (bytes <= most) return { output, tooLarge: null };
  return { output: null, tooLarge: `it has ${bytes} bytes, at most ${most} are kept: answer a reference to the data` };
}

function told(message: string): string {
  return cutText(message, LIMITS.errorMessageCharactersMax);
}

/** What each status makes of a success: the edge to take, or why there is none. */
function succeed(draft: Draft, step: StepState, { output, tooLarge }: Taken, at: number): Ignored | null {
  switch (step.status) {
    case 'dispatched':
    case 'waiting':
    case 'reconciling':
      settled(draft, step, 'succeeded', output, at, tooLarge);
      return null;
    case 'retry_scheduled':
    case 'unknown':
      settled(draft, step, 'late_success', output, at, tooLarge);
      return null;
    case 'succeeded':
      return 'duplicate';
    case 'pending':
      return 'unknown_operation';
    case 'failed':
    case 'skipped':
      return appliedAfterAll(draft, step, output, at);
    case 'compensating':
      return appliedWhileUndoing(draft, step, output, at);
    case 'compensated':
      return appliedAfterUndo(draft, step, output, at);
    case 'compensation_failed':
      return learnOutput(draft, step, output, at);
  }
}

/** The operation has taken effect. An answer that does not fit the schema is an effect all the same. */
export function settled(
  draft: Draft,
  step: StepState,
  on: StepTrigger,
  output: Json,
  at: number,
  tooLarge: string | null = null,
): void {
  const plan = stepPlan(draft, step);
  const known = {
    lease: null,
    nextAttemptAt: null,
    deadlineAt: null,
    settleBy: null,
    completedAt: at,
    output: newValue(output),
  };
  const checked: Checked =
    tooLarge === null ? plan.checkOutput(output) : { ok: false, errors: [{ path: '/', message: tooLarge }] };
  if (checked.ok || !goesForward(draft)) {
    moveStep(draft, step, on, { ...known, mayHaveApplied: false, errorCode: null, errorMessage: null });
    return;
  }
  const where = checked.errors.map((error) => `${error.path}: ${error.message}`).join('; ');
  const misfit = tooLarge === null ? "does not fit the step's output schema" : 'is too large';
  const message = told(`the answer of ${plan.topic ?? plan.name} ${misfit}: ${where}`);
  const errorCode = 'CONTRACT_OUTPUT_INVALID';
  draft.job.lastErrorCode = errorCode;
  draft.job.lastErrorMessage = message;
  logError(draft, { step: step.name, attempt: step.attempts, errorCode, message, nextAttemptAt: null });
  failThough(draft, step, { ...known, mayHaveApplied: plan.kind !== 'readOnly', errorCode, errorMessage: message });
}

/** `failed` with its effect standing, from whatever status the answer met. */
function failThough(draft: Draft, step: StepState, known: Partial<StepState>): void {
  switch (step.status) {
    case 'dispatched':
    case 'waiting':
      moveStep(draft, step, 'refused', known);
      return;
    case 'reconciling':
      moveStep(draft, moveStep(draft, step, 'still_unknown'), 'budget_spent', known);
      return;
    default:
      moveStep(draft, step, 'budget_spent', known);
  }
}

/** The step was taken as not applied, and it is: while turning back it becomes an undo, after the end an open effect. */
function appliedAfterAll(draft: Draft, step: StepState, output: Json, at: number): Ignored | null {
  if (stepPlan(draft, step).kind === 'readOnly') return 'late';
  if (step.completedAt !== null) return 'duplicate';
  setStep(draft, step, { mayHaveApplied: true, output: newValue(output), completedAt: at });
  tellIfStopped(draft, step);
  return null;
}

function appliedWhileUndoing(draft: Draft, step: StepState, output: Json, at: number): Ignored | null {
  if (step.completedAt !== null || step.undo === null) return 'duplicate';
  const learned = { output: newValue(output), completedAt: at };
  const plan = stepPlan(draft, step);
  const choosesByOutput = hasUndo(plan) && plan.undo.topics.length > 1;
  if (fences(draft, step) && !choosesByOutput) {
    setStep(draft, step, learned);
    return null;
  }
  // The undo that is out may have come before the effect, or was chosen without knowing its output: it proves nothing.
  // Undo again, under a new id.
  setStep(draft, step, { ...learned, undo: { ...step.undo, ...nextGeneration(draft, step) } });
  return null;
}

function appliedAfterUndo(draft: Draft, step: StepState, output: Json, at: number): Ignored | null {
  if (step.undo === null || fences(draft, step)) return 'late';
  if (step.completedAt !== null && !step.mayHaveApplied) return 'duplicate';
  const learned = { output: newValue(output), completedAt: at, mayHaveApplied: true };
  if (draft.job.state !== 'COMPENSATING') {
    if (step.completedAt !== null) return 'duplicate';
    setStep(draft, step, learned);
    tellIfStopped(draft, step);
    return null;
  }
  const undo = { ...step.undo, ...nextGeneration(draft, step), compensatedAt: null };
  moveStep(draft, step, 'late_success', { ...learned, undo });
  return null;
}

export function nextGeneration(
  draft: Draft,
  step: StepState,
): Omit<UndoState, 'topic' | 'compensatedAt' | 'result' | 'errorCode' | 'refused'> {
  const { now } = draft.context;
  const generation = (step.undo?.generation ?? 0) + 1;
  return {
    generation,
    attempts: 0,
    attemptsBefore: 0,
    lease: null,
    startedAt: now,
    idleMs: 0,
    nextAttemptAt: now,
    promisedUntil: null,
  };
}

function learnOutput(draft: Draft, step: StepState, output: Json, at: number): Ignored | null {
  if (step.completedAt !== null) return 'duplicate';
  setStep(draft, step, { output: newValue(output), completedAt: at });
  return null;
}

export function fences(draft: Draft, step: StepState): boolean {
  return routeOf(stepPlan(draft, step), draft.context.rules)?.fencing ?? false;
}

/** After a job stopped, news of an effect is an entry of its own: it leads to a dead letter and an alert. */
function tellIfStopped(draft: Draft, step: StepState): void {
  const { state } = draft.job;
  if (!isTerminal(state) && state !== 'NEEDS_REVIEW') return;
  const reason = `late success of ${step.name} after the job stopped`;
  moveJob(draft, 'late_success', null, { reason, errorCode: 'ORCH_OUTCOME_UNKNOWN', step: step.name });
}
