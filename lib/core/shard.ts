/**
 * The watchdog's index is cut into shards so that no single partition takes every active job. A job's shard follows
 * from its id alone. Invariant: it never changes, for stored items are filed under it.
 */
import { LIMITS } from './limits.ts';

/** 32-bit FNV-1a: spreads any text evenly, also ids that differ in their last character only. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export function shardOf(jobId: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < jobId.length; i += 1) hash = Math.imul(hash ^ jobId.charCodeAt(i), FNV_PRIME);
  return (hash >>> 0) % LIMITS.activeShards;
}
