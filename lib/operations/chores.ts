/**
 * A driver's work on the children of a step: make them, tell them to stop, look after them, merge what they brought,
 * have them taken back. Each piece is bounded, may be done twice, and ends in one write of the parent that says how far
 * it is; whoever comes after a crash goes on from there.
 */

import { membership } from '../core/bits.ts';
import { undoAllSubmission } from '../core/child-jobs.ts';
import { type Chore, mayExist } from '../core/child-set.ts';
import type { ChildReport, ChildrenDone, Driver } from '../core/events.ts';
import { childIdOf, type JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import { newJob } from '../core/new-job.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { type Applied, apply } from './apply.ts';
import { contextOf, type Engine, planFor } from './engine.ts';
import { reportOf } from './family.ts';
import { makeChildren } from './make-children.ts';
import { mergeChildren } from './merge-children.ts';
import { numbers } from './numbers.ts';
import { stopChildren } from './stop-children.ts';
import { storeValues } from './values.ts';

/** @param job values loaded */
export async function performChore(
  engine: Engine,
  job: Job,
  plan: WorkflowPlan,
  chore: Chore,
  driver: () => Driver,
): Promise<Applied> {
  const { done, reports } = await workOn(engine, job, plan, chore, driver);
  const { name, round } = chore.step;
  if (reports.length > 0) {
    const told = await apply(engine, job.jobId, () => ({ type: 'reports', reports, driver: driver() }), job);
    if (done === null) return told;
    await wake(engine, told);
    if (told.status === 'missing') return told;
    return apply(engine, job.jobId, () => ({ type: 'children', step: name, round, done, driver: driver() }), told.job);
  }
  const note = done ?? { what: 'looked' as const };
  return apply(engine, job.jobId, () => ({ type: 'children', step: name, round, done: note, driver: driver() }), job);
}

interface Worked {
  /** null: what is reported says it all. */
  readonly done: ChildrenDone | null;
  readonly reports: readonly ChildReport[];
}

async function workOn(
  engine: Engine,
  job: Job,
  plan: WorkflowPlan,
  chore: Chore,
  driver: () => Driver,
): Promise<Worked> {
  switch (chore.do) {
    case 'create': {
      const reports = await makeChildren(engine, job, plan, chore.step, numbers(chore.from, chore.to));
      return { done: { what: 'created', upTo: chore.to }, reports };
    }
    case 'stop': {
      const reports = await stopChildren(engine, job, plan, chore.step, numbers(chore.from, chore.to));
      return { done: { what: 'stopped', upTo: chore.to }, reports };
    }
    case 'look':
      return { done: { what: 'looked' }, reports: await lookAfter(engine, job, chore) };
    case 'merge':
      return { done: await mergeChildren(engine, job, plan, chore.step, driver), reports: [] };
    case 'undo':
      return { done: { what: 'looked' }, reports: await takeAllBack(engine, job, plan, chore) };
  }
}

/** Whoever was set free by a write is to be woken. */
export async function wake(engine: Engine, applied: Applied): Promise<void> {
  if (applied.status !== 'changed' || applied.released.length === 0) return;
  await engine.ports.family.start(applied.job.callerId, applied.released);
}

function idsOf(job: Job, { name, round }: Chore['step'], indexes: readonly number[]): JobId[] {
  return indexes.map((index) => childIdOf(job.jobId, name, round, index));
}

/** Who has ended unheard, and who was not woken. */
async function lookAfter(engine: Engine, job: Job, { step }: Chore): Promise<ChildReport[]> {
  const { children } = step;
  const hasEnded = membership(children.ended);
  const mayRun = children.stoppedTo === null ? children.releasedTo : mayExist(children);
  const open = numbers(0, mayRun).filter((index) => !hasEnded(index));
  const reports: ChildReport[] = [];
  for (let from = 0; from < open.length; from += LIMITS.childrenChunk) {
    const found = await engine.ports.jobs.readMany(idsOf(job, step, open.slice(from, from + LIMITS.childrenChunk)));
    const there = found.filter((child) => child !== null);
    const asleep = there.filter(({ state }) => state === 'PENDING').map(({ jobId }) => jobId);
    if (asleep.length > 0) await engine.ports.family.start(job.callerId, asleep);
    reports.push(...there.flatMap((child) => reportOf(child) ?? []));
  }
  return reports;
}

/** A job of its own takes them back; made again, it is found to be there. */
async function takeAllBack(engine: Engine, job: Job, plan: WorkflowPlan, { step }: Chore): Promise<ChildReport[]> {
  const context = contextOf(engine);
  const submission = undoAllSubmission(job, step, context);
  const of = { workflowType: plan.type, workflowVersion: plan.version, lineage: submission.lineage };
  const by = planFor(engine.plans, of);
  if (by === undefined) throw new Error(`what step ${step.name} did cannot be taken back by this definition`);
  const made = await storeValues(engine.ports, newJob(submission, by, context));
  const created = await engine.ports.jobs.create(made);
  const undoing = created.created ? made : created.existing;
  const report = reportOf(undoing);
  if (report !== null) return [report];
  await engine.ports.family.start(job.callerId, [undoing.jobId]);
  return [];
}
