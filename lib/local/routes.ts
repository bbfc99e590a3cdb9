/**
 * Where topics lead in embedded mode: every topic of the example services, all in this process.
 */

import { apiDocuments } from '../contract/api-documents.ts';
import { LIMITS } from '../core/limits.ts';
import type { Route } from '../core/plan.ts';
import type { PlanCatalog } from '../operations/engine.ts';
import { EXAMPLE_SERVICES } from '../participants/index.ts';
import { examples } from '../workflows/examples.ts';

export const plans: PlanCatalog = examples;
export const documents = apiDocuments(examples);
export const services: readonly string[] = EXAMPLE_SERVICES.map((service) => service.name);
/** Each service is a dependency of its own: what one of them costs in retries slows no other. */
const ROUTES: ReadonlyMap<string, Route> = new Map(
  EXAMPLE_SERVICES.flatMap(({ name, topics: served }) =>
    [...served.keys()].map((topic) => [topic, { target: name, fencing: true, maxRunMs: LIMITS.stepTimeoutMsMax }]),
  ),
);
export const topics: ReadonlySet<string> = new Set(ROUTES.keys());

export function route(topic: string): Route | undefined {
  return ROUTES.get(topic);
}

/** A missing route stops the start, not the first job that needs it. */
export function checkRoutes(): void {
  const missing = examples.missingRoutes(route);
  if (missing.length > 0) throw new Error(missing.join('; '));
}
