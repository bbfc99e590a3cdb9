/** Makes the jobs of some children. Their ids are derived, so that one made again is found to be there. */
import { childSubmission, inputsOf, undoChildSubmission } from '../core/child-jobs.ts';
import { type WithChildren, workOf } from '../core/child-set.ts';
import { planOf } from '../core/effects.ts';
import type { ChildReport } from '../core/events.ts';
import { childIdOf } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { newJob, type Submission } from '../core/new-job.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import type { UndoesChildren } from '../core/relations.ts';
import { contextOf, type Engine, planFor } from './engine.ts';
import { loadValues, storeValues } from './values.ts';

/** @returns reports of those that have nothing to do */
export async function makeChildren(
  engine: Engine,
  job: Job,
  plan: WorkflowPlan,
  step: WithChildren,
  indexes: readonly number[],
): Promise<ChildReport[]> {
  const { child } = workOf(planOf(plan, step.name));
  const inputs = inputsOf(job, plan, step, contextOf(engine));
  const of = child.kind === 'undo' ? child.of : null;
  const made: Job[] = [];
  const idle: ChildReport[] = [];
  for (const index of indexes) {
    const input = inputs[index] ?? null;
    const submission =
      of === null
        ? childSubmission(job, plan, step, index, input, contextOf(engine))
        : await undoSubmission(engine, job, plan, step, index, Number(input), of);
    if (submission === null) {
      idle.push({ what: 'child', step: step.name, round: step.round, index, ok: true, errorCode: null });
      continue;
    }
    made.push(
      await storeValues(engine.ports, jobOf(engine, submission, await typeOf(engine, job, plan, step, submission))),
    );
  }
  await engine.ports.jobs.createMany(made);
  return idle;
}

interface Definition {
  readonly workflowType: string;
  readonly workflowVersion: number;
}

/** By which definition a child runs: its parent's, that of its own workflow, or that of the job it takes back. */
async function typeOf(
  { ports }: Engine,
  job: Job,
  plan: WorkflowPlan,
  step: WithChildren,
  { lineage }: Submission,
): Promise<Definition> {
  const { child } = workOf(planOf(plan, step.name));
  if (child.kind === 'workflow') return { workflowType: child.type, workflowVersion: child.version };
  const target = lineage.recoveryOf === undefined ? null : await ports.jobs.read(lineage.recoveryOf as Job['jobId']);
  return target ?? job;
}

function jobOf(engine: Engine, submission: Submission, { workflowType, workflowVersion }: Definition): Job {
  const plan = engine.plans.find(workflowType, workflowVersion);
  const of = planFor(engine.plans, { ...submission, workflowType, workflowVersion });
  if (plan === undefined || of === undefined) {
    throw new Error(`a child needs ${workflowType} ${workflowVersion}, which this deployment does not have`);
  }
  return newJob(submission, of, contextOf(engine));
}

async function undoSubmission(
  engine: Engine,
  job: Job,
  plan: WorkflowPlan,
  step: WithChildren,
  index: number,
  target: number,
  of: UndoesChildren,
): Promise<Submission | null> {
  const { jobs } = engine.ports;
  const child = await jobs.read(childIdOf(of.jobId, of.step, of.round, target));
  const childPlan = child === null ? undefined : planFor(engine.plans, child);
  if (child === null || childPlan === undefined) {
    throw new Error(`child ${target} of step ${of.step} of job ${of.jobId} cannot be read, and has to be taken back`);
  }
  const { triedBy } = job.lineage;
  const before = triedBy === undefined ? null : await jobs.read(childIdOf(triedBy, step.name, step.round, index));
  const known = { job: await loadValues(engine.ports, child), plan: childPlan };
  const earlier = before === null ? null : await loadValues(engine.ports, before);
  return undoChildSubmission(job, plan, step, index, known, earlier, contextOf(engine));
}
