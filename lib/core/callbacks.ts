/**
 * Answers that come from outside with a token, and the tokens themselves. A token belongs to one attempt and is good for
 * one answer; what it says goes the way of any answer, also when it comes before we know that the wait began.
 * Invariant: a refused token changes nothing.
 */
import { createHash } from 'node:crypto';
import { type ApprovalDecision, approvalOf, decideApproval, isUndecided, readDecision } from './approvals.ts';
import { type Draft, setStep, stepPlan } from './draft.ts';
import { routeOf } from './effects.ts';
import type { Decision, JobEvent, TokenRef } from './events.ts';
import { foldForward } from './fold-forward.ts';
import type { EpochMs } from './ids.ts';
import { type CallbackState, forwardOperationId, type Job, type StepState } from './job.ts';
import { LIMITS } from './limits.ts';
import type { ApprovalWork, StepPlan } from './plan.ts';
import type { Refusal } from './refusal.ts';
import { isTerminal } from './states.ts';

type CallbackEvent = Extract<JobEvent, { type: 'callback' }>;
type NotNow = Exclude<Decision, { status: 'changed' }>;

/** 22 characters of base64url carry 132 bits. */
const SALT_CHARACTERS = 22;

/** The token that goes out with this attempt; null: the participant answers at once. */
export function tokenFor(draft: Draft, step: StepState, plan: StepPlan, attempt: number): CallbackState | null {
  const withinMs = waitOf(draft, plan);
  if (withinMs === null) return null;
  const { now, nonce } = draft.context;
  const { callback } = step;
  // A person has one link, whichever attempt brought it: the one that did may be the one whose answer was lost.
  const kept = plan.work.type === 'approval' && callback !== null && !callback.used && now < callback.expiresAt;
  if (kept) return callback;
  const drawn = createHash('sha256').update(`${nonce}.${step.name}.${attempt}`).digest('base64url');
  // A participant's time begins when it has answered, a person's with the question.
  const asksMs = plan.work.type === 'approval' ? 0 : plan.timeoutMs;
  return { salt: drawn.slice(0, SALT_CHARACTERS), attempt, expiresAt: now + asksMs + withinMs, used: false };
}

function waitOf(draft: Draft, plan: StepPlan): number | null {
  const { work } = plan;
  switch (work.type) {
    case 'call':
      if (work.later !== null) return work.later.withinMs;
      return routeOf(plan, draft.context.rules)?.answersLater === true ? LIMITS.waitMsDefault : null;
    case 'approval':
      return work.withinMs;
    case 'timer':
    case 'signal':
      return null;
  }
}

export function tokenRefOf(step: StepState, callback: CallbackState | null): TokenRef | null {
  if (callback === null) return null;
  const { salt, attempt, expiresAt } = callback;
  return { step: step.name, round: step.round, attempt, salt, expiresAt };
}

/** The step that this token is good for now; or why there is none. */
export function openTo(job: Job, token: TokenRef, now: EpochMs): Refusal | { readonly step: AskingStep } {
  if (now >= token.expiresAt) return refusedToken('EXPIRED', 'the time for this answer is over');
  const step = job.steps.find((one) => one.name === token.step);
  if (step?.callback == null || !isCurrent(step, step.callback, token)) {
    return refusedToken('STALE', 'a later attempt has a token of its own: answer with that one, or not at all');
  }
  if (step.callback.used) return refusedToken('USED', 'the answer that this token is good for was given');
  return { step: { ...step, callback: step.callback } };
}

type AskingStep = StepState & { readonly callback: CallbackState };

/** Takes the answer in; or says why not. */
export function takeCallback(draft: Draft, event: CallbackEvent): NotNow | null {
  const { token, answer } = event;
  const known = openTo(draft.job, token, draft.context.now);
  if ('status' in known) return known;
  const { step } = known;
  const approval = approvalOf(draft, step);
  if (answer === null) return heartbeat(draft, step);
  if (approval !== null) return takeDecision(draft, step, approval, readDecision(answer));
  if (step.status === 'succeeded') return refusedToken('USED', 'the operation was answered on another way');
  const result = {
    step: step.name,
    direction: 'do',
    operationId: forwardOperationId(draft.job, step),
    attempt: step.attempts,
    at: draft.context.now,
    answer,
  } as const;
  const used = setStep(draft, step, { callback: { ...step.callback, used: true } });
  const ignored = foldForward(draft, used, result);
  return ignored === null ? null : refusedToken('STALE', 'what became of this operation is settled without the answer');
}

function isCurrent(step: StepState, callback: CallbackState, token: TokenRef): boolean {
  const sameTry = token.round === step.round && token.attempt === callback.attempt;
  return sameTry && token.salt === callback.salt && token.expiresAt === callback.expiresAt;
}

function takeDecision(
  draft: Draft,
  step: AskingStep,
  work: ApprovalWork,
  said: ApprovalDecision | null,
): NotNow | null {
  if (step.status === 'succeeded' || step.status === 'failed') return refusedToken('USED', 'it was decided already');
  if (!isUndecided(step) || isStopped(draft.job))
    return refusedToken('STALE', 'nobody is asked any more: the job went another way');
  if (said === null) {
    const detail =
      '/: this is no decision: send {"decision": "approved" | "declined", "by"?: "...", "comment"?: "..."}';
    return { status: 'refused', code: 'CONTRACT_INPUT_INVALID', detail };
  }
  decideApproval(draft, step, work, said, draft.context.actor);
  return null;
}

/** The work goes on: the wait is as long again, up to the end that was set with the token. */
function heartbeat(draft: Draft, step: AskingStep): NotNow | null {
  const { callback } = step;
  const { work } = stepPlan(draft, step);
  if ((step.status !== 'waiting' && step.status !== 'dispatched') || isStopped(draft.job)) {
    return refusedToken('STALE', 'nobody waits for this operation any more');
  }
  const every = work.type === 'call' ? (work.later?.heartbeatMs ?? null) : null;
  if (step.status !== 'waiting' || every === null) return { status: 'ignored', reason: 'nothing_due' };
  setStep(draft, step, { deadlineAt: Math.min(draft.context.now + every, callback.expiresAt) });
  return null;
}

/** On its way back, or at its end: nothing that only asks is waited for any more. */
function isStopped({ state }: Job): boolean {
  return isTerminal(state) || state === 'COMPENSATING';
}

function refusedToken(which: 'STALE' | 'USED' | 'EXPIRED', detail: string): Refusal {
  return { status: 'refused', code: `ORCH_TOKEN_${which}`, detail };
}
