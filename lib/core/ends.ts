/**
 * How a job turns back and how it ends. The state turns at once; what is still in flight is waited for, and only then
 * undone. An end is called clean only when no effect is left and none is in doubt.
 */
import { type Draft, moveJob, moveStep, setStep } from './draft.ts';
import { hasEffects, openEffects, pivot } from './effects.ts';
import { isBusinessRefusal, policyFor } from './errors.ts';
import type { TurnBack } from './job.ts';
import { LIMITS } from './limits.ts';
import { startNewRound } from './saga-retry.ts';
import { settleWhileTurningBack, stopWaiting } from './settle.ts';
import type { JobTrigger } from './transitions.ts';

export interface Cause {
  readonly cause: TurnBack['cause'];
  readonly code: string;
  /** Why it does not go on; differs from `code` where patience, not the error itself, ended it. */
  readonly stoppedReason: string;
  readonly step: string | null;
  readonly reason?: string;
  readonly actor?: string;
}

const TRIGGER = {
  failure: 'step_failed',
  deadline: 'deadline_exceeded',
  cancel: 'cancel_requested',
} as const satisfies Record<TurnBack['cause'], JobTrigger>;

/** Stops the way forward. Past the pivot nothing is taken back: a person has to look. */
export function turnBack(draft: Draft, cause: Cause): void {
  const { job } = draft;
  const details = {
    errorCode: cause.code,
    step: cause.step,
    ...(cause.reason === undefined ? {} : { reason: cause.reason }),
    ...(cause.actor === undefined ? {} : { actor: cause.actor }),
  };
  job.stoppedReason = cause.stoppedReason;
  job.lastErrorCode ??= cause.code;
  if (pivot(job, draft.plan) !== 'before') {
    moveJob(draft, 'undecidable', null, { ...details, reason: `${TRIGGER[cause.cause]} after an irreversible step` });
    return;
  }
  job.turnBack = { cause: cause.cause, at: draft.context.now };
  const on = TRIGGER[cause.cause];
  if (hasEffects(job, draft.plan)) {
    moveJob(draft, on, 'effects_to_undo', details);
    leaveOut(draft);
    return;
  }
  leaveOut(draft);
  abandonReads(draft, cause.code);
  moveJob(draft, on, 'no_effects', details);
  ended(draft);
}

/** Without effects there is nothing to wait for: a call that only reads may still be out, its answer is not needed. */
function abandonReads(draft: Draft, errorCode: string): void {
  for (const step of draft.job.steps) {
    if (step.status !== 'dispatched') continue;
    moveStep(draft, step, 'refused', { lease: null, errorCode, errorMessage: 'the job ended before the answer came' });
  }
}

/** Steps that will not be called any more: those without effect are skipped, the others wait to be settled. */
export function leaveOut(draft: Draft): void {
  for (const step of draft.job.steps) {
    switch (step.status) {
      case 'pending':
        moveStep(draft, step, 'left_out');
        break;
      case 'retry_scheduled':
        if (step.mayHaveApplied) setStep(draft, step, { nextAttemptAt: null });
        else moveStep(draft, step, 'left_out', { nextAttemptAt: null });
        break;
      case 'waiting':
        stopWaiting(draft, step);
        break;
      case 'unknown':
        settleWhileTurningBack(draft, step);
        break;
      case 'dispatched':
      case 'reconciling':
      case 'skipped':
      case 'succeeded':
      case 'failed':
      case 'compensating':
      case 'compensated':
      case 'compensation_failed':
        break;
    }
  }
}

/** All undos are through: a clean end, or a person. */
export function endCompensation(draft: Draft): void {
  const { job, plan } = draft;
  const failedUndo = job.steps.find((step) => step.status === 'compensation_failed');
  if (failedUndo !== undefined) {
    job.stoppedReason = 'ORCH_COMPENSATION_FAILED';
    job.outcome = 'partially_rolled_back';
    moveJob(draft, 'undo_failed', null, { errorCode: 'ORCH_COMPENSATION_FAILED', step: failedUndo.name });
    return;
  }
  const left = openEffects(job, plan)[0];
  if (left !== undefined) {
    job.stoppedReason = 'ORCH_OUTCOME_UNKNOWN';
    moveJob(draft, 'effect_unknown', null, { errorCode: 'ORCH_OUTCOME_UNKNOWN', step: left.step });
    return;
  }
  if (startNewRound(draft)) return;
  const cancelled = job.turnBack?.cause === 'cancel';
  const errorCode = cancelled ? 'ORCH_CANCELLED' : job.lastErrorCode;
  moveJob(draft, 'all_undone', cancelled ? 'after_cancel' : 'after_failure', { errorCode });
  ended(draft);
}

/** The last touches of a terminal state. Quarantine is a second entry of the same write, so nobody sees a false end. */
export function ended(draft: Draft): void {
  const { job } = draft;
  if (job.state === 'COMPLETED') job.outcome = 'succeeded';
  else job.outcome = 'rolled_back';
  if (job.state === 'FAILED' && isQuarantined(draft)) {
    moveJob(draft, 'quarantined', 'policy_says_so', { errorCode: job.lastErrorCode });
  }
}

/** They bear the prefix, but no participant refused the caller's request with them. */
const OUR_OWN_CONTRACT_ERRORS = ['CONTRACT_INPUT_INVALID', 'CONTRACT_OUTPUT_INVALID', 'CONTRACT_UNKNOWN_TOPIC'];

function isQuarantined(draft: Draft): boolean {
  const { job, plan, context } = draft;
  if (plan.quarantine === 'always') return true;
  const code = job.lastErrorCode ?? '';
  if (job.stoppedReason === 'ORCH_DEADLINE_EXCEEDED') return true;
  if (job.stoppedReason === 'ORCH_RETRY_BUDGET_EXHAUSTED') {
    const cause = job.history.findLast((entry) => entry.step !== null)?.step;
    const ofStep = plan.steps.find((step) => step.name === cause)?.retry ?? {};
    return policyFor(code, [context.rules.policies, plan.retry, ofStep]).deadLetterOnExhaustion;
  }
  const ours = OUR_OWN_CONTRACT_ERRORS.includes(code);
  const answersTheCaller = job.source === 'api' || job.source === 'batch';
  return !(answersTheCaller && isBusinessRefusal(code) && !ours);
}

/** Nothing can be decided here without risking a false end: a person looks, and is reminded daily. */
export function askForReview(draft: Draft, step: string): void {
  draft.job.stoppedReason = 'ORCH_OUTCOME_UNKNOWN';
  moveJob(draft, 'undecidable', null, { errorCode: 'ORCH_OUTCOME_UNKNOWN', step });
}

export function remind(draft: Draft): void {
  const open = openEffects(draft.job, draft.plan).length;
  const days = Math.round(LIMITS.reviewReminderMs / 86_400_000);
  moveJob(draft, 'review_reminder', null, {
    reason: `still waiting for a person after ${days} day(s), ${open} effect(s) open`,
    errorCode: draft.job.stoppedReason,
  });
}
