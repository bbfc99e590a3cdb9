/** Jobs that a gate holds, as they are looked for. */
import type { EpochMs, GateId, JobId } from '../core/ids.ts';

export interface ListPosition {
  readonly createdAt: EpochMs;
  readonly jobId: string;
}

export interface ParkedJob {
  readonly jobId: JobId;
  readonly createdAt: EpochMs;
}

export interface ParkedPosition extends ListPosition {
  readonly shard: number;
}

export interface ParkedQuery {
  readonly gate: GateId;
  readonly limit: number;
  /** Continue after this one. */
  readonly after: ParkedPosition | null;
}
