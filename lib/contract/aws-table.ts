/**
 * The one table on AWS: its keys and indexes, as infrastructure makes them and the adapters use them. Every write of
 * an indexed or projected attribute costs a write unit on that index, so the indexes hold keys only, and all but
 * `active` and `parked` stand on attributes that never change after creation: a job's transitions do not touch them.
 */
import { LIMITS } from '../core/limits.ts';

export interface TableIndex {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly sortKeyType: 'S' | 'N';
}

export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds; DynamoDB removes the item some time after. */
  timeToLive: 'expires_at',
} as const;

/** All of them project keys only. */
export const INDEXES = {
  /** Sparse: jobs with something left to do, by shard and bucket. A short job touches it at its first and last write. */
  active: { name: 'active', partitionKey: 'active', sortKey: 'bucket', sortKeyType: 'N' },
  /** Sparse: jobs that a gate holds, by gate and shard, oldest created first. A job that is never held never touches it. */
  parked: { name: 'parked', partitionKey: 'parked', sortKey: 'at', sortKeyType: 'S' },
  /** A caller's jobs. */
  byCaller: { name: 'by_caller', partitionKey: 'by_caller', sortKey: 'at', sortKeyType: 'S' },
  /** Everybody's jobs; and, under a partition of their own, the dead letters. */
  byTime: { name: 'by_time', partitionKey: 'by_time', sortKey: 'at', sortKeyType: 'S' },
  /** Sparse: jobs that came with a correlation id of their own; without one it is the job's id, which needs no index. */
  byCorrelation: { name: 'by_correlation', partitionKey: 'correlation', sortKey: 'at', sortKeyType: 'S' },
} as const satisfies Record<string, TableIndex>;

/**
 * Partitions that one list is spread over. One takes 1,000 creations a second; four take the 3,000 or so that a new
 * account's quota of 40,000 write units a table lets through, and a list costs four queries.
 */
export const LIST_SHARDS = 4;

/**
 * How long values and moved-out history are kept from when they are written. When that happens nobody knows when their
 * job will end, so it is the longest a job can take and be kept afterwards. The bucket's lifecycle rule takes the same.
 */
export const VALUE_KEPT_MS = LIMITS.jobDeadlineMsMax + LIMITS.jobRetentionMs;

/** How long a removed schedule is remembered: whoever still works on it has long ended, and finds that it is gone. */
export const SCHEDULE_TOMBSTONE_MS = 24 * 60 * 60 * 1_000;
