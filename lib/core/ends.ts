/**
 * How a job turns back and how it ends. The state turns at once; what is still in flight is waited for, and only then
 * undone. An end is called clean only when no effect is left and none is in doubt.
 */
import { type Draft, moveJob, moveStep, setStep, stepPlan } from './draft.ts';
import { hasEffects, openEffects, pivot, roundEffects } from './effects.ts';
import { isBusinessRefusal, type PolicyOverrides, policyFor } from './errors.ts';
import type { HistoryEntry, Job, TurnBack } from './job.ts';
import type { WorkflowPlan } from './plan.ts';
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

/** Nothing has to be waited for any more: a call that only reads may still be out, its answer is not needed. */
export function abandonReads(draft: Draft, errorCode: string): void {
  for (const step of draft.job.steps) {
    if (step.status !== 'dispatched' || stepPlan(draft, step).kind !== 'readOnly') continue;
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
        if (step.mayHaveApplied) setStep(draft, step, { nextAttemptAt: null, parkedOn: null });
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
  // What came to stand of an earlier round is undone by a job of its own once this one has ended.
  const left = roundEffects(job, plan)[0];
  if (left !== undefined) {
    job.stoppedReason = 'ORCH_OUTCOME_UNKNOWN';
    moveJob(draft, 'effect_unknown', null, { errorCode: 'ORCH_OUTCOME_UNKNOWN', step: left.step });
    return;
  }
  if (startNewRound(draft)) return;
  const cancelled = job.turnBack?.cause === 'cancel';
  const errorCode = cancelled ? 'ORCH_CANCELLED' : job.lastErrorCode;
  job.stoppedReason = whyTurnedBack(draft) ?? job.stoppedReason;
  moveJob(draft, 'all_undone', cancelled ? 'after_cancel' : 'after_failure', { errorCode });
  ended(draft);
}

/** Trouble on the way back that was settled is no longer why the job stopped: that is again why it turned back. */
function whyTurnedBack({ job, plan, context }: Draft): string | null {
  switch (job.turnBack?.cause) {
    case 'cancel':
      return 'ORCH_CANCELLED';
    case 'deadline':
      return 'ORCH_DEADLINE_EXCEEDED';
    case 'failure': {
      const failed = turnedBackBy(job);
      if (failed?.errorCode == null) return job.lastErrorCode;
      return stoppedBy(failed.errorCode, [context.rules.policies, plan.retry, retryOf(plan, failed.step)]);
    }
    case undefined:
      return null;
  }
}

/** The entry with which the job last left the way forward; undefined when an operator sent it back. */
function turnedBackBy(job: Pick<Job, 'history'>): HistoryEntry | undefined {
  return job.history.findLast(({ from, to }) => to === 'COMPENSATING' && from !== 'NEEDS_REVIEW');
}

/** Patience ran out where the error itself would have allowed another try. */
export function stoppedBy(code: string, scopes: readonly PolicyOverrides[]): string {
  return policyFor(code, scopes).retryable ? 'ORCH_RETRY_BUDGET_EXHAUSTED' : code;
}

function retryOf(plan: WorkflowPlan, step: string | null): PolicyOverrides {
  return plan.steps.find((one) => one.name === step)?.retry ?? {};
}

/** The last touches of a terminal state. Quarantine is a second entry of the same write, so nobody sees a false end. */
export function ended(draft: Draft): void {
  const { job } = draft;
  if (job.state === 'COMPLETED') job.outcome = 'succeeded';
  else job.outcome = openEffects(job, draft.plan).length === 0 ? 'rolled_back' : 'partially_rolled_back';
  if (job.state === 'FAILED' && isQuarantined(draft)) {
    moveJob(draft, 'quarantined', 'policy_says_so', { errorCode: job.lastErrorCode });
  }
}

/** They bear the prefix, but no participant refused the caller's request with them. */
export const OUR_OWN_CONTRACT_ERRORS = ['CONTRACT_INPUT_INVALID', 'CONTRACT_OUTPUT_INVALID', 'CONTRACT_UNKNOWN_TOPIC'];

function isQuarantined(draft: Draft): boolean {
  const { job, plan, context } = draft;
  if (job.outcome !== 'rolled_back') return true;
  // Whoever waits for it has the answer, and what follows is decided there.
  if (job.lineage.child?.call === true || job.lineage.takesBack !== undefined) return false;
  if (plan.quarantine === 'always') return true;
  const code = job.lastErrorCode ?? '';
  if (job.stoppedReason === 'ORCH_DEADLINE_EXCEEDED') return true;
  if (job.stoppedReason === 'ORCH_RETRY_BUDGET_EXHAUSTED') {
    const failed = job.history.findLast((entry) => entry.step !== null && entry.errorCode === code);
    return policyFor(code, [context.rules.policies, plan.retry, retryOf(plan, failed?.step ?? null)])
      .deadLetterOnExhaustion;
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

const DAY_MS = 86_400_000;

export function remind(draft: Draft): void {
  const open = openEffects(draft.job, draft.plan).length;
  const since = draft.job.history.findLast(({ from, to }) => to === 'NEEDS_REVIEW' && from !== to)?.at;
  const days = Math.floor((draft.context.now - (since ?? draft.context.now)) / DAY_MS);
  moveJob(draft, 'review_reminder', null, {
    reason: `still waiting for a person after ${days} day(s), ${open} effect(s) open`,
    errorCode: draft.job.stoppedReason,
  });
}
