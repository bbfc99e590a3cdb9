/**
 * Brings together what the children of a step have brought: one at a time, in their order, by the definition's reducer.
 * A driver goes on page by page as long as it has time, and then notes how far it is, with what it has so far.
 */

import { membership } from '../core/bits.ts';
import { type WithChildren, workOf } from '../core/child-set.ts';
import { draftOf, mappingContext } from '../core/draft.ts';
import { planOf } from '../core/effects.ts';
import type { ChildrenDone, Driver } from '../core/events.ts';
import { childIdOf } from '../core/ids.ts';
import { dataOf, type Job } from '../core/job.ts';
import type { Json } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { ChildrenWork, WorkflowPlan } from '../core/plan.ts';
import { StoreError } from '../core/store-error.ts';
import { contextOf, type Engine } from './engine.ts';
import { reportOf } from './family.ts';
import { numbers } from './numbers.ts';
import { loadMany } from './values.ts';

/** Children read at once: one request on most stores, and a bound on what is held of their documents. */
const PAGE = 100;

interface Merged {
  readonly result: unknown;
  readonly failed: readonly Json[];
}

export async function mergeChildren(
  engine: Engine,
  job: Job,
  plan: WorkflowPlan,
  step: WithChildren,
  driver: () => Driver,
): Promise<ChildrenDone> {
  const stepPlan = planOf(plan, step.name);
  const work = workOf(stepPlan);
  const { total } = step.children;
  let upTo = step.children.mergedTo;
  try {
    let merged = begun(step) ?? { result: work.initial(seenBy(engine, job, plan, stepPlan.stage)), failed: [] };
    while (upTo < total) {
      const end = Math.min(total, upTo + PAGE);
      merged = await mergePage(engine, job, step, work, merged, numbers(upTo, end));
      upTo = end;
      if (driver().remainingMs < LIMITS.choreMarginMs) break;
    }
    const result = work.result(merged.result);
    const output = work.single && upTo === total ? result : { result, failed_children: [...merged.failed] };
    return { what: 'merged', upTo, output };
  } catch (error) {
    if (error instanceof StoreError || !(error instanceof Error)) throw error;
    return { what: 'unmergeable', message: error.message };
  }
}

/** What an earlier driver has merged; null for the first. */
function begun({ output }: WithChildren): Merged | null {
  if (output === null) return null;
  const { result, failed_children } = dataOf(output) as { readonly result: Json; readonly failed_children: Json[] };
  return { result, failed: failed_children };
}

function seenBy(engine: Engine, job: Job, plan: WorkflowPlan, stage: number) {
  return mappingContext(draftOf(job, plan, contextOf(engine), null), stage);
}

async function mergePage(
  engine: Engine,
  job: Job,
  step: WithChildren,
  work: ChildrenWork,
  merged: Merged,
  indexes: readonly number[],
): Promise<Merged> {
  const hasFailed = membership(step.children.failed);
  const ids = indexes.map((index) => childIdOf(job.jobId, step.name, step.round, index));
  const children = await loadMany(engine.ports, await engine.ports.jobs.readMany(ids));
  const failed = [...merged.failed];
  let { result } = merged;
  for (const [at, index] of indexes.entries()) {
    const child = children[at];
    if (child == null) throw new Error(`child ${index} of step ${step.name} is gone, and with it what it brought`);
    if (hasFailed(index)) failed.push({ index, job_id: child.jobId, error_code: reportOf(child)?.errorCode ?? null });
    else result = work.merge(result, outputOf(work, child), index);
  }
  return { result, failed };
}

/** Of a call the answer itself, of a workflow what it comes to. */
function outputOf({ child }: ChildrenWork, job: Job): Json {
  const value = child.kind === 'call' ? (job.steps[0]?.output ?? null) : job.output;
  return value === null ? null : dataOf(value);
}
