/**
 * What a job has done to the world so far, read off its steps: which effects are or may be applied, and which of them
 * an undo is owed. Nothing here is stored; `open_effects` and the recovery plan are both drawn from it.
 */
import { hasChildrenOut } from './child-set.ts';
import type { Rules } from './events.ts';
import type { EpochMs } from './ids.ts';
import { forwardOperationId, type Job, type Lease, operationOf, type StepState } from './job.ts';
import { hasUndo, type Route, type StepPlan, type WorkflowPlan } from './plan.ts';

export interface OpenEffect {
  readonly step: string;
  readonly operationId: string;
  readonly state: 'applied' | 'unknown' | 'undo_failed';
  readonly since: EpochMs;
}

export function planOf(plan: WorkflowPlan, name: string): StepPlan {
  const found = plan.steps.find((step) => step.name === name);
  if (found === undefined) throw new Error(`workflow ${plan.type} ${plan.version} has no step ${name}`);
  return found;
}

/** Where the step's call leads; undefined where there is none, or no way. */
export function routeOf(plan: StepPlan, rules: Rules): Route | undefined {
  return plan.topic === null ? undefined : rules.route(plan.topic);
}

export function isAlive(lease: Lease | null, now: EpochMs, livingOwners: string | null): lease is Lease {
  return lease !== null && now < lease.until && (livingOwners === null || lease.owner.startsWith(livingOwners));
}

/** `applied`, `unknown`, or nothing: what the step's own operation has left, leaving aside any undo. */
function effectOf(step: StepState, plan: StepPlan): 'applied' | 'unknown' | null {
  if (plan.kind === 'readOnly') return null;
  switch (step.status) {
    case 'succeeded':
      return 'applied';
    case 'dispatched':
    case 'waiting':
    case 'unknown':
    case 'reconciling':
      return 'unknown';
    case 'pending':
    case 'retry_scheduled':
    case 'failed':
    case 'skipped':
    case 'compensated':
      if (!step.mayHaveApplied) return null;
      return step.completedAt === null ? 'unknown' : 'applied';
    case 'compensating':
      return step.completedAt === null ? 'unknown' : 'applied';
    case 'compensation_failed':
      return null;
  }
}

/** Every effect that is or may be applied, in order of definition; none once the job is complete. */
export function openEffects(job: Job, plan: WorkflowPlan): OpenEffect[] {
  return [...(job.state === 'COMPLETED' ? [] : roundEffects(job, plan)), ...pastEffects(job)];
}

/** Those of the round that the steps are in now. */
export function roundEffects(job: Job, plan: WorkflowPlan): OpenEffect[] {
  const open: OpenEffect[] = [];
  for (const step of job.steps) {
    const stepPlan = planOf(plan, step.name);
    const effect = effectOf(step, stepPlan);
    const state = step.status === 'compensation_failed' ? 'undo_failed' : effect;
    // An effect that says it needs no undo is nothing to settle, once it is certain.
    if (state === null || (state === 'applied' && !hasUndo(stepPlan) && stepPlan.kind !== 'irreversible')) continue;
    const since = step.completedAt ?? step.startedAt ?? job.updatedAt;
    open.push({ step: step.name, operationId: forwardOperationId(job, step), state, since });
  }
  return open;
}

/** Effects of earlier rounds that came to stand after their round was over. */
function pastEffects(job: Job): OpenEffect[] {
  return job.past.flatMap(({ step, round, appliedAt }) =>
    appliedAt === null
      ? []
      : [{ step, operationId: operationOf(job, step, round), state: 'applied' as const, since: appliedAt }],
  );
}

/** Effects in doubt: they may stand, and nobody knows. */
export function unknownEffects(job: Job, plan: WorkflowPlan): OpenEffect[] {
  return openEffects(job, plan).filter((effect) => effect.state === 'unknown');
}

/** Something stands that an undo is owed for, or may stand, or is out and may yet come to stand. */
export function hasEffects(job: Job, plan: WorkflowPlan): boolean {
  return job.steps.some((step) => {
    const stepPlan = planOf(plan, step.name);
    // Children are waited for, also where they only read.
    return hasChildrenOut(step) || effectOf(step, stepPlan) === 'unknown' || owesUndo(step, stepPlan);
  });
}

/** Whether an undo is owed for this step: it succeeded, or may have. */
export function owesUndo(step: StepState, plan: StepPlan): boolean {
  if (!hasUndo(plan)) return false;
  switch (step.status) {
    case 'succeeded':
    case 'unknown':
      return true;
    case 'failed':
    case 'retry_scheduled':
    case 'skipped':
    case 'pending':
      return step.mayHaveApplied;
    case 'dispatched':
    case 'waiting':
    case 'reconciling':
    case 'compensating':
    case 'compensated':
    case 'compensation_failed':
      return false;
  }
}

/**
 * Steps in the order in which they are undone: the definition's own, else last completed first. One that never
 * completed may be at work until now, so it counts as last.
 */
export function undoOrder(job: Job, plan: WorkflowPlan): readonly StepState[] {
  const rank = (step: StepState): number => step.completedAt ?? Number.POSITIVE_INFINITY;
  const order = plan.recovery;
  const steps = job.steps.map((step, index) => ({ step, index }));
  if (order !== null) {
    const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
    steps.sort((a, b) => place(a.step.name) - place(b.step.name) || b.index - a.index);
  } else {
    steps.sort((a, b) => (rank(b.step) === rank(a.step) ? b.index - a.index : rank(b.step) - rank(a.step)));
  }
  return steps.map(({ step }) => step);
}

/** Past the pivot nothing before it can be taken back: the irreversible step has, or may have, happened. */
export function pivot(job: Job, plan: WorkflowPlan): 'before' | 'open' | 'passed' {
  let found: 'before' | 'open' | 'passed' = 'before';
  for (const step of job.steps) {
    if (planOf(plan, step.name).kind !== 'irreversible') continue;
    // An answer that does not fit the schema makes the step `failed`; its effect stands all the same.
    const effect = effectOf(step, planOf(plan, step.name));
    if (effect === 'applied') return 'passed';
    if (effect === 'unknown') found = 'open';
  }
  return found;
}
