/** Dependencies in memory, kept as text. */
import { dependencyFromJson, dependencyToJson, putOver } from '../../contract/stored-dependency.ts';
import type { DependencyStore } from '../../ports.ts';

export function memoryDependencies(): DependencyStore {
  const texts = new Map<string, string>();
  const held = (id: string) => {
    const text = texts.get(id);
    return text === undefined ? null : dependencyFromJson(text);
  };
  return {
    list: async () => [...texts.values()].map(dependencyFromJson).sort((a, b) => (a.id < b.id ? -1 : 1)),
    put: async (dependency) => {
      const current = held(dependency.id);
      if ((current?.revision ?? 0) !== dependency.revision - 1) return putOver(current, dependency);
      texts.set(dependency.id, dependencyToJson(dependency));
      return { stored: true };
    },
  };
}
