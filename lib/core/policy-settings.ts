/**
 * Retry policies that are told from outside the code, and how they are laid over the definitions. The narrowest word
 * wins: for all jobs, then the workflow, then its step; at the same place what is told from outside, which is newer.
 */
import type { PolicyOverrides } from './errors.ts';
import type { WorkflowPlan } from './plan.ts';

export interface PolicySettings {
  readonly all: PolicyOverrides;
  readonly workflows: readonly {
    readonly type: string;
    readonly all: PolicyOverrides;
    readonly steps: readonly { readonly step: string; readonly all: PolicyOverrides }[];
  }[];
}

export const NO_POLICIES: PolicySettings = { all: {}, workflows: [] };

/** The same definition under these policies: every version of its type. */
export function underPolicies(plan: WorkflowPlan, settings: PolicySettings): WorkflowPlan {
  const own = settings.workflows.find(({ type }) => type === plan.type);
  if (own === undefined) return plan;
  const steps = plan.steps.map((step) => {
    const said = own.steps.find((one) => one.step === step.name);
    return said === undefined ? step : { ...step, retry: laidOver(step.retry, said.all) };
  });
  return { ...plan, retry: laidOver(plan.retry, own.all), steps };
}

/** Names that no definition has: told for nobody. */
export function unknownNames(plans: readonly WorkflowPlan[], settings: PolicySettings): string[] {
  const types = [...new Set(plans.map(({ type }) => type))];
  return settings.workflows.flatMap(({ type, steps }) => {
    const known = plans.filter((plan) => plan.type === type).flatMap((plan) => plan.steps.map(({ name }) => name));
    if (!types.includes(type))
      return [`workflows.${type}: there is no such workflow: write one of ${types.join(', ')}`];
    const list = [...new Set(known)].join(', ');
    return steps
      .filter(({ step }) => !known.includes(step))
      .map(({ step }) => `workflows.${type}.steps.${step}: there is no such step: write one of ${list}`);
  });
}

function laidOver(under: PolicyOverrides, over: PolicyOverrides): PolicyOverrides {
  const keys = [...new Set([...Object.keys(under), ...Object.keys(over)])];
  return Object.fromEntries(keys.map((key) => [key, { ...under[key], ...over[key] }]));
}
