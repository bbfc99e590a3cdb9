/**
 * What every operation is given: the ports, the definitions, the rules, and the name under which it acts.
 * One engine serves one invocation; embedded mode and the Lambdas build it the same way.
 */
import { callPlan, takingBackPlan } from '../core/child-jobs.ts';
import type { Context, Rules } from '../core/events.ts';
import type { Job } from '../core/job.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { isPoison, poisonPlan } from '../core/poison-job.ts';
import { recoveryPlan } from '../core/recovery.ts';
import type { Ports } from '../ports.ts';
import type { CallLimits } from './call-limits.ts';
import type { DependencySettings } from './dependencies.ts';
import type { Gates } from './gates.ts';
import type { RetryTokens } from './retry-tokens.ts';

export interface PlanCatalog {
  /** The given version, or the newest when it is null; undefined when this code does not have it. */
  find(type: string, version: number | null): WorkflowPlan | undefined;
  /** Every version of every workflow, by name, then version. */
  list(): readonly WorkflowPlan[];
}

export interface Engine {
  readonly ports: Ports;
  readonly plans: PlanCatalog;
  readonly rules: Rules;
  /** `orchestrator:<function>`, the actor of what no person asked for. */
  readonly actor: string;
  /** Tell of every transition on the bus, not only of outcomes. */
  readonly lifecycleEvents?: boolean;
  /** The container's retry budget, shared by its invocations; absent: retries are not slowed down. */
  readonly tokens?: RetryTokens;
  /** How many calls a dependency may have at once; absent: any number. */
  readonly limits?: CallLimits;
  /** What is known of dependencies; absent: nothing holds any call back. */
  readonly gates?: Gates;
  /** Every dependency that a route leads to. */
  readonly dependencies?: readonly DependencySettings[];
}

/**
 * The definition this job runs by; undefined when this code does not have it. One that has other steps than the job is
 * not the one it was made by, whatever its number says.
 */
export function planFor(plans: PlanCatalog, job: Runs): WorkflowPlan | undefined {
  if (isPoison(job)) return poisonPlan(job.workflowType, plans.find(job.workflowType, null));
  const plan = plans.find(job.workflowType, job.workflowVersion);
  if (plan === undefined) return undefined;
  const { undoes, takesBack, child } = job.lineage;
  const has = (name: string): boolean => plan.steps.some((step) => step.name === name);
  if (undoes !== undefined) return has(undoes.step) ? recoveryPlan(plan, undoes) : undefined;
  if (takesBack !== undefined) {
    return takesBack.every(({ step }) => has(step)) ? takingBackPlan(plan, takesBack) : undefined;
  }
  if (child?.call === true) {
    const step = plan.steps.find(({ name }) => name === child.step);
    return step === undefined ? undefined : callPlan(plan, step);
  }
  const { steps } = job;
  const hasItsSteps =
    steps === undefined ||
    (plan.steps.length === steps.length && steps.every(({ name }, at) => plan.steps[at]?.name === name));
  return hasItsSteps ? plan : undefined;
}

/** What of a job tells its definition; without steps: of one that is about to be made. */
type Runs = Pick<Job, 'workflowType' | 'workflowVersion' | 'lineage'> & { readonly steps?: Job['steps'] };

/** The facts of one decision, fresh for each: time, chance and the id of the write it may become. */
export function contextOf(engine: Engine): Context {
  const { clock, ids } = engine.ports;
  return {
    now: clock.now(),
    random: ids.random(),
    writeId: ids.writeId(),
    nonce: ids.nonce(),
    actor: engine.actor,
    rules: engine.rules,
  };
}

export function sleep(engine: Engine, ms: number): Promise<void> {
  return new Promise((resolve) => {
    engine.ports.clock.after(Math.max(0, ms), resolve);
  });
}
