/**
 * What a person needs to know about a job before anything else: where it stands, what is certain, what is pending and
 * until when, why it stopped, and what they can safely do. Answered by the same guards that would decide on the act.
 */
import { decide } from './decide.ts';
import { type OpenEffect, openEffects, owesUndo, planOf } from './effects.ts';
import type { Context, JobEvent, OperatorAct, Resolution } from './events.ts';
import type { EpochMs } from './ids.ts';
import type { Job, StepState } from './job.ts';
import type { WorkflowPlan } from './plan.ts';
import { isPoison } from './poison-job.ts';
import { isTerminal, type JobState } from './states.ts';

export interface PendingWork {
  readonly step: string;
  readonly what: 'call' | 'retry' | 'query' | 'undo' | 'result' | 'person' | 'timer' | 'signal' | 'approval';
  readonly until: EpochMs | null;
}

export interface SafeAction {
  readonly action: 'cancel' | OperatorAct['action'];
  /** For resolve: which step, and what may be said of it. */
  readonly step?: string;
  readonly resolution?: Resolution;
  /** What has to be said with it. */
  readonly needs?: 'output';
}

export interface SupportView {
  readonly state: JobState;
  readonly summary: string;
  readonly lastConfirmed: { readonly step: string; readonly what: 'succeeded' | 'undone'; readonly at: EpochMs } | null;
  readonly pending: readonly PendingWork[];
  readonly deadlineAt: EpochMs;
  readonly nextActionAt: EpochMs | null;
  readonly stoppedReason: string | null;
  readonly openEffects: readonly OpenEffect[];
  readonly safeActions: readonly SafeAction[];
}

/** @param plan undefined when this code does not have the job's version: then nobody here can say what it may do */
export function supportView(job: Job, plan: WorkflowPlan | undefined, context: Context): SupportView {
  const open = plan === undefined ? [] : openEffects(job, plan);
  return {
    state: job.state,
    summary: plan === undefined ? unknownVersion(job) : summaryOf(job, open),
    lastConfirmed: lastConfirmed(job),
    pending: isTerminal(job.state) ? [] : job.steps.flatMap((step) => pendingOf(job, step, plan)),
    deadlineAt: job.deadlineAt,
    nextActionAt: job.nextActionAt,
    stoppedReason: job.stoppedReason,
    openEffects: open,
    safeActions: plan === undefined ? [] : safeActions(job, plan, context),
  };
}

function unknownVersion({ state, workflowType, workflowVersion }: Job): string {
  const what = `this deployment does not have version ${workflowVersion} of ${workflowType}`;
  return isTerminal(state) ? `ended; ${what}` : `stands still: ${what}, deploy it again`;
}

const SUMMARIES: Readonly<Record<JobState, string>> = {
  PENDING: 'accepted and stored; its first run has not begun',
  VALIDATING: 'its input and routes are being checked',
  PROCESSING: 'steps are being called, or their answers waited for',
  RETRY_SCHEDULED: 'waits to try again, nothing is in flight',
  COMPENSATING: 'is being taken back; every effect is undone in turn',
  NEEDS_REVIEW: 'cannot go on by itself: a person has to settle what is open',
  COMPLETED: 'every step succeeded',
  CANCELLED: 'was stopped on request, and everything it did is undone',
  FAILED: 'failed, and everything it did is undone',
  DEAD_LETTERED: 'failed, everything it did is undone, and it is quarantined: a person replays or discards it',
};

function summaryOf(job: Job, open: readonly OpenEffect[]): string {
  if (isPoison(job)) return 'came as a message that cannot become a job: a person replays it corrected, or discards it';
  if (!isTerminal(job.state) || open.length === 0) return SUMMARIES[job.state];
  return `ended, and ${open.length} effect(s) may still be applied: see open_effects`;
}

function lastConfirmed(job: Job): SupportView['lastConfirmed'] {
  let last: SupportView['lastConfirmed'] = null;
  for (const step of job.steps) {
    const undoneAt = step.undo?.compensatedAt ?? null;
    const at = undoneAt ?? step.completedAt;
    if (at !== null && (last === null || at >= last.at)) {
      last = { step: step.name, what: undoneAt === null ? 'succeeded' : 'undone', at };
    }
  }
  return last;
}

function pendingOf(job: Job, step: StepState, plan: WorkflowPlan | undefined): PendingWork[] {
  const owes = job.state === 'COMPENSATING' && plan !== undefined && owesUndo(step, planOf(plan, step.name));
  if (owes && step.settleBy !== 'query') return [{ step: step.name, what: 'undo', until: step.nextAttemptAt }];
  switch (step.status) {
    case 'dispatched':
      return [{ step: step.name, what: 'call', until: step.lease?.until ?? null }];
    case 'retry_scheduled':
      return [{ step: step.name, what: 'retry', until: step.nextAttemptAt }];
    case 'waiting':
      return [{ step: step.name, what: awaited(step, plan), until: step.deadlineAt }];
    case 'reconciling':
      return [{ step: step.name, what: 'query', until: step.lease?.until ?? null }];
    case 'unknown':
      return [{ step: step.name, what: settling(job, step), until: step.nextAttemptAt }];
    case 'compensating':
      return [{ step: step.name, what: 'undo', until: step.undo?.lease?.until ?? step.undo?.nextAttemptAt ?? null }];
    case 'compensation_failed':
      return [{ step: step.name, what: 'person', until: null }];
    case 'pending':
    case 'skipped':
    case 'succeeded':
    case 'failed':
    case 'compensated':
      return [];
  }
}

function awaited(step: StepState, plan: WorkflowPlan | undefined): PendingWork['what'] {
  const type = plan === undefined ? 'call' : planOf(plan, step.name).work.type;
  return type === 'timer' || type === 'signal' || type === 'approval' ? type : 'result';
}

/** How an unknown step will be settled. */
function settling({ state }: Job, { settleBy }: StepState): PendingWork['what'] {
  if (state === 'NEEDS_REVIEW' || settleBy === null || settleBy === 'review') return 'person';
  return settleBy;
}

/** Every action that would be granted now. `force_close` is left out: it leaves effects behind, so it is never safe. */
function safeActions(job: Job, plan: WorkflowPlan, context: Context): SafeAction[] {
  const answer = (event: JobEvent) => decide(job, event, plan, context);
  const granted = (event: JobEvent): boolean => answer(event).status === 'changed';
  const person = { actor: 'operator:anyone', reason: 'asked', expectedRevision: null } as const;
  const asked = (act: OperatorAct) => answer({ type: 'operate', ...person, evidence: null, act });
  const plain = (['resume', 'retry_compensation', 'close'] as const).filter(
    (action) => asked({ action }).status === 'changed',
  );
  const resolutions = job.steps.flatMap(({ name: step }) =>
    (['applied', 'not_applied', 'compensated'] as const).flatMap((resolution): SafeAction[] => {
      const told = asked({ action: 'resolve', step, resolution, output: undefined });
      if (told.status === 'changed') return [{ action: 'resolve', step, resolution }];
      return told.status === 'refused' && told.needs
        ? [{ action: 'resolve', step, resolution, needs: told.needs }]
        : [];
    }),
  );
  return [
    ...(granted({ type: 'cancel', ...person }) ? [{ action: 'cancel' } as const] : []),
    ...plain.map((action) => ({ action })),
    ...job.steps
      .filter(({ name: step }) => asked({ action: 'approve', step, decision: 'approved' }).status === 'changed')
      .map(({ name: step }) => ({ action: 'approve', step }) as const),
    ...resolutions,
  ];
}
