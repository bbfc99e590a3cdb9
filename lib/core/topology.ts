/**
 * Who calls whom: what the definitions declare, laid over what jobs really did. Nothing is recorded for it: every job
 * keeps its calls anyway, with target, attempts and times. An edge is `observed`, `unobserved` (declared, and not seen
 * among these jobs), or `undeclared`: a job called what no definition of this deployment names, which is drift.
 */
import type { EpochMs } from './ids.ts';
import type { Job, StepState } from './job.ts';
import { hasUndo, type WorkflowPlan } from './plan.ts';

export interface TopologyEdge {
  /** `workflow:<type>`, or for what starts it `<source>:<caller>`. */
  readonly from: string;
  /** `workflow:<type>`, or `target:<id>`. */
  readonly to: string;
  /** null: a submit. */
  readonly topic: string | null;
  readonly purpose: 'submit' | 'do' | 'undo' | 'query';
  readonly seen: 'observed' | 'unobserved' | 'undeclared';
  readonly calls: number;
  readonly errors: number;
  /** Of the calls whose end is known; null: of none. */
  readonly p95Ms: number | null;
  readonly lastSeen: EpochMs | null;
}

interface Sight {
  readonly from: string;
  readonly to: string;
  readonly topic: string | null;
  readonly purpose: TopologyEdge['purpose'];
  readonly calls: number;
  readonly errors: number;
  readonly tookMs: number | null;
  readonly at: EpochMs;
}

/** Where a topic may lead: its targets, in order. */
export type TargetsOf = (topic: string) => readonly string[];

export function topologyOf(plans: readonly WorkflowPlan[], targetsOf: TargetsOf, jobs: readonly Job[]): TopologyEdge[] {
  const sights = jobs.flatMap((job) => sightsIn(job, plans));
  const declared = plans.flatMap((plan) => declaredBy(plan, targetsOf));
  const edges = new Map<
    string,
    { declared: boolean; of: Pick<Sight, 'from' | 'to' | 'topic' | 'purpose'>; seen: Sight[] }
  >();
  const at = (one: Pick<Sight, 'from' | 'to' | 'topic' | 'purpose'>) => {
    const key = JSON.stringify([one.from, one.to, one.topic, one.purpose]);
    const known = edges.get(key) ?? { declared: one.purpose === 'submit', of: one, seen: [] };
    edges.set(key, known);
    return known;
  };
  for (const one of declared) at(one).declared = true;
  for (const one of sights) at(one).seen.push(one);
  return [...edges.values()].map(edgeOf).sort(byName);
}

function edgeOf({
  declared,
  of,
  seen,
}: {
  declared: boolean;
  of: Pick<Sight, 'from' | 'to' | 'topic' | 'purpose'>;
  seen: Sight[];
}): TopologyEdge {
  const { from, to, topic, purpose } = of;
  const took = seen.flatMap(({ tookMs }) => (tookMs === null ? [] : [tookMs])).sort((a, b) => a - b);
  return {
    from,
    to,
    topic,
    purpose,
    seen: !declared ? 'undeclared' : seen.length > 0 ? 'observed' : 'unobserved',
    calls: sum(seen.map(({ calls }) => calls)),
    errors: sum(seen.map(({ errors }) => errors)),
    p95Ms: took.length === 0 ? null : (took[Math.ceil(took.length * 0.95) - 1] ?? null),
    lastSeen: seen.length === 0 ? null : Math.max(...seen.map(({ at }) => at)),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function byName(a: TopologyEdge, b: TopologyEdge): number {
  const name = ({ from, to, topic, purpose }: TopologyEdge): string => `${from} ${to} ${topic ?? ''} ${purpose}`;
  return name(a) < name(b) ? -1 : 1;
}

function declaredBy(plan: WorkflowPlan, targetsOf: TargetsOf): Pick<Sight, 'from' | 'to' | 'topic' | 'purpose'>[] {
  const from = `workflow:${plan.type}`;
  const to = (topic: string, purpose: Sight['purpose']) =>
    targetsOf(topic).map((target) => ({ from, to: `target:${target}`, topic, purpose }));
  return plan.steps.flatMap((step) => [
    ...(step.topic === null ? [] : to(step.topic, 'do')),
    ...(hasUndo(step) ? step.undo.topics.flatMap((topic) => to(topic, 'undo')) : []),
    ...(step.query === null ? [] : to(step.query.topic, 'query')),
  ]);
}

function sightsIn(job: Job, plans: readonly WorkflowPlan[]): Sight[] {
  const workflow = `workflow:${job.workflowType}`;
  const submit: Sight = {
    from: `${job.source}:${job.callerId}`,
    to: workflow,
    topic: null,
    purpose: 'submit',
    calls: 1,
    errors: 0,
    tookMs: null,
    at: job.createdAt,
  };
  const plan = plans.find(({ type, version }) => type === job.workflowType && version === job.workflowVersion);
  return [submit, ...job.steps.flatMap((step) => stepSights(job, step, workflow, plan))];
}

function stepSights(job: Job, step: StepState, from: string, plan: WorkflowPlan | undefined): Sight[] {
  const declared = plan?.steps.find(({ name }) => name === step.name);
  const { target, undo } = step;
  if (target === null || step.attempts === 0) return [];
  const to = `target:${target}`;
  const at = step.completedAt ?? step.lastCallAt ?? step.startedAt ?? job.updatedAt;
  const sights: Sight[] = [];
  // Of a version that is gone only the step's name is known.
  const topic = declared?.topic ?? `step ${step.name}`;
  const failures = step.attempts - (step.completedAt === null ? 0 : 1);
  const tookMs = step.completedAt === null || step.attempts > 1 ? null : step.completedAt - (step.startedAt ?? at);
  sights.push({ from, to, topic, purpose: 'do', calls: step.attempts, errors: Math.max(0, failures), tookMs, at });
  if (undo !== null && undo.attempts > 0) {
    const done = undo.compensatedAt;
    const took = done === null || undo.attempts > 1 ? null : done - undo.startedAt;
    const errors = Math.max(0, undo.attempts - (done === null ? 0 : 1));
    sights.push({
      from,
      to,
      topic: undo.topic,
      purpose: 'undo',
      calls: undo.attempts,
      errors,
      tookMs: took,
      at: done ?? undo.startedAt,
    });
  }
  if (step.queries > 0 && declared?.query != null) {
    sights.push({
      from,
      to,
      topic: declared.query.topic,
      purpose: 'query',
      calls: step.queries,
      errors: 0,
      tookMs: null,
      at,
    });
  }
  return sights;
}
