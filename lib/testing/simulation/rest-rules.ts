/**
 * What must hold once nothing moves any more: every job has ended or waits for a person, it says what it has left in
 * the world and that is so, everybody who had to hear of it has, and nothing lies about.
 */
import { openEffects, routeOf } from '../../core/effects.ts';
import { deadLetterIdOf } from '../../core/ids.ts';
import { forwardOperationId, type HistoryEntry, type Job, lastEntry, undoneOperationId } from '../../core/job.ts';
import { consequencesOf } from '../../core/outbox.ts';
import { hasUndo, type WorkflowPlan } from '../../core/plan.ts';
import { isPoison } from '../../core/poison-job.ts';
import { isRecovery, recoveriesOf } from '../../core/recovery.ts';
import { isTerminal } from '../../core/states.ts';
import { contextOf, planFor } from '../../operations/engine.ts';
import { readJob } from '../../operations/inspect.ts';
import { wholeHistory } from '../../operations/whole-history.ts';
import { when } from './change-rules.ts';
import type { Effect } from './ledger.ts';
import { WORLD_START, type World } from './world.ts';

export async function brokenAtRest(world: World, effects: readonly Effect[]): Promise<string[]> {
  const found: string[] = [];
  for (const job of world.jobs.values()) {
    const plan = planFor(world.plans, job);
    if (plan === undefined || isPoison(job)) continue;
    const history = await wholeHistory(world.onlooker, job);
    const rules = [
      ...rest(job),
      ...needless(world, job, plan),
      ...whole(job, history),
      ...claims(job, plan, effects),
      ...followed(world, job, plan),
      ...(await news(world, job, plan, history)),
      ...(await seenBy(world, job)),
    ];
    found.push(...rules.map((rule) => `${job.jobId.slice(0, 6)} ${job.state}: ${rule}`));
  }
  return [...found, ...mailRules(world), ...costs(world)];
}

/** Several times what the unluckiest of many runs needed: a job beyond it goes on and on. */
const CALLS_PER_JOB_MAX = 1_500;
/** Whoever waits for a person is brought to mind each day; where half of the functions do not know it, several times. */
const CALLS_PER_DAY_MAX = 40;

function costs({ record, time }: World): string[] {
  const days = (time.now() - WORLD_START) / 86_400_000;
  const most = CALLS_PER_JOB_MAX + CALLS_PER_DAY_MAX * days;
  const costly = [...record.callsPerJob].filter(([jobId, calls]) => jobId !== '' && calls > most);
  return costly.map(([jobId, calls]) => `I14 ${jobId} took ${calls} calls`);
}

function rest(job: Job): string[] {
  const ended = isTerminal(job.state);
  const leases = job.steps.flatMap((step) => [step.lease, step.undo?.lease ?? null]).filter((lease) => lease !== null);
  return [
    ...when(!ended && job.state !== 'NEEDS_REVIEW', 'I1 is at rest and neither ended nor waits for a person'),
    ...when(!ended && job.stoppedReason === null, 'I1 waits for a person and does not say why'),
    ...when(job.publishedSeq !== lastEntry(job).seq, 'I8 has not told all its news'),
    ...when(ended && job.bucket !== null, 'I11 has ended and stays in the index'),
    ...when(leases.length > 0, 'I11 is at rest under a lease'),
  ];
}

/** Who fences can be asked to undo what nobody knows of; no person is needed for that. */
function needless({ rules }: World, job: Job, plan: WorkflowPlan): string[] {
  if (job.state !== 'NEEDS_REVIEW' || job.turnBack === null) return [];
  return plan.steps.flatMap((step) => {
    const state = job.steps.find(({ name }) => name === step.name);
    const fences = routeOf(step, rules)?.fencing === true;
    const undoable = hasUndo(step) && fences && state?.status === 'unknown';
    return when(undoable, `I10 waits for a person about ${step.name}, which could be undone`);
  });
}

function whole(job: Job, history: readonly HistoryEntry[]): string[] {
  const gap = history.some((entry, index) => entry.seq !== index || entry.from !== (history[index - 1]?.to ?? null));
  return [
    ...when(gap, 'I6 history has a gap'),
    ...when(history.at(-1)?.to !== job.state, 'I6 history says otherwise'),
    ...when(history.filter(({ from }) => from === null).length !== 1, 'I6 began more than once'),
  ];
}

/** I2, I4: what stands at participants that keep their promises is what the job says. */
function claims(job: Job, plan: WorkflowPlan, effects: readonly Effect[]): string[] {
  const own = effects.filter((effect) => effect.kind !== 'sloppy' && operationOf(effect, job));
  const open = new Set(openEffects(job, plan).map((effect) => effect.operationId));
  const kept = new Set<string>(job.state === 'COMPLETED' ? job.steps.map((step) => forwardOperationId(job, step)) : []);
  const harmless = new Set<string>(job.steps.filter((step) => isHarmless(plan, step.name)).map((step) => step.name));
  return [
    ...own.flatMap(({ operationId, standing, kind }) => [
      ...when(standing > 1, `I4 ${operationId} stands ${standing} times at a ${kind} participant`),
      ...when(
        standing > 0 && !open.has(operationId) && !kept.has(operationId) && !harmless.has(stepIn(operationId)),
        `I2 ${operationId} stands at a ${kind} participant, and the job (${job.outcome}) does not say so`,
      ),
    ]),
    ...[...kept].flatMap((operationId) => missing(job, plan, operationId, effects)),
    ...when(job.outcome === 'rolled_back' && !isTerminal(job.state), 'I2 is rolled back and has not ended'),
  ];
}

function operationOf({ operationId }: Effect, job: Job): boolean {
  return operationId.startsWith(`${job.jobId}.`) && !/^r\d+\./.test(operationId.slice(job.jobId.length + 1));
}

function stepIn(operationId: string): string {
  const parts = operationId.split('.');
  return /^r\d+$/.test(parts[1] ?? '') ? (parts[2] ?? '') : (parts[1] ?? '');
}

/** Nothing that changes anything, or that says why it need not be taken back. */
function isHarmless(plan: WorkflowPlan, name: string): boolean {
  const step = plan.steps.find((one) => one.name === name);
  return step?.kind === 'readOnly' || (step?.kind === 'compensatable' && step.undo !== null && 'none' in step.undo);
}

function missing(job: Job, plan: WorkflowPlan, operationId: string, effects: readonly Effect[]): string[] {
  const step = job.steps.find((one) => forwardOperationId(job, one) === operationId);
  const kind = plan.steps.find((one) => one.name === step?.name)?.kind;
  const resolved = job.history.some(({ reason }) => reason.startsWith(`resolve: ${step?.name} applied`));
  if (step?.status !== 'succeeded' || kind === 'readOnly' || resolved) return [];
  const about = undoneOperationId(job);
  const effect = effects.find((one) => one.operationId === (about ?? operationId));
  if (effect?.byHand) return [];
  if (about !== null)
    return when((effect?.standing ?? 0) > 0 && effect?.kind !== 'sloppy', `I2 undid ${about}, which stands`);
  return when(
    (effect?.applied ?? 0) === 0 || (effect?.kind !== 'sloppy' && effect?.standing === 0),
    `I2 completed without ${operationId}`,
  );
}

/** What came to light late has a job of its own that undoes it. */
function followed({ jobs, onlooker }: World, job: Job, plan: WorkflowPlan): string[] {
  if (isRecovery(job)) return [];
  return recoveriesOf(job, plan, contextOf(onlooker)).flatMap((submission) => {
    const recovery = jobs.get(submission.jobId);
    return [
      ...when(recovery === undefined, `I10 left ${submission.note}, and nobody does`),
      ...when(recovery?.state === 'COMPLETED', `I10 lists an effect that ${submission.jobId} has undone`),
    ];
  });
}

/** I8, I15: every entry that is news is told, under the id that follows from it, and nothing else is. */
async function news(world: World, job: Job, plan: WorkflowPlan, history: readonly HistoryEntry[]): Promise<string[]> {
  const published = world.bus.published.filter(
    ({ eventId }) => eventId.startsWith(`${job.jobId}.`) && !/^\.r\d+\./.test(eventId.slice(job.jobId.length)),
  );
  const told = new Map(published.map((event) => [event.eventId, event.detailType]));
  const due = consequencesOf(job, history, -1);
  const wanted = new Map<string, string>(
    due.flatMap(({ entry, outcome, review, deadLetter, approval }) => [
      ...(approval === null ? [] : [[`${job.jobId}.${entry.seq}.approval`, `job.approval_${approval}`] as const]),
      ...(outcome === null ? [] : [[`${job.jobId}.${entry.seq}.outcome`, plan.events[outcome]] as const]),
      ...(review ? [[`${job.jobId}.${entry.seq}.review`, 'job.needs_review'] as const] : []),
      ...(deadLetter ? [[`${job.jobId}.${entry.seq}.dead`, 'job.dead_lettered'] as const] : []),
    ]),
  );
  const record = await world.stores.deadLetters.get(deadLetterIdOf(job.jobId));
  const audited = await world.stores.audit.list({ jobId: job.jobId, actor: null, limit: 1_000, after: null });
  const listed = new Set(audited.items.map(({ auditId }) => auditId));
  const completed = [...told.values()].filter((type) => type === plan.events.completed).length;
  return [
    ...[...wanted].filter(([id, type]) => told.get(id) !== type).map(([id, type]) => `I8 ${type} ${id} was not told`),
    ...[...told].filter(([id]) => !wanted.has(id)).map(([id, type]) => `I8 ${type} ${id} was told and is not so`),
    ...when(
      completed !== (job.state === 'COMPLETED' && !isRecovery(job) ? 1 : 0),
      `I8 completion was told ${completed} times`,
    ),
    ...when(
      (record !== null) !== due.some((one) => one.record),
      `I8 a dead letter is ${record === null ? 'missing' : 'there'}`,
    ),
    ...when(record === null && job.state === 'DEAD_LETTERED', 'I8 is dead-lettered without a record'),
    ...due
      .filter((one) => one.audit && !listed.has(`${job.jobId}.${one.entry.seq}`))
      .map(({ entry }) => `I15 nobody is told of ${entry.reason}`),
  ];
}

/** I13: whoever it does not belong to finds nothing there. */
async function seenBy({ onlooker }: World, { jobId }: Job): Promise<string[]> {
  const stranger = { callerId: 'stranger', role: 'submitter' } as const;
  return when((await readJob(onlooker, stranger, jobId)) !== null, 'I13 is seen by a stranger');
}

/** I12: what was sent was removed, given up on, or lost by a fault; nothing is left. */
function mailRules({ mail }: World): string[] {
  const { sent, lost, removed, died } = mail.counts;
  return when(
    sent !== lost + removed + died,
    `I12 of ${sent} messages ${removed} were dealt with, ${died} given up on, ${lost} lost`,
  );
}
