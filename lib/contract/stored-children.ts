/** The children of a step as stored: counts, and the two sets as base64. Who has none of something does not store it. */
import type { EpochMs } from '../core/ids.ts';
import type { ChildFailure, ChildSet } from '../core/relations.ts';

export interface StoredChildren {
  readonly total: number;
  readonly made?: number | undefined;
  readonly free?: number | undefined;
  readonly stop?: number | undefined;
  readonly ended?: string | undefined;
  readonly failed?: string | undefined;
  readonly codes?: readonly ChildFailure[] | undefined;
  readonly merged?: number | undefined;
  readonly look: EpochMs;
}

export function encodeChildren(set: ChildSet): StoredChildren {
  return {
    total: set.total,
    made: set.created || undefined,
    free: set.releasedTo || undefined,
    stop: set.stoppedTo ?? undefined,
    ended: set.ended || undefined,
    failed: set.failed || undefined,
    codes: set.failures.length === 0 ? undefined : set.failures,
    merged: set.mergedTo || undefined,
    look: set.lookAt,
  };
}

export function decodeChildren(stored: StoredChildren): ChildSet {
  return {
    total: stored.total,
    created: stored.made ?? 0,
    releasedTo: stored.free ?? 0,
    stoppedTo: stored.stop ?? null,
    ended: stored.ended ?? '',
    failed: stored.failed ?? '',
    failures: stored.codes ?? [],
    mergedTo: stored.merged ?? 0,
    lookAt: stored.look,
  };
}
