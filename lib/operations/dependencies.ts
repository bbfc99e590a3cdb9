/** The dependencies of a deployment, read off its routes: every target is one. */
import { LIMITS } from '../core/limits.ts';
import { HEALTH_TOPIC, type Route, type Target } from '../core/plan.ts';
import { targetsOf } from '../core/routing.ts';

export interface DependencySettings {
  readonly id: string;
  readonly topics: readonly string[];
  /** Targets that stand in for it, for some topic. */
  readonly standIns: readonly string[];
  readonly releasePerSecond: number;
  /** null: its health is never asked for. */
  readonly healthTopic: string | null;
}

export function dependenciesOf(routes: Iterable<readonly [string, Route]>): DependencySettings[] {
  const found = new Map<string, DependencySettings>();
  for (const [topic, route] of routes) {
    const targets = targetsOf(route);
    for (const target of targets) {
      const others = targets.flatMap((one) => (one.target === target.target ? [] : [one.target]));
      // Nobody hears at once of what goes by a queue or a bus: its health is what its calls say.
      const silent = route.answersLater === true || route.oneWay === true;
      const known = found.get(target.target) ?? settingsOf(silent ? { ...target, healthTopic: null } : target);
      found.set(target.target, joined(known, topic, others));
    }
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function settingsOf({ target, releasePerSecond, healthTopic = HEALTH_TOPIC }: Target): DependencySettings {
  return {
    id: target,
    topics: [],
    standIns: [],
    releasePerSecond: releasePerSecond ?? LIMITS.releasePerSecond,
    healthTopic,
  };
}

function joined(settings: DependencySettings, topic: string, others: readonly string[]): DependencySettings {
  const topics = [...new Set([...settings.topics, topic])].sort();
  return { ...settings, topics, standIns: [...new Set([...settings.standIns, ...others])] };
}
