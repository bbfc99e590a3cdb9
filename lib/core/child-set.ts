/**
 * What can be read off the children of a step: who is out, whether they came out well enough, what a driver can do about
 * them now. Nothing here changes anything.
 */
import { bitsIn, countBits, membership } from './bits.ts';
import { childIdOf, type JobId } from './ids.ts';
import type { Job, StepState } from './job.ts';
import { LIMITS } from './limits.ts';
import type { ChildPolicy, ChildrenWork, StepPlan, WorkflowPlan } from './plan.ts';
import type { ChildSet } from './relations.ts';

export interface WithChildren extends StepState {
  readonly children: ChildSet;
}

/** Its children are not all accounted for. */
export function hasChildrenOut(step: StepState): step is WithChildren {
  return step.status === 'waiting' && step.children !== null;
}

export function workOf(plan: StepPlan): ChildrenWork {
  if (plan.work.type !== 'children') throw new Error(`step ${plan.name} has no children`);
  return plan.work;
}

/** Children below this may exist: all that were noted, and of the next chunk those made before a crash. */
export function mayExist({ total, created }: ChildSet): number {
  return Math.min(total, created + LIMITS.childrenChunk);
}

export function allEnded(set: ChildSet): boolean {
  return countBits(set.ended) >= (set.stoppedTo === null ? set.total : mayExist(set));
}

/** Whether the step can go on with what came of its children. */
export function isAcceptable({ total, failed }: ChildSet, policy: ChildPolicy): boolean {
  const failures = countBits(failed);
  switch (policy.type) {
    case 'compensate':
    case 'cancel':
      return failures === 0;
    case 'partial':
      return total - failures >= policy.atLeast;
    case 'tolerate':
      return 'count' in policy ? failures <= policy.count : failures * 100 <= policy.percent * total;
  }
}

/** A piece of work on children that a driver can do now: read off the job, so that any driver finds it again. */
export type Chore =
  | { readonly do: 'create' | 'stop'; readonly step: WithChildren; readonly from: number; readonly to: number }
  | { readonly do: 'look' | 'merge' | 'undo'; readonly step: WithChildren };

export function choreOf(job: Job, plan: WorkflowPlan, now: number): Chore | null {
  const forward = job.state === 'PROCESSING' || job.state === 'RETRY_SCHEDULED';
  if (!forward && job.state !== 'COMPENSATING') return null;
  for (const step of job.steps) {
    if (step.children === null) continue;
    const chore = choreAt(step as WithChildren, plan, forward, now);
    if (chore !== null) return chore;
  }
  return null;
}

function choreAt(step: WithChildren, plan: WorkflowPlan, forward: boolean, now: number): Chore | null {
  const { children } = step;
  if (!forward && step.status === 'compensating') {
    return (step.undo?.nextAttemptAt ?? now) <= now ? { do: 'undo', step } : null;
  }
  if (step.status !== 'waiting') return null;
  const { total, created, stoppedTo } = children;
  const chunk = (from: number, end: number) => ({ step, from, to: Math.min(end, from + LIMITS.childrenChunk) });
  if (stoppedTo !== null && stoppedTo < mayExist(children))
    return { do: 'stop', ...chunk(stoppedTo, mayExist(children)) };
  if (stoppedTo === null && forward && created < total) return { do: 'create', ...chunk(created, total) };
  if (allEnded(children)) return forward && stoppedTo === null && merges(step, plan) ? { do: 'merge', step } : null;
  return children.lookAt <= now ? { do: 'look', step } : null;
}

function merges({ name, children }: WithChildren, plan: WorkflowPlan): boolean {
  const work = plan.steps.find((one) => one.name === name)?.work;
  return work?.type === 'children' && work.child.kind !== 'undo' && isAcceptable(children, work.policy);
}

/** When a step with children wants its parent's attention; null: it has none out. */
export function childrenDueAt(step: StepState): number | null {
  return hasChildrenOut(step) ? step.children.lookAt : null;
}

/** Who was set free between two states of a parent: they are to be woken. */
export function releasedSince(before: Job, after: Job): JobId[] {
  return after.steps.flatMap(({ name, round, children }, at) => {
    if (children === null) return [];
    const earlier = before.steps[at];
    const from = earlier?.round === round ? (earlier.children?.releasedTo ?? 0) : 0;
    const count = Math.max(0, children.releasedTo - from);
    return Array.from({ length: count }, (_, index) => childIdOf(after.jobId, name, round, from + index));
  });
}

/** Of a step's children, those that ended well: what is to be taken back. */
export function succeededChildren({ total, ended, failed }: ChildSet): number[] {
  const hasFailed = membership(failed);
  return bitsIn(ended, total).filter((index) => !hasFailed(index));
}

export interface ChildCounts {
  readonly total: number;
  readonly pending: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** Of all steps together; null for a job that has no children. */
export function countChildren({ steps }: Pick<Job, 'steps'>): ChildCounts | null {
  const sets = steps.flatMap(({ children }) => children ?? []);
  if (sets.length === 0) return null;
  const sum = (of: (set: ChildSet) => number): number => sets.reduce((total, set) => total + of(set), 0);
  const [total, ended, failed] = [
    sum((set) => set.total),
    sum((set) => countBits(set.ended)),
    sum((set) => countBits(set.failed)),
  ];
  return { total, pending: total - ended, succeeded: ended - failed, failed };
}
