/**
 * What can stand between a step and its call: the breaker or the health of a dependency, or a pause. A step that is held
 * is parked under the gate's id, spends nothing, and is found by that id when the gate opens.
 */
import type { EpochMs, GateId } from './ids.ts';
import type { Job } from './job.ts';

/** What a call would be, for whoever says whether it may be made. */
export interface Passage {
  readonly topic: string;
  readonly target: string;
  readonly direction: 'do' | 'undo' | 'query';
  readonly job: Pick<Job, 'jobId' | 'callerId' | 'workflowType' | 'lineage'>;
}

export type Pass =
  /** `degraded`: it may work; taken when nothing better is there. `probe`: one call, to learn whether it works again. */
  { readonly pass: 'free' | 'degraded' | 'probe' } | { readonly pass: 'held'; readonly by: GateId };

/** A dependency that has as many calls as it may have. `until`: when to ask again; null: somebody comes when there is room. */
export interface Full {
  readonly until: EpochMs | null;
}

export const FREE: Pass = { pass: 'free' };

const DEPENDENCY = 'dependency:';

export const dependencyGate = (target: string): GateId => `${DEPENDENCY}${target}`;

/** The dependency behind a gate; null when it is another kind of gate. */
export function dependencyOf(gate: GateId): string | null {
  return gate.startsWith(DEPENDENCY) ? gate.slice(DEPENDENCY.length) : null;
}

/** Whether this gate has held the job, as its log of errors tells. */
export function wasHeldBy({ errorLog }: Pick<Job, 'errorLog'>, gate: GateId): boolean {
  const held = describeGate(gate);
  return errorLog.some(({ message }) => message.endsWith(held));
}

/** In words, for histories and logs. */
export function describeGate(gate: GateId): string {
  const dependency = dependencyOf(gate);
  return dependency === null ? `held by ${gate.replace(':', ' ')}` : `dependency ${dependency} is not available`;
}
