/** What parents and children are to each other outside the store. */
import type { ChildReport } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';

/** Between parents and children. Both may be lost: a parent looks after its children by itself, now and then. */
export interface Family {
  /** Gives children their first run, or another one, in the lane of the caller whom they work for. */
  start(callerId: string, jobIds: readonly JobId[]): Promise<void>;
  /** Tells a parent how a child has ended; what is told at about the same time may reach it together. */
  report(parent: JobId, report: ChildReport): Promise<void>;
}
