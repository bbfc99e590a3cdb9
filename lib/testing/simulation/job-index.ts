/**
 * The watchdog's index as it may be read: each write shows in it only after a while, so what it says of a job may be
 * one or several writes old. Also tells when a look at it would find anything, so that idle minutes need not be run.
 */
import type { EpochMs, JobId } from '../../core/ids.ts';
import type { Job } from '../../core/job.ts';
import { bucketOf } from '../../core/schedule.ts';
import { shardOf } from '../../core/shard.ts';
import type { DueJob, DuePosition, DueQuery, Page } from '../../ports.ts';

interface Row {
  readonly jobId: JobId;
  readonly writtenAt: EpochMs;
  readonly bucket: EpochMs | null;
  readonly nextActionAt: EpochMs | null;
}

export interface JobIndex {
  put(job: Job, at: EpochMs): void;
  isEmpty(shard: number): boolean;
  /** @param lagMs how old an answer may be */
  due(query: DueQuery, lagMs: number): Page<DueJob, DuePosition>;
  /** From when on the watchdog would do something about this job; Infinity: never. */
  actionableAt(jobId: string): EpochMs;
}

/** Old answers are drawn from these: an index that lags shows some earlier row, not none. */
const ROWS_KEPT = 4;

/** @param now of the world: an index lags against it, whatever the reader's clock says */
export function jobIndex(now: () => EpochMs): JobIndex {
  const shards = new Map<number, Map<JobId, Row[]>>();
  const newest = new Map<string, Row>();

  const rowAt = (rows: readonly Row[], at: EpochMs): Row | undefined => rows.findLast((row) => row.writtenAt <= at);

  return {
    put: (job, at) => {
      const { jobId, bucket, nextActionAt } = job;
      const row = { jobId, bucket, nextActionAt, writtenAt: at };
      newest.set(jobId, row);
      const shard = shardOf(jobId);
      const filed = shards.get(shard) ?? new Map<JobId, Row[]>();
      shards.set(shard, filed);
      filed.set(jobId, [...(filed.get(jobId) ?? []).slice(1 - ROWS_KEPT), row]);
    },
    isEmpty: (shard) => !shards.has(shard),
    due: ({ shard, now: readerNow, limit, after }, lagMs) => {
      const found = [...(shards.get(shard)?.values() ?? [])]
        .flatMap((rows) => rowAt(rows, now() - lagMs) ?? [])
        .flatMap((row) => (row.bucket !== null && row.bucket <= readerNow ? [{ ...row, bucket: row.bucket }] : []))
        .filter((row) => after === null || inOrder(after, row) < 0)
        .sort(inOrder)
        .slice(0, limit);
      const last = found.at(-1);
      const next = last !== undefined && found.length === limit ? { bucket: last.bucket, jobId: last.jobId } : null;
      return { items: found.map(({ jobId, nextActionAt }) => ({ jobId, nextActionAt })), next };
    },
    actionableAt: (jobId) => {
      const row = newest.get(jobId);
      if (row === undefined || row.bucket === null) return Number.POSITIVE_INFINITY;
      if (row.nextActionAt === null || bucketOf(row.nextActionAt) > row.bucket) return row.bucket;
      return row.nextActionAt;
    },
  };
}

function inOrder(a: DuePosition, b: DuePosition): number {
  if (a.bucket !== b.bucket) return a.bucket - b.bucket;
  return a.jobId === b.jobId ? 0 : a.jobId < b.jobId ? -1 : 1;
}
