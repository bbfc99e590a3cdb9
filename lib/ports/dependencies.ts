/** The shared records of dependencies: each changed by one of many, under its revision. */
import type { Dependency } from '../core/dependency.ts';

export type DependencyPut = { readonly stored: true } | { readonly stored: false; readonly current: Dependency | null };

export interface DependencyStore {
  /** Every record, consistently; there are as many as targets. */
  list(): Promise<readonly Dependency[]>;
  /** Puts the record if the stored one has the revision before it (0: there is none). A put of ours whose answer was lost counts as stored. */
  put(dependency: Dependency): Promise<DependencyPut>;
}
