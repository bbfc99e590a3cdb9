/**
 * The topology as the newest jobs of a viewer show it. It reads a few pages of a list and writes nothing, so it costs
 * those who ask and never those who work.
 */
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import { targetsOf } from '../core/routing.ts';
import { type TopologyEdge, topologyOf } from '../core/topology.ts';
import type { Engine } from './engine.ts';
import { listJobs, type Viewer } from './inspect.ts';

export interface TopologyReport {
  readonly edges: readonly TopologyEdge[];
  /** How many jobs it was drawn from: the newest. */
  readonly jobs: number;
}

export async function readTopology(engine: Engine, viewer: Viewer): Promise<TopologyReport> {
  const jobs = await newest(engine, viewer);
  const ways = (topic: string): string[] => {
    const route = engine.rules.route(topic);
    return route === undefined ? [] : targetsOf(route).map(({ target }) => target);
  };
  return { edges: topologyOf(engine.plans.list(), ways, jobs), jobs: jobs.length };
}

async function newest(engine: Engine, viewer: Viewer): Promise<Job[]> {
  const every = { state: null, workflowType: null, correlationId: null, from: null, to: null } as const;
  const jobs: Job[] = [];
  let after = null;
  do {
    const page = await listJobs(engine, viewer, { ...every, limit: LIMITS.listLimitMax, after });
    jobs.push(...page.items);
    after = page.next;
  } while (after !== null && jobs.length < LIMITS.topologyJobsMax);
  return jobs;
}
