/**
 * What every stored change of a job must keep, whoever made it and whatever was going on: told by the two documents
 * alone. Complaints are sentences, and name the rule.
 */
import { openEffects } from '../../core/effects.ts';
import { type Job, lastEntry, type StepState } from '../../core/job.ts';
import { LIMITS } from '../../core/limits.ts';
import type { WorkflowPlan } from '../../core/plan.ts';
import { isTerminal, type StepStatus } from '../../core/states.ts';
import { STEP_TRANSITIONS } from '../../core/step-transitions.ts';
import { JOB_TRANSITIONS } from '../../core/transitions.ts';

export function brokenByChange(before: Job | null, after: Job, plan: WorkflowPlan | undefined): string[] {
  const id = after.jobId.slice(0, 6);
  const found = [...filed(after), ...leases(after), ...ended(after)];
  const endsNow = isTerminal(after.state) && (before === null || !isTerminal(before.state));
  if (endsNow && plan !== undefined) found.push(...cleanEnd(after, plan));
  if (before === null) found.push(...created(after));
  else
    found.push(...history(before, after), ...identity(before, after), ...ends(before, after), ...steps(before, after));
  return found.map((rule) => `${id} revision ${after.revision}: ${rule}`);
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

function identity(before: Job, after: Job): string[] {
  const changed = FIXED.filter((member) => before[member] !== after[member]);
  return [
    ...when(after.revision !== before.revision + 1, `I7 follows revision ${before.revision}`),
    ...changed.map((member) => `I9 ${member} changed`),
    ...when(after.updatedAt < before.updatedAt, 'I6 looks older than before'),
    ...when(after.steps.length !== before.steps.length, 'I6 has other steps'),
  ];
}

const EDGES = new Set(JOB_TRANSITIONS.map(({ from, to }) => `${from} ${to}`));

function history(before: Job, after: Job): string[] {
  const first = after.history[0]?.seq ?? 0;
  const kept = before.history.filter(({ seq }) => seq >= first);
  const found: string[] = [];
  for (const [index, entry] of kept.entries()) {
    const now = after.history[index];
    if (now?.mark !== entry.mark || now.seq !== entry.seq || now.to !== entry.to)
      found.push('I6 history was rewritten');
  }
  let last = lastEntry(before);
  for (const entry of after.history.slice(kept.length)) {
    if (entry.seq !== last.seq + 1 || entry.from !== last.to) found.push(`I6 entry ${entry.seq} does not follow`);
    if (!EDGES.has(`${entry.from} ${entry.to}`)) found.push(`I6 ${entry.from} → ${entry.to} is not in the table`);
    if (entry.reason === '') found.push('I6 an entry without a reason');
    last = entry;
  }
  return [
    ...found,
    ...when(last.to !== after.state, `I6 is ${after.state}, and its history says ${last.to}`),
    ...when(after.publishedSeq < before.publishedSeq, 'I8 unpublished what was published'),
    ...when(
      before.history.some(({ seq }) => seq < first && seq > after.publishedSeq),
      'I8 lost entries before they were published',
    ),
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

/** One change may take several edges; there must be a way through the table. */
const REACHABLE = reachable();

function reachable(): Map<StepStatus, ReadonlySet<StepStatus>> {
  const map = new Map<StepStatus, ReadonlySet<StepStatus>>();
  const from = (status: StepStatus): ReadonlySet<StepStatus> => map.get(status) ?? new Set([status]);
  const edges = STEP_TRANSITIONS.filter(({ on }) => on !== 'new_round');
  for (let turns = 0; turns < 12; turns += 1) {
    for (const { from: at, to } of edges) map.set(at, new Set([...from(at), ...from(to)]));
  }
  return map;
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
      ...when(!isReachable(was, step), `I6 ${step.name}: no way from ${was.status} to ${step.status}`),
      ...when(step.attempts < was.attempts, `I3 ${step.name}: attempts went from ${was.attempts} to ${step.attempts}`),
      ...when(
        was.mayHaveApplied && !step.mayHaveApplied && !SETTLED.includes(step.status) && !byPerson && !undone,
        `I2 ${step.name}: a doubt vanished`,
      ),
    ];
  });
}

function isReachable(was: StepState, is: StepState): boolean {
  return was.status === is.status || (REACHABLE.get(was.status)?.has(is.status) ?? false);
}
