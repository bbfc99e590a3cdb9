/**
 * Where topics lead in embedded mode: every topic of the example services, all in this process, unless it was told to
 * take another way.
 */

import { apiDocuments } from '../contract/api-documents.ts';
import type { LocalWay, LocalWays } from '../contract/local-ways.ts';
import { LIMITS } from '../core/limits.ts';
import { HEALTH_TOPIC, type Route } from '../core/plan.ts';
import { type DependencySettings, dependenciesOf } from '../operations/dependencies.ts';
import type { PlanCatalog } from '../operations/engine.ts';
import { EXAMPLE_SERVICES } from '../participants/index.ts';
import { examples } from '../workflows/examples.ts';

export const plans: PlanCatalog = examples;
export const documents = apiDocuments(examples);
export const services: readonly string[] = EXAMPLE_SERVICES.map((service) => service.name);
/** Each service is a dependency of its own: what one of them costs in retries slows no other. */
const IN_PROCESS: readonly (readonly [string, Route])[] = EXAMPLE_SERVICES.flatMap(({ name, topics: served }) =>
  [...served.keys()].map(
    (topic) => [topic, { target: name, fencing: true, maxRunMs: LIMITS.stepTimeoutMsMax }] as const,
  ),
);

export interface LocalRoutes {
  /** Faults can be armed for them, and for the question how a service is. */
  readonly topics: ReadonlySet<string>;
  readonly dependencies: readonly DependencySettings[];
  route(topic: string): Route | undefined;
}

/** A missing route, or one that does not fit, stops the start, not the first job that needs it. */
export function localRoutes({ ways }: LocalWays): LocalRoutes {
  const routes = new Map(IN_PROCESS);
  for (const way of ways) for (const topic of topicsOf(way)) routes.set(topic, routeBy(way));
  const route = (topic: string): Route | undefined => routes.get(topic);
  const missing = examples.missingRoutes(route);
  if (missing.length > 0) throw new Error(missing.join('; '));
  return { topics: new Set([...routes.keys(), HEALTH_TOPIC]), dependencies: dependenciesOf(routes), route };
}

function topicsOf({ target, topics }: LocalWay): readonly string[] {
  if (topics !== null) return topics;
  const served = EXAMPLE_SERVICES.find(({ name }) => name === target);
  if (served === undefined)
    throw new Error(`target ${target}: there is no such service; there are ${services.join(', ')}`);
  return [...served.topics.keys()];
}

function routeBy({ by, target, fencing, maxRunMs }: LocalWay): Route {
  const route = { target, fencing, maxRunMs: maxRunMs ?? LIMITS.stepTimeoutMsMax };
  switch (by) {
    case 'queue':
      return { ...route, answersLater: true };
    case 'http':
      return route;
    case 'event':
      return { ...route, oneWay: true };
  }
}
