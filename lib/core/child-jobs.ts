/**
 * The jobs that children are: what has to be submitted for each, and by which definition it runs. A call of a fan-out is
 * a job of one step, planned by its parent's definition as a recovery job is by that of the job it repairs.
 */
import { undoRequest } from './calls.ts';
import { succeededChildren, type WithChildren, workOf } from './child-set.ts';
import { draftOf, mappingContext } from './draft.ts';
import { planOf, undoOrder } from './effects.ts';
import type { Context } from './events.ts';
import { childIdOf, operationIdOf, undoJobIdOf } from './ids.ts';
import { type Job, operationOf, type StepState } from './job.ts';
import { fingerprint, type Json } from './json.ts';
import { LIMITS } from './limits.ts';
import type { Submission } from './new-job.ts';
import { hasUndo, type StepPlan, type WorkflowPlan } from './plan.ts';
import { recoveryStep, undoneAgain } from './recovery.ts';
import type { Lineage, Undoes, UndoesChildren } from './relations.ts';

const callPlans = new WeakMap<StepPlan, WorkflowPlan>();

/** The definition of a child that is one call: that step alone, under the rules of the whole. */
export function callPlan(plan: WorkflowPlan, step: StepPlan): WorkflowPlan | undefined {
  const { work } = step;
  if (work.type !== 'children' || work.child.kind !== 'call') return undefined;
  const made = callPlans.get(step) ?? {
    ...plan,
    steps: [work.child.call],
    stages: 1,
    recovery: null,
    concurrentUndo: false,
    quarantine: 'default',
    sagaRetry: null,
    onFailed: 'return',
    checkInput: (input) => ({ ok: true, value: input }),
    output: () => null,
  };
  callPlans.set(step, made);
  return made;
}

/** What each child of a step is sent. Mappers are pure, so a driver that comes later sees the same. */
export function inputsOf(parent: Job, plan: WorkflowPlan, step: StepState, context: Context): readonly Json[] {
  const stepPlan = planOf(plan, step.name);
  return workOf(stepPlan).items(mappingContext(draftOf(parent, plan, context, null), stepPlan.stage));
}

/** What all children of a step have in common, and then each its own. */
export function childSubmission(
  parent: Job,
  plan: WorkflowPlan,
  step: WithChildren,
  index: number,
  input: Json,
  context: Context,
): Submission {
  const { child, concurrency } = workOf(planOf(plan, step.name));
  const { jobId, correlationId, callerId, trace, deadlineAt } = parent;
  const keepUntil = parent.lineage.child?.keepUntil ?? deadlineAt + plan.undoDeadlineMs;
  const place = { step: step.name, round: step.round, index, keepUntil };
  const kind = child.kind === 'call' ? { call: true as const } : {};
  const held = index < concurrency ? {} : { held: true as const };
  return {
    jobId: childIdOf(jobId, step.name, step.round, index),
    correlationId,
    idempotencyKey: `${operationIdOf(jobId, step.name, step.round)}#${index}`,
    inputFingerprint: fingerprint(input),
    callerId,
    source: 'child',
    trace,
    lineage: { parentJobId: jobId, child: { ...place, ...kind, ...held } },
    input,
    note: null,
    by: { actor: context.actor, reason: 'submitted' },
    deadlineAt,
  };
}

/** The job that takes back what the children of a step have done. Its children each take back one of them. */
export function undoAllSubmission(parent: Job, step: WithChildren, context: Context): Submission {
  const { jobId } = parent;
  const attempt = step.undo?.attempts ?? 1;
  const undoes: UndoesChildren = { jobId, step: step.name, round: step.round, attempt };
  const tried = attempt === 1 ? {} : { triedBy: undoJobIdOf(jobId, step.name, step.round, attempt - 1) };
  return {
    ...takingBack(parent, [undoes], { [step.name]: succeededChildren(step.children) }, context),
    jobId: undoJobIdOf(jobId, step.name, step.round, attempt),
    idempotencyKey: `${operationIdOf(jobId, step.name, step.round)}#undo${attempt}`,
    lineage: { recoveryOf: jobId, parentJobId: jobId, takesBack: [undoes], ...tried },
  };
}

/**
 * The child of such a job that takes back one child; null when nothing is left to take back.
 * @param target the child, its values loaded
 * @param before what an earlier attempt at it came to
 */
export function undoChildSubmission(
  parent: Job,
  plan: WorkflowPlan,
  step: WithChildren,
  index: number,
  target: { readonly job: Job; readonly plan: WorkflowPlan },
  before: Job | null,
  context: Context,
): Submission | null {
  if (target.job.lineage.undoneBy !== undefined) return null;
  const found = before === null ? standingEffects(target.job, target.plan, context) : againOf(before);
  if (found === null || found.takesBack.length === 0) return null;
  const { takesBack, input } = found;
  const place = childSubmission(parent, plan, step, index, input, context);
  const tried = before === null ? {} : { triedBy: before.jobId };
  const lineage: Lineage = { ...place.lineage, recoveryOf: target.job.jobId, takesBack, ...tried };
  const common = takingBack(target.job, takesBack, input, context);
  return { ...common, jobId: place.jobId, idempotencyKey: place.idempotencyKey, lineage };
}

function takingBack(
  job: Job,
  takesBack: readonly (Undoes | UndoesChildren)[],
  input: Json,
  context: Context,
): Omit<Submission, 'jobId' | 'idempotencyKey' | 'lineage'> {
  const names = takesBack.map(({ step }) => step).join(', ');
  return {
    correlationId: job.correlationId,
    inputFingerprint: fingerprint(input),
    callerId: job.callerId,
    source: 'recovery',
    trace: job.trace,
    input,
    note: `undoes ${names} of ${job.jobId}`,
    by: { actor: context.actor, reason: `takes back ${names}` },
  };
}

/** Everything a completed job has done, in the order in which it is undone, with what each undo is sent. */
function standingEffects(job: Job, plan: WorkflowPlan, context: Context) {
  const draft = draftOf(job, plan, context, null);
  const takesBack: (Undoes | UndoesChildren)[] = [];
  const input: Record<string, Json> = {};
  for (const step of undoOrder(job, plan)) {
    const stepPlan = planOf(plan, step.name);
    if (step.status !== 'succeeded' || !hasUndo(stepPlan)) continue;
    if (step.children !== null) {
      takesBack.push({ jobId: job.jobId, step: step.name, round: step.round, attempt: 1 });
      input[step.name] = succeededChildren(step.children);
      continue;
    }
    const request = undoRequest(draft, step, stepPlan);
    if (!request.ok) throw new Error(`the undo of ${step.name} of job ${job.jobId} cannot be made: ${request.message}`);
    takesBack.push(undoesOf(job, step, request.topic));
    input[step.name] = request.body;
  }
  return { takesBack, input };
}

function undoesOf(job: Job, step: StepState, topic: string): Undoes {
  const operation = operationOf(job, step.name, step.round);
  const named = operation === operationIdOf(job.jobId, step.name, step.round) ? {} : { operation };
  const place = step.target === null ? {} : { target: step.target };
  return { jobId: job.jobId, step: step.name, round: step.round, generation: 0, topic, ...place, ...named };
}

/** The same again, but under new names where the answer was a definitive refusal. What was done stays done. */
function againOf(before: Job): { takesBack: (Undoes | UndoesChildren)[]; input: Record<string, Json> } | null {
  const open = (before.lineage.takesBack ?? []).filter(({ step }) =>
    before.steps.some(({ name, status }) => name === step && status !== 'succeeded'),
  );
  const given = before.input.data as Record<string, Json>;
  const takesBack = open.map((one) =>
    'topic' in one ? undoneAgain(before, one) : { ...one, attempt: one.attempt + 1 },
  );
  return { takesBack, input: Object.fromEntries(open.map(({ step }) => [step, given[step] ?? null])) };
}

/** The definition of a job that takes back a whole: one step for each effect, in the given order. */
export function takingBackPlan(plan: WorkflowPlan, takesBack: readonly (Undoes | UndoesChildren)[]): WorkflowPlan {
  const together = plan.concurrentUndo;
  const patience = Math.max(plan.maxRetries, LIMITS.maxRetriesDefault) * takesBack.length;
  return {
    ...plan,
    steps: takesBack.map((one, at) => ({
      ...('topic' in one ? recoveryStep(plan, one) : undoChildrenStep(plan, one)),
      map: ({ input }) => (input as Record<string, Json>)[one.step] ?? null,
      stage: together ? 0 : at,
    })),
    stages: together ? 1 : takesBack.length,
    recovery: null,
    concurrentUndo: false,
    deadlineMs: plan.undoDeadlineMs,
    maxRetries: patience,
    retry: {},
    quarantine: 'default',
    sagaRetry: null,
    onFailed: 'return',
    checkInput: (input) => ({ ok: true, value: input }),
    output: () => null,
  };
}

function undoChildrenStep(plan: WorkflowPlan, of: UndoesChildren): StepPlan {
  const original = planOf(plan, of.step);
  const { concurrency } = workOf(original);
  return {
    ...original,
    kind: 'compensatable',
    when: null,
    topic: null,
    query: null,
    undo: { none: 'it is itself an undo' },
    work: {
      type: 'children',
      child: { kind: 'undo', of },
      single: false,
      concurrency,
      policy: { type: 'compensate' },
      items: ({ input }) => (input as Record<string, number[]>)[of.step] ?? [],
      initial: () => null,
      merge: () => null,
      result: () => null,
    },
    checkOutput: (body) => ({ ok: true, value: body }),
  };
}
