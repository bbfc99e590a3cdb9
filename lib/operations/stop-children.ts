/** Tells children to stop: those at work take back what they have done, those that wait never begin. */
import { mayExist, type WithChildren } from '../core/child-set.ts';
import type { ChildReport } from '../core/events.ts';
import { childIdOf, type JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { isUnpublished } from '../core/schedule.ts';
import { isTerminal } from '../core/states.ts';
import { apply } from './apply.ts';
import type { Engine } from './engine.ts';
import { reportOf } from './family.ts';
import { makeChildren } from './make-children.ts';
import { numbers } from './numbers.ts';

/** One that was not made yet is made first: else a driver that is slow could still make it, and it would begin. */
export async function stopChildren(
  engine: Engine,
  job: Job,
  plan: WorkflowPlan,
  step: WithChildren,
  indexes: readonly number[],
): Promise<ChildReport[]> {
  const { jobs } = engine.ports;
  const ids = indexes.map((index) => childIdOf(job.jobId, step.name, step.round, index));
  const found = await jobs.readMany(ids);
  const missing = indexes.filter((_, at) => found[at] === null);
  const reports = missing.length === 0 ? [] : await makeChildren(engine, job, plan, step, missing);
  const stopped = await eachOf(ids, async (jobId, at) => {
    const child = found[at] ?? null;
    if (child !== null && isTerminal(child.state)) return child;
    return stopChild(engine, jobId);
  });
  return [...reports, ...stopped.flatMap((child) => (child === null ? [] : (reportOf(child) ?? [])))];
}

/** Answers the child if it has ended. One that cannot be stopped any more comes to its end by itself. */
async function stopChild(engine: Engine, jobId: JobId): Promise<Job | null> {
  const reason = 'its parent turned back';
  const event = { type: 'cancel', actor: engine.actor, reason, expectedRevision: null } as const;
  const applied = await apply(engine, jobId, () => event);
  if (applied.status === 'missing') return null;
  // Whoever was at work has something to take back, or to tell.
  const goesOn = !isTerminal(applied.job.state) || isUnpublished(applied.job);
  if (applied.status === 'changed' && goesOn) await engine.ports.family.start(applied.job.callerId, [jobId]);
  return isTerminal(applied.job.state) ? applied.job : null;
}

/** How many are told to stop at once: enough to hide a round trip, few enough to leave others room. */
const AT_ONCE = 32;

async function eachOf<T, R>(items: readonly T[], work: (item: T, at: number) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const group = items.slice(from, from + AT_ONCE);
    done.push(...(await Promise.all(group.map((item, at) => work(item, from + at)))));
  }
  return done;
}

/** A parent that ended with children at work, since a person closed it: they end too. */
export async function stopOrphans(engine: Engine, job: Job, plan: WorkflowPlan): Promise<void> {
  if (!isTerminal(job.state)) return;
  for (const step of job.steps) {
    if (step.children === null || step.status !== 'waiting') continue;
    const withChildren = { ...step, children: step.children };
    const end = mayExist(step.children);
    for (let from = 0; from < end; from += LIMITS.childrenChunk) {
      const to = Math.min(end, from + LIMITS.childrenChunk);
      await stopChildren(engine, job, plan, withChildren, numbers(from, to));
    }
  }
}
