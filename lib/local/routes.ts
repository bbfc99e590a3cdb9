/**
 * Where topics lead in embedded mode: every topic of the example services, all in this process.
 */

import { LIMITS } from '../core/limits.ts';
import type { Route } from '../core/plan.ts';
import type { PlanCatalog } from '../operations/engine.ts';
import { EXAMPLE_SERVICES } from '../participants/index.ts';
import { examples } from '../workflows/examples.ts';

const LOCAL: Route = { target: 'local', fencing: true, maxRunMs: LIMITS.stepTimeoutMsMax };

export const plans: PlanCatalog = examples;
export const services: readonly string[] = EXAMPLE_SERVICES.map((service) => service.name);
export const topics: ReadonlySet<string> = new Set(EXAMPLE_SERVICES.flatMap((service) => [...service.topics.keys()]));

export function route(topic: string): Route | undefined {
  return topics.has(topic) ? LOCAL : undefined;
}

/** A missing route stops the start, not the first job that needs it. */
export function checkRoutes(): void {
  const missing = examples.missingRoutes(route);
  if (missing.length > 0) throw new Error(missing.join('; '));
}
