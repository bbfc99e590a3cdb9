/**
 * A person's yes or no. It is asked for once, called to mind at an interval, and decided once: with the token that was
 * brought to the person, by an operator who names job and step, or by what the definition says of silence.
 */
import type { Answer } from './answers.ts';
import { type Draft, type EntryDetails, moveJob, moveStep, setStep, stepPlan } from './draft.ts';
import { newValue, type StepState } from './job.ts';
import { isObject, type Json } from './json.ts';
import type { ApprovalWork } from './plan.ts';
import { failWait } from './wait-ends.ts';

const EXPIRED = 'LEGAL_APPROVAL_EXPIRED';
const DECLINED = 'LEGAL_APPROVAL_DECLINED';

/** The step's output. `by` is null where nobody decided and the definition speaks for them. */
export interface ApprovalDecision {
  readonly decision: 'approved' | 'declined';
  readonly by: string | null;
  readonly comment: string | null;
}

export function approvalOf(draft: Draft, step: StepState): ApprovalWork | null {
  const { work } = stepPlan(draft, step);
  return work.type === 'approval' ? work : null;
}

/** From now on a person is waited for; told outside, without the token. */
export function askForApproval(draft: Draft, step: StepState, work: ApprovalWork): void {
  setStep(draft, step, { nextAttemptAt: nextReminder(draft, step, work) });
  if (draft.job.state === 'PROCESSING') moveJob(draft, 'approval_requested', null, asked(step));
}

/** What is told stands in the entry, so that it is the same however late it is told. */
function asked({ name, deadlineAt }: StepState): EntryDetails {
  return { step: name, evidence: deadlineAt === null ? null : new Date(deadlineAt).toISOString() };
}

function nextReminder(draft: Draft, step: StepState, work: ApprovalWork): number | null {
  if (work.remindEveryMs === null) return null;
  const next = draft.context.now + work.remindEveryMs;
  return next < (step.deadlineAt ?? next) ? next : null;
}

/** However many were missed, one is told. */
export function remindOfApproval(draft: Draft, step: StepState): void {
  const work = approvalOf(draft, step);
  const due = step.nextAttemptAt !== null && step.nextAttemptAt <= draft.context.now;
  if (work === null || !due || draft.driver === null || draft.job.state !== 'PROCESSING') return;
  setStep(draft, step, { nextAttemptAt: nextReminder(draft, step, work) });
  moveJob(draft, 'approval_reminder', null, asked(step));
}

/** Nobody decided in time. */
export function expireApproval(draft: Draft, step: StepState, work: ApprovalWork): void {
  const over = closed(draft, step);
  if (work.onExpiry === 'fail') failWait(draft, over, EXPIRED, 'nobody decided in time');
  else takeDecision(draft, over, work, { decision: work.onExpiry, by: null, comment: null });
}

/** Whether there is somebody left to decide: the link may be out before we heard that it was brought. */
export function isUndecided({ status }: StepState): boolean {
  return status === 'waiting' || status === 'dispatched' || status === 'retry_scheduled';
}

/** A person has decided; `actor` is whoever took the decision in. */
export function decideApproval(
  draft: Draft,
  step: StepState,
  work: ApprovalWork,
  said: ApprovalDecision,
  actor: string,
): void {
  // Told before it is acted on: a refusal can turn the job back, or end it, in the same breath.
  const reason = `approval_decided: ${said.decision} by ${said.by ?? 'nobody'}`;
  moveJob(draft, 'approval_decided', null, { reason, actor, step: step.name, evidence: said.comment });
  takeDecision(draft, closed(draft, step), work, said);
}

/** Whoever decides, the link is good for nothing more. */
function closed(draft: Draft, step: StepState): StepState {
  return step.callback === null ? step : setStep(draft, step, { callback: { ...step.callback, used: true } });
}

function takeDecision(draft: Draft, step: StepState, work: ApprovalWork, said: ApprovalDecision): void {
  if (said.decision === 'declined' && work.onDecline === 'fail') {
    failWait(draft, step, DECLINED, said.comment ?? 'it was not approved');
    return;
  }
  const known = { lease: null, deadlineAt: null, nextAttemptAt: null, errorCode: null, errorMessage: null };
  const on = step.status === 'retry_scheduled' ? 'late_success' : 'succeeded';
  moveStep(draft, step, on, { ...known, completedAt: draft.context.now, output: newValue({ ...said }) });
}

/** Longer names and comments belong into a document that the comment names. */
const BY_CHARACTERS_MAX = 200;
const COMMENT_CHARACTERS_MAX = 500;

/** Reads what came with the token; null when it is no decision. A failure is a no. */
export function readDecision(answer: Answer): ApprovalDecision | null {
  switch (answer.kind) {
    case 'accepted':
      return null;
    case 'failure':
      return { decision: 'declined', by: null, comment: answer.message.slice(0, COMMENT_CHARACTERS_MAX) };
    case 'success': {
      const output: Json = answer.output;
      if (!isObject(output)) return null;
      const { decision, by = null, comment = null, ...rest } = output;
      const isDecision = decision === 'approved' || decision === 'declined';
      const fits = isText(by, BY_CHARACTERS_MAX) && isText(comment, COMMENT_CHARACTERS_MAX);
      return isDecision && fits && Object.keys(rest).length === 0 ? { decision, by, comment } : null;
    }
  }
}

function isText(value: Json, charactersMax: number): value is string | null {
  return value === null || (typeof value === 'string' && value.length <= charactersMax);
}
