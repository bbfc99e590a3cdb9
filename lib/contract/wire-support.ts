/**
 * The support view as it is shown: as the opening of a job's document, and as text for a terminal at three in the
 * morning.
 */
import type { Job } from '../core/job.ts';
import type { SupportView } from '../core/support.ts';
import { isoTime, isoTimeOrNull } from './wire-time.ts';

export interface WireSupport {
  readonly state: string;
  readonly summary: string;
  readonly last_confirmed: { readonly step: string; readonly what: string; readonly at: string } | null;
  readonly pending: readonly { readonly step: string; readonly what: string; readonly until: string | null }[];
  readonly deadline_at: string;
  readonly next_action_at: string | null;
  readonly stopped_reason: string | null;
  readonly safe_actions: readonly {
    readonly action: string;
    readonly step?: string;
    readonly resolution?: string;
    readonly needs?: string;
  }[];
}

export function wireSupport(view: SupportView): WireSupport {
  const { lastConfirmed } = view;
  return {
    state: view.state,
    summary: view.summary,
    last_confirmed: lastConfirmed === null ? null : { ...lastConfirmed, at: isoTime(lastConfirmed.at) },
    pending: view.pending.map(({ step, what, until }) => ({ step, what, until: isoTimeOrNull(until) })),
    deadline_at: isoTime(view.deadlineAt),
    next_action_at: isoTimeOrNull(view.nextActionAt),
    stopped_reason: view.stoppedReason,
    safe_actions: view.safeActions.map((one) => ({ ...one, action: one.action.replaceAll('_', '-') })),
  };
}

export function supportText(job: Job, view: SupportView): string {
  const shown = wireSupport(view);
  const lines = [
    `${job.workflowType} ${job.jobId}: ${shown.state}, ${shown.summary}`,
    `last confirmed: ${shown.last_confirmed === null ? 'nothing' : `${shown.last_confirmed.step} ${shown.last_confirmed.what} at ${shown.last_confirmed.at}`}`,
    `pending:        ${listed(shown.pending.map(pendingText))}`,
    `deadline:       ${shown.deadline_at}`,
    `next action:    ${shown.next_action_at ?? 'none'}`,
    `stopped:        ${stopped(job)}`,
    `open effects:   ${listed(view.openEffects.map((effect) => `${effect.operationId} ${effect.state}`))}`,
    `safe actions:   ${listed(shown.safe_actions.map(actionText))}`,
    '',
    ...job.steps.map(
      (step) =>
        `  ${step.name.padEnd(20)} ${step.status.padEnd(20)} attempts ${step.attempts}${step.errorCode === null ? '' : `  ${step.errorCode}`}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function pendingText({ step, what, until }: WireSupport['pending'][number]): string {
  const who = what === 'person' ? `a person for ${step}` : `${what} of ${step}`;
  return until === null ? who : `${who} until ${until}`;
}

function actionText({ action, step, resolution, needs }: WireSupport['safe_actions'][number]): string {
  if (step === undefined) return action;
  if (resolution === undefined) return `${action} ${step}`;
  return `${action} ${step} as ${resolution}${needs === undefined ? '' : ` (with its ${needs})`}`;
}

function stopped(job: Job): string {
  if (job.stoppedReason === null) return 'no';
  return job.lastErrorMessage === null ? job.stoppedReason : `${job.stoppedReason} (${job.lastErrorMessage})`;
}

function listed(parts: readonly string[]): string {
  return parts.length === 0 ? 'none' : parts.join(', ');
}
