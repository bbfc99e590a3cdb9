/** Definitions under the policies that the deployment was told. What is told for nobody keeps it from starting. */
import { type PolicySettings, underPolicies, unknownNames } from '../core/policy-settings.ts';
import type { PlanCatalog } from './engine.ts';

/** @throws with the names that no definition has, and those there are */
export function withPolicies(plans: PlanCatalog, settings: PolicySettings): PlanCatalog {
  const unknown = unknownNames(plans.list(), settings);
  if (unknown.length > 0) throw new Error(`errors.json: ${unknown.join('; ')}`);
  const all = plans.list().map((plan) => underPolicies(plan, settings));
  return {
    find: (type, version) => {
      const found = plans.find(type, version);
      return all.find((plan) => plan.type === found?.type && plan.version === found.version);
    },
    list: () => all,
  };
}
