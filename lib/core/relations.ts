/** How jobs stand to each other: parents and children, replays and reruns, and who takes back what whom has done. */
import type { Bits } from './bits.ts';
import type { EpochMs, JobId } from './ids.ts';

/** The forward operation of another job that this one undoes, and how. */
export interface Undoes {
  readonly jobId: JobId;
  readonly step: string;
  readonly round: number;
  readonly generation: number;
  readonly topic: string;
  /** Where the effect was made; absent where jobs did not keep it yet. */
  readonly target?: string;
  /** The operation's name, where it does not follow from job, step and round. */
  readonly operation?: string;
}

/** Where a child stands among its parent's. */
export interface ChildPlace {
  readonly step: string;
  readonly round: number;
  readonly index: number;
  /** One call, planned by its parent's definition; absent: a workflow of its own. */
  readonly call?: true;
  /** Not released when it was last looked at, so it is its parent that wakes it. */
  readonly held?: true;
  /** Its root may need it until then. */
  readonly keepUntil: EpochMs;
}

/** Ids of related jobs, absent where there is none. */
export interface Lineage {
  readonly replayOf?: string;
  readonly replayedBy?: readonly string[];
  /** A recovery job: its one step is the undo of this operation. */
  readonly recoveryOf?: string;
  readonly undoes?: Undoes;
  readonly undoneBy?: string;
  readonly rerunOf?: string;
  readonly parentJobId?: JobId;
  readonly child?: ChildPlace;
  /** A recovery job of a whole: each of its steps takes back one of these. */
  readonly takesBack?: readonly (Undoes | UndoesChildren)[];
  /** The job that tried the same before this one. */
  readonly triedBy?: JobId;
}

/** The children of one round of a step, where they are to be taken back. */
export interface UndoesChildren {
  readonly jobId: JobId;
  readonly step: string;
  readonly round: number;
  /** Counted from 1; another one asks again after a refusal. */
  readonly attempt: number;
}

/** The children of one round of a step, as sets of their numbers: a set does not mind what comes twice or late. */
export interface ChildSet {
  readonly total: number;
  /** Every child below this exists, and of the next chunk some may. */
  readonly created: number;
  /** Children below this may run. */
  readonly releasedTo: number;
  /** Children below this have been told to stop; null: they go on. */
  readonly stoppedTo: number | null;
  readonly ended: Bits;
  /** Of these, who did not succeed. */
  readonly failed: Bits;
  /** The first of them to tell, with their codes. */
  readonly failures: readonly ChildFailure[];
  /** Children below this are in the output. */
  readonly mergedTo: number;
  /** When their parent looks after them by itself. */
  readonly lookAt: EpochMs;
}

export type ChildFailure = readonly [index: number, errorCode: string];
