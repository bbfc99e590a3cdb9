/** What an action is about to do, from the job as it stands: shown before anybody agrees. */
import type { Job } from '../client/index.ts';
import type { Screen } from './io.ts';
import { effectTable, headline, section, stepTable } from './job-view.ts';
import { fields } from './table.ts';
import { clean } from './text.ts';

export type ActionName = 'cancel' | 'retry-compensation' | 'resolve' | 'close' | 'force-close';

export interface ResolutionSaid {
  readonly step: string;
  readonly as: string;
}

export function preview(screen: Screen, job: Job, action: ActionName, said?: ResolutionSaid): string {
  return [
    headline(screen, job),
    fields(screen, [
      ['stands', job.support?.summary ?? ''],
      ['stopped', job.stopped_reason ?? ''],
    ]),
    stepTable(screen, job.steps),
    section(screen, 'effects that are, or may be, applied', effectTable(screen, job.open_effects)),
    `\n${clean(CONSEQUENCES[action](job, said))}\n`,
    isOffered(job, action, said) ? '' : 'As the job stands now, this will be refused.\n',
  ].join('');
}

/** Force-close is never among the safe actions, since it leaves effects behind; a job that has ended takes nothing. */
function isOffered({ support, next_action_at }: Job, action: ActionName, said: ResolutionSaid | undefined): boolean {
  if (action === 'force-close') return next_action_at !== null;
  const offered = support?.safe_actions.filter((one) => one.action === action) ?? [];
  return offered.some(({ step, resolution }) => step === undefined || (step === said?.step && resolution === said.as));
}

const CONSEQUENCES: Readonly<Record<ActionName, (job: Job, said: ResolutionSaid | undefined) => string>> = {
  cancel: ({ open_effects }) =>
    open_effects.length === 0
      ? 'Cancel ends the job. It cannot be sent on afterwards.'
      : `Cancel turns the job back: ${effects(open_effects.length)} will be undone. It cannot be sent on afterwards.`,
  'retry-compensation': ({ open_effects }) =>
    `The undo of ${effects(open_effects.length)} is called again. There is no way forward after that.`,
  resolve: (_job, said) =>
    `From now on dacapo takes the effect of ${said?.step} for ${MEANINGS[said?.as ?? ''] ?? said?.as}.`,
  close: () => 'Close ends the job for good: failed, or cancelled if that was asked for, and rolled back.',
  'force-close': ({ open_effects }) =>
    open_effects.length === 0
      ? 'Force-close ends the job for good. Nothing is left behind.'
      : `Force-close ends the job for good and LEAVES ${effects(open_effects.length).toUpperCase()} BEHIND, undone by nobody.`,
};

const MEANINGS: Readonly<Record<string, string>> = {
  applied: 'applied, and does not ask the participant',
  not_applied: 'not applied, and does not ask the participant',
  compensated: 'undone, and does not ask the participant',
};

function effects(count: number): string {
  return count === 1 ? 'one effect' : `${count} effects`;
}
