/**
 * What every stored change of a job must keep, whoever made it and whatever was going on: told by the two documents
 * alone. Complaints are sentences, and name the rule.
 */
import { openEffects } from '../../core/effects.ts';
import { type Job, lastEntry } from '../../core/job.ts';
import { LIMITS } from '../../core/limits.ts';
import type { WorkflowPlan } from '../../core/plan.ts';
import { isTerminal, type StepStatus } from '../../core/states.ts';
import { brokenHistory, isReachable } from './table-rules.ts';

export function brokenByChange(before: Job | null, after: Job, plan: WorkflowPlan | undefined): string[] {
  const id = after.jobId.slice(0, 6);
  const found = brokenState(after);
  const endsNow = isTerminal(after.state) && (before === null || !isTerminal(before.state));
  if (endsNow && plan !== undefined) found.push(...cleanEnd(after, plan));
  if (before === null) found.push(...created(after));
  else
    found.push(
      ...when(after.revision !== before.revision + 1, `I7 follows revision ${before.revision}`),
      ...brokenSince(before, after),
      ...steps(before, after),
    );
  return found.map((rule) => `${id} revision ${after.revision}: ${rule}`);
}

/** What holds of a job at any time, by itself. */
export function brokenState(job: Job): string[] {
  return [...filed(job), ...leases(job), ...ended(job)];
}

/** What holds between any two moments of a job, however much happened between them. */
export function brokenSince(before: Job, after: Job): string[] {
  return [...brokenHistory(before, after), ...fixed(before, after), ...ends(before, after)];
}

export const when = (broken: boolean, rule: string): string[] => (broken ? [rule] : []);

function created(job: Job): string[] {
  return when(job.state !== 'PENDING' && job.state !== 'DEAD_LETTERED', `I6 begins as ${job.state}`);
}

const FIXED = [
  'schema',
  'correlationId',
  'idempotencyKey',
  'inputFingerprint',
  'callerId',
  'source',
  'workflowType',
  'workflowVersion',
  'createdAt',
] as const satisfies readonly (keyof Job)[];

function fixed(before: Job, after: Job): string[] {
  const changed = FIXED.filter((member) => before[member] !== after[member]);
  return [
    ...changed.map((member) => `I9 ${member} changed`),
    ...when(after.updatedAt < before.updatedAt, 'I6 looks older than before'),
    ...when(after.steps.length !== before.steps.length, 'I6 has other steps'),
  ];
}

function ends(before: Job, after: Job): string[] {
  if (!isTerminal(before.state)) return [];
  return [
    ...when(after.state !== before.state, `I5 left its end ${before.state} for ${after.state}`),
    ...when(after.outcome !== before.outcome, `I5 its outcome was ${before.outcome} and is ${after.outcome}`),
  ];
}

function ended(job: Job): string[] {
  if (!isTerminal(job.state)) return [];
  return [
    ...when(job.outcome === null, 'I2 has ended and has no outcome'),
    ...when((job.outcome === 'succeeded') !== (job.state === 'COMPLETED'), 'I2 only what completed has succeeded'),
  ];
}

/** Clean means that nothing is open; and what is not clean ends only when a person says so. */
function cleanEnd(job: Job, plan: WorkflowPlan): string[] {
  const open = openEffects(job, plan);
  const forced = job.history.some(({ reason }) => reason.startsWith('force_close'));
  return [
    ...when(job.outcome === 'rolled_back' && open.length > 0, `I2 ends clean and leaves ${open[0]?.operationId}`),
    ...when(job.outcome === 'partially_rolled_back' && !forced, 'I2 ends with effects left, and no person said so'),
  ];
}

function filed(job: Job): string[] {
  const { bucket, nextActionAt } = job;
  return [
    ...when(
      isTerminal(job.state) !== (nextActionAt === null),
      'I1 a next action is for the living, and for all of them',
    ),
    ...when(nextActionAt !== null && (bucket === null || bucket > nextActionAt), 'I1 filed later than it is due'),
    ...when(bucket !== null && bucket % LIMITS.bucketMs !== 0, 'I1 filed where no bucket begins'),
  ];
}

function leases(job: Job): string[] {
  return job.steps.flatMap((step) => [
    ...when(
      step.lease !== null && step.status !== 'dispatched' && step.status !== 'reconciling',
      `I11 ${step.name} is ${step.status} under a lease`,
    ),
    ...when(
      (step.undo?.lease ?? null) !== null && step.status !== 'compensating',
      `I11 ${step.name} is ${step.status} under the lease of its undo`,
    ),
    ...when(step.status === 'unknown' && !step.mayHaveApplied, `I2 ${step.name} is unknown, and surely did not apply`),
  ]);
}

/** What takes a doubt away: a word about the operation itself, or a person, or a job that undid it afterwards. */
const SETTLED: readonly StepStatus[] = ['succeeded', 'compensating', 'compensated', 'failed'];

function steps(before: Job, after: Job): string[] {
  // What a person did may be followed, in the same write, by what it leads to.
  const byPerson = after.history.some(({ seq, actor }) => seq > lastEntry(before).seq && actor.startsWith('operator:'));
  const undone = after.lineage.undoneBy !== before.lineage.undoneBy;
  return after.steps.flatMap((step, index) => {
    const was = before.steps[index];
    if (was === undefined || was.round !== step.round) return [];
    return [
      ...when(!isReachable(was.status, step.status), `I6 ${step.name}: no way from ${was.status} to ${step.status}`),
      ...when(step.attempts < was.attempts, `I3 ${step.name}: attempts went from ${was.attempts} to ${step.attempts}`),
      ...when(
        was.mayHaveApplied && !step.mayHaveApplied && !SETTLED.includes(step.status) && !byPerson && !undone,
        `I2 ${step.name}: a doubt vanished`,
      ),
    ];
  });
}
