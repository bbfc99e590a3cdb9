/** A dependency as every store keeps it: its record as text, for people read the table too. */
import type { Dependency } from '../core/dependency.ts';

export function dependencyToJson(dependency: Dependency): string {
  return JSON.stringify(dependency);
}

export function dependencyFromJson(text: string): Dependency {
  return JSON.parse(text);
}

/** What a put that was refused means: the stored record may be its own, whose answer was lost. */
export function putOver(current: Dependency | null, wanted: Dependency) {
  return current !== null && current.revision === wanted.revision && current.writeId === wanted.writeId
    ? ({ stored: true } as const)
    : ({ stored: false, current } as const);
}
