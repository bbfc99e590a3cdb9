/**
 * Moves a job to another version of its definition. Invariant: what has begun keeps its meaning. A step that is under
 * way (called, waiting, in doubt, being undone) must be the same in both versions, to the letter of its mappers: its
 * operation goes on under the same id, and a participant refuses the same id with another body. A settled step must
 * still be there and be undone by the same topics. Only what nobody has begun may come, go or change.
 */
import { type Draft, moveJob, moveStep } from './draft.ts';
import type { JobEvent } from './events.ts';
import { dataOf, newStep, type StepState } from './job.ts';
import { hasUndo, type StepPlan, type WorkflowPlan } from './plan.ts';
import { isRecovery } from './recovery.ts';
import { type Refusal, refused, refuseStale } from './refusal.ts';
import { isTerminal } from './states.ts';

export type MigrateEvent = Extract<JobEvent, { type: 'migrate' }>;

/**
 * Moves, or says why not; null when done.
 * @param draft under the new version's plan
 * @param from the plan of the version that the job has now
 */
export function migrateJob(draft: Draft, from: WorkflowPlan, event: MigrateEvent): Refusal | null {
  const { job, plan: to } = draft;
  const stale = refuseStale(job, event.expectedRevision);
  if (stale !== null) return stale;
  const why = whyNot(draft, from, to);
  if (why !== null) return refused(why);
  const reason = `from version ${from.version} to ${to.version}: ${event.reason}`;
  moveJob(draft, 'operator_migrate', null, { reason, actor: event.actor });
  job.workflowVersion = to.version;
  const kept = new Map(job.steps.map((step) => [step.name, step]));
  job.steps = to.steps.map(({ name }) => kept.get(name) ?? newStep(name));
  // Nothing new is begun by a job that goes back.
  if (job.turnBack !== null) {
    for (const step of job.steps) if (!kept.has(step.name)) moveStep(draft, step, 'left_out');
  }
  return null;
}

function whyNot({ job }: Draft, from: WorkflowPlan, to: WorkflowPlan): string | null {
  if (isTerminal(job.state)) return `the job has ended as ${job.state}: it stays what it was`;
  if (isRecovery(job)) return 'a recovery job undoes one effect by the rules it was made with, and ends by itself';
  const input = to.checkInput(dataOf(job.input));
  if (!input.ok)
    return `its input does not fit version ${to.version}: ${input.errors.map(({ path }) => path).join(', ')}`;
  const begun = job.steps.filter(isBegun);
  for (const step of begun) {
    const why = whyNotStep(step, from, to);
    if (why !== null) return why;
  }
  const missing = job.past.find((one) => !to.steps.some(({ name }) => name === one.step));
  if (missing !== undefined) return `version ${to.version} has no step ${missing.step}, which an earlier round had run`;
  return outOfOrder(begun, to);
}

/** Something of it has happened, or may have. */
function isBegun(step: StepState): boolean {
  return step.attempts > 0 || (step.status !== 'pending' && step.status !== 'skipped');
}

function whyNotStep(step: StepState, from: WorkflowPlan, to: WorkflowPlan): string | null {
  const before = from.steps.find(({ name }) => name === step.name);
  const after = to.steps.find(({ name }) => name === step.name);
  if (before === undefined || after === undefined)
    return `version ${to.version} has no step ${step.name}, which is ${step.status}`;
  if (!isSettled(step)) {
    const print = from.parts?.[`step ${step.name}`];
    const same = print !== undefined && print === to.parts?.[`step ${step.name}`];
    return same
      ? null
      : `${step.name} is ${step.status} and differs in version ${to.version}: wait until it has settled`;
  }
  if (before.kind !== after.kind)
    return `${step.name} is done as ${before.kind}; in version ${to.version} it is ${after.kind}`;
  return undoTopics(before).every((topic) => undoTopics(after).includes(topic))
    ? null
    : `${step.name} is done, and version ${to.version} undoes it by other topics`;
}

/** Nothing more is called for it but an undo that has not begun. */
function isSettled({ status, mayHaveApplied }: StepState): boolean {
  return status === 'succeeded' || status === 'compensated' || (status === 'failed' && !mayHaveApplied);
}

function undoTopics(step: StepPlan): readonly string[] {
  return hasUndo(step) ? step.undo.topics : [];
}

/** A step that has not begun must not stand in a stage before one that has: its turn would be over. */
function outOfOrder(begun: readonly StepState[], to: WorkflowPlan): string | null {
  const stageOf = (name: string): number => to.steps.find((step) => step.name === name)?.stage ?? 0;
  const reached = Math.max(0, ...begun.map(({ name }) => stageOf(name)));
  const names = new Set(begun.map(({ name }) => name));
  const early = to.steps.find(({ name, stage }) => stage < reached && !names.has(name));
  return early === undefined ? null : `version ${to.version} has step ${early.name} before one that has begun`;
}
