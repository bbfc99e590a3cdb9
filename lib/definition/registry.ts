/**
 * All definitions that one deployment knows, by type and version. It answers what the engine asks of a catalog, and
 * which topics must lead somewhere: a missing route is found at start, not by the first job that needs it.
 */
import { callingSteps, hasUndo, type StepPlan, type WorkflowPlan } from '../core/plan.ts';
import { DefinitionError, whereIs } from './errors.ts';
import type { Workflow } from './finished.ts';

/** Who calls a topic, and for what. */
export interface TopicUse {
  readonly workflowType: string;
  readonly version: number;
  readonly step: string;
  readonly purpose: 'do' | 'undo' | 'query';
}

export interface TopicNeed {
  readonly topic: string;
  readonly uses: readonly TopicUse[];
}

/** `W` is every workflow in it, for a client that takes its types from here. */
export interface Registry<W extends Workflow = Workflow> {
  /** By type, then version. */
  readonly workflows: readonly W[];
  /** The given version, or the newest when it is null. */
  find(type: string, version: number | null): WorkflowPlan | undefined;
  list(): readonly WorkflowPlan[];
  /** Every topic that some step needs, by name. */
  topics(): readonly TopicNeed[];
  /**
   * One sentence for each use of a topic for which `route` answers undefined, or a way that does not fit the use: what
   * is told and not answered can be neither asked nor undone.
   */
  missingRoutes(route: (topic: string) => unknown): string[];
}

export function registry<const W extends readonly Workflow[]>(...given: W): Registry<W[number]> {
  const workflows: readonly W[number][] = given.toSorted((a, b) => compare(a.plan, b.plan));
  refuseTwins(workflows);
  refuseOrphans(workflows);
  const plans = workflows.map((one) => one.plan);
  const needs = needsOf(plans);
  return {
    workflows,
    find: (type, version) =>
      plans.findLast((plan) => plan.type === type && (version === null || plan.version === version)),
    list: () => plans,
    topics: () => needs,
    missingRoutes: (route) => [
      ...needs.filter(({ topic }) => route(topic) === undefined).flatMap(complaintsOf),
      ...needs
        .filter(({ topic }) => isOneWay(route(topic)))
        .flatMap(({ topic, uses }) => oneWayComplaints(plans, topic, uses)),
    ],
  };
}

function compare(a: WorkflowPlan, b: WorkflowPlan): number {
  if (a.type === b.type) return a.version - b.version;
  return a.type < b.type ? -1 : 1;
}

function refuseTwins(workflows: readonly Workflow[]): void {
  const twins = workflows.filter(({ plan }, index) => {
    const before = workflows[index - 1]?.plan;
    return before !== undefined && compare(before, plan) === 0;
  });
  const problems = twins.map(
    ({ plan }) => `${whereIs(plan)}: it is registered twice; give the newer definition version ${plan.version + 1}`,
  );
  if (problems.length > 0) throw new DefinitionError(problems);
}

/** Children are jobs of what this deployment knows. */
function refuseOrphans(workflows: readonly Workflow[]): void {
  const known = new Set(workflows.map(({ plan }) => `${plan.type} ${plan.version}`));
  const problems = workflows.flatMap(({ plan, children = [] }) =>
    children
      .map((one) => `${one.plan.type} ${one.plan.version}`)
      .filter((name) => !known.has(name))
      .map((name) => `${whereIs(plan)}: its children are jobs of ${name}, which is not registered; register it too`),
  );
  if (problems.length > 0) throw new DefinitionError(problems);
}

function needsOf(plans: readonly WorkflowPlan[]): TopicNeed[] {
  const uses = new Map<string, TopicUse[]>();
  for (const plan of plans) {
    for (const step of callingSteps(plan)) {
      for (const [topic, purpose] of callsOf(step)) {
        const use: TopicUse = { workflowType: plan.type, version: plan.version, step: step.name, purpose };
        uses.set(topic, [...(uses.get(topic) ?? []), use]);
      }
    }
  }
  const topics = [...uses.keys()].sort();
  return topics.map((topic) => ({ topic, uses: uses.get(topic) ?? [] }));
}

function callsOf(step: StepPlan): (readonly [string, TopicUse['purpose']])[] {
  return [
    ...(step.topic === null ? [] : [[step.topic, 'do'] as const]),
    ...(hasUndo(step) ? step.undo.topics.map((topic) => [topic, 'undo'] as const) : []),
    ...(step.query === null ? [] : [[step.query.topic, 'query'] as const]),
  ];
}

function isOneWay(route: unknown): boolean {
  return typeof route === 'object' && route !== null && 'oneWay' in route && route.oneWay === true;
}

/** An event that went out stays out: its step has to say that nothing takes it back. */
function oneWayComplaints(plans: readonly WorkflowPlan[], topic: string, uses: readonly TopicUse[]): string[] {
  return uses.flatMap(({ workflowType, version, step, purpose }) => {
    const where = whereIs({ type: workflowType, version }, step);
    if (purpose !== 'do') {
      const what = purpose === 'undo' ? 'undone' : 'asked';
      return [
        `${where}: topic ${topic} leads to an event bus, where nothing is ${what}; route it to a participant that answers`,
      ];
    }
    const plan = plans.find((one) => one.type === workflowType && one.version === version);
    const used = plan?.steps.find(({ name }) => name === step);
    if (used === undefined || !hasUndo(used)) return [];
    return [
      `${where}: topic ${topic} leads to an event bus, and no undo takes an event back; write undo: none('why') or irreversible: true`,
    ];
  });
}

function complaintsOf({ topic, uses }: TopicNeed): string[] {
  return uses.map(({ workflowType, version, step }) => {
    const where = whereIs({ type: workflowType, version }, step);
    return `${where}: topic ${topic} has no route; add one to the routes, or correct the topic`;
  });
}
