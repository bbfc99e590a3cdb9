/** How many calls a dependency may have at once, by whoever counts them. */
import type { Call, DriverKind } from '../core/events.ts';
import type { Full } from '../core/gates.ts';
import type { Job } from '../core/job.ts';

export interface CallLimits {
  /** Takes the place that this call needs; null: it has it until it is given back, or its lease is over. */
  take(job: Job, call: Call): Full | null;
  /** One that has no place is no mistake. */
  give(call: Call): void;
  /** Sends a driver when there is room. */
  comeBack(job: Job, target: string, kind: DriverKind): void;
}
