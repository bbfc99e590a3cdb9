/**
 * What a named person may do to a job that cannot go on by itself. Each action has its guard, each is an entry in the
 * history with who and why, and a refused one changes nothing.
 */
import { approvalOf, decideApproval, isUndecided } from './approvals.ts';
import { type Draft, moveJob, moveStep, setStep, stepPlan } from './draft.ts';
import { openEffects, owesUndo, pivot, unknownEffects } from './effects.ts';
import { abandonReads, leaveOut } from './ends.ts';
import { policyFor } from './errors.ts';
import type { JobEvent } from './events.ts';
import { nextGeneration } from './fold-forward.ts';
import type { StepState } from './job.ts';
import { hasUndo } from './plan.ts';
import { type Refusal, refused, refuseStale } from './refusal.ts';
import { resolveStep } from './resolve.ts';
import { keepPast } from './saga-retry.ts';
import { isTerminal } from './states.ts';
import type { JobGuard, JobTrigger } from './transitions.ts';

export type OperateEvent = Extract<JobEvent, { type: 'operate' }>;

/** Acts, or says why not; null when granted. */
export function operate(draft: Draft, event: OperateEvent): Refusal | null {
  const { job } = draft;
  const stale = refuseStale(job, event.expectedRevision);
  if (stale !== null) return stale;
  if (isTerminal(job.state)) return refused(`the job has ended as ${job.state}: nothing can be changed any more`);
  if (event.act.action === 'force_close') return forceClose(draft, event);
  if (event.act.action === 'approve') return approve(draft, event, event.act);
  if (job.state !== 'NEEDS_REVIEW') {
    return refused(
      `the job is ${job.state} and goes on by itself: only NEEDS_REVIEW waits for this. Cancel it, or wait`,
    );
  }
  switch (event.act.action) {
    case 'resume':
      return resume(draft, event);
    case 'retry_compensation':
      return retryCompensation(draft, event);
    case 'close':
      return close(draft, event);
    case 'resolve':
      return resolve(draft, event, event.act);
  }
}

/** Decides for the person who was asked, in the operator's own name. */
function approve(
  draft: Draft,
  event: OperateEvent,
  { step: name, decision }: Extract<OperateEvent['act'], { action: 'approve' }>,
): Refusal | null {
  const step = draft.job.steps.find((one) => one.name === name);
  const work = step === undefined ? null : approvalOf(draft, step);
  if (step === undefined || work === null) return refused(`the job has no step ${name} that asks for an approval`);
  if (!isUndecided(step) || draft.job.state === 'COMPENSATING') {
    return refused(`${name} is ${step.status}: nobody is asked to decide now`);
  }
  const by = event.actor.replace(/^operator:/, '');
  decideApproval(draft, step, work, { decision, by, comment: event.reason }, event.actor);
  return null;
}

function record(draft: Draft, event: OperateEvent, on: JobTrigger, guard: JobGuard | null, step?: string): void {
  const reason = `${event.act.action}: ${event.reason}`;
  moveJob(draft, on, guard, { reason, actor: event.actor, evidence: event.evidence, step: step ?? null });
}

/** An undo was called by us, or stands as done: there is no way forward past it. */
function undoStarted(draft: Draft): boolean {
  return draft.job.steps.some((step) => step.undo !== null);
}

function resume(draft: Draft, event: OperateEvent): Refusal | null {
  const { job, plan, context } = draft;
  if (undoStarted(draft)) return refused('an undo has been started: use retry-compensation, or resolve what is open');
  const unknown = unknownEffects(job, plan);
  if (unknown.length > 0) return refused(`nobody knows what became of ${names(unknown)}: resolve that first`);
  for (const step of job.steps) {
    if (step.status === 'failed') tryAgain(draft, step);
    else if (step.status === 'skipped') moveStep(draft, step, 'operator_resume', { attemptsBefore: step.attempts });
  }
  job.turnBack = null;
  job.stoppedReason = null;
  job.deadlineAt = context.now + plan.deadlineMs;
  job.maxRetries = job.retryCount + plan.maxRetries;
  record(draft, event, 'operator_resume', 'nothing_unknown');
  return null;
}

/**
 * After a definitive refusal this is a new operation. After a transient end, or when its effect stands behind an answer
 * that did not fit, it is the same one, asked again: a new one would apply twice.
 */
function tryAgain(draft: Draft, step: StepState): void {
  const fresh = {
    errorCode: null,
    errorMessage: null,
    // What stands of an earlier attempt is not forgotten, should the job turn back before this one is called.
    output: step.mayHaveApplied ? step.output : null,
    completedAt: step.mayHaveApplied ? step.completedAt : null,
    nextAttemptAt: null,
    settleBy: null,
  };
  const plan = stepPlan(draft, step);
  const scopes = [draft.context.rules.policies, draft.plan.retry, plan.retry];
  // A fence is as final as a refusal, whatever code made us ask.
  const isFinal = step.fenced || !policyFor(step.errorCode ?? '', scopes).retryable;
  const definitive = !step.mayHaveApplied && isFinal;
  const numbers = definitive
    ? { round: step.round + 1, attempts: 0, attemptsBefore: 0, queries: 0, callback: null, fenced: false }
    : { attemptsBefore: step.attempts, queries: 0 };
  if (definitive) keepPast(draft, step);
  moveStep(draft, step, 'operator_resume', { ...fresh, ...numbers });
}

function retryCompensation(draft: Draft, event: OperateEvent): Refusal | null {
  const { job, plan, context } = draft;
  if (pivot(job, plan) !== 'before') {
    return refused('an irreversible step has, or may have, happened: resolve it, resume, or force-close');
  }
  const undoable = job.steps.filter((step) => canUndoAgain(draft, step));
  if (undoable.length === 0)
    return refused('no effect is left that an undo could be called for: close the job instead');
  for (const step of undoable) undoAgain(draft, step);
  job.turnBack ??= { cause: 'failure', at: context.now };
  job.outcome = null;
  record(draft, event, 'operator_retry_compensation', null);
  leaveOut(draft);
  return null;
}

function canUndoAgain(draft: Draft, step: StepState): boolean {
  const plan = stepPlan(draft, step);
  if (!hasUndo(plan)) return false;
  return (
    step.status === 'compensation_failed' ||
    owesUndo(step, plan) ||
    (step.status === 'compensated' && step.mayHaveApplied)
  );
}

function undoAgain(draft: Draft, step: StepState): void {
  const { undo } = step;
  const { now } = draft.context;
  if (undo === null) return;
  const next = { startedAt: now, idleMs: 0, nextAttemptAt: now, lease: null };
  if (step.status === 'compensated') {
    const again = { ...undo, ...next, ...nextGeneration(draft, step), compensatedAt: null };
    moveStep(draft, step, 'late_success', { undo: again });
  } else if (step.status === 'compensation_failed') {
    // In doubt, or never called, it is the same operation still: another one could undo twice.
    const numbers = undo.refused ? nextGeneration(draft, step) : { attemptsBefore: undo.attempts };
    moveStep(draft, step, 'operator_retry_undo', { undo: { ...undo, ...next, ...numbers } });
  }
}

function close(draft: Draft, event: OperateEvent): Refusal | null {
  const { job, plan } = draft;
  const open = openEffects(job, plan);
  if (open.length > 0) {
    return refused(`${names(open)} is or may be applied: undo or resolve it first, or force-close and leave it behind`);
  }
  letGo(draft);
  job.outcome = 'rolled_back';
  record(draft, event, 'operator_close', job.turnBack?.cause === 'cancel' ? 'after_cancel' : 'after_failure');
  return null;
}

/** The one action that leaves effects behind: it says which, in the history and in the dead letter. */
function forceClose(draft: Draft, event: OperateEvent): Refusal | null {
  const { job, plan } = draft;
  letGo(draft);
  const open = openEffects(job, plan);
  if (job.state !== 'NEEDS_REVIEW') record(draft, event, 'operator_force_close', null);
  job.outcome = open.length === 0 ? 'rolled_back' : 'partially_rolled_back';
  job.stoppedReason ??= open.length === 0 ? 'ORCH_CANCELLED' : 'ORCH_OUTCOME_UNKNOWN';
  job.lastErrorCode ??= job.stoppedReason;
  const left = open.length === 0 ? 'leaves nothing' : `leaves ${open.map((effect) => effect.operationId).join(', ')}`;
  const evidence = [event.evidence, left].filter((part) => part !== null).join('; ');
  record(draft, { ...event, evidence }, 'operator_force_close', null);
  return null;
}

/**
 * Nobody drives the job any more: nothing will be called, and nobody holds it. Of what is out, the answer still counts
 * when it comes, so its step stays as it is.
 */
function letGo(draft: Draft): void {
  for (const step of draft.job.steps) {
    const waits = step.status === 'waiting' && stepPlan(draft, step).work.type !== 'call';
    if (step.status === 'pending' || waits) moveStep(draft, step, 'left_out', AT_REST);
    else if (step.status === 'retry_scheduled' && !step.mayHaveApplied) moveStep(draft, step, 'left_out', AT_REST);
    else setStep(draft, step, { ...AT_REST, undo: step.undo && { ...step.undo, lease: null, nextAttemptAt: null } });
  }
  abandonReads(draft, draft.job.lastErrorCode ?? 'ORCH_CANCELLED');
}

const AT_REST = { lease: null, nextAttemptAt: null, parkedOn: null } as const;

function resolve(
  draft: Draft,
  event: OperateEvent,
  act: Extract<OperateEvent['act'], { action: 'resolve' }>,
): Refusal | null {
  const { job } = draft;
  const step = job.steps.find((one) => one.name === act.step);
  if (step === undefined)
    return refused(`the job has no step ${act.step}: it has ${job.steps.map((one) => one.name).join(', ')}`);
  const hadStarted = undoStarted(draft);
  const refusal = resolveStep(draft, step, act.resolution, act.output);
  if (refusal !== null) return refusal;
  const noted = { ...event, reason: `${act.step} ${act.resolution}: ${event.reason}` };
  if (hadStarted) job.outcome = null;
  record(draft, noted, 'operator_resolve', hadStarted ? 'undo_started' : 'no_undo_started', act.step);
  return null;
}

function names(effects: readonly { readonly operationId: string }[]): string {
  return effects.map((effect) => effect.operationId).join(', ');
}
