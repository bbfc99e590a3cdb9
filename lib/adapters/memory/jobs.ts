/**
 * Jobs in memory. What is kept are the encoded documents and what an index would hold beside them: nobody shares a
 * record with the store, and a mistake in the stored form shows here first.
 */

import { decodeEntry, encodeEntry, type StoredEntry } from '../../contract/stored-history.ts';
import { jobFromJson, jobToJson, knownJobs } from '../../contract/stored-job.ts';
import type { JobId } from '../../core/ids.ts';
import type { HistoryEntry, Job } from '../../core/job.ts';
import { isOwnWrite } from '../../core/own-write.ts';
import { shardOf } from '../../core/shard.ts';
import type {
  DuePosition,
  JobQuery,
  JobStore,
  ListPosition,
  Page,
  ParkedJob,
  ParkedPosition,
  ParkedQuery,
} from '../../ports.ts';
import { pageOf } from './page.ts';

type Indexed = Pick<
  Job,
  | 'jobId'
  | 'revision'
  | 'bucket'
  | 'nextActionAt'
  | 'parkedOn'
  | 'createdAt'
  | 'callerId'
  | 'state'
  | 'workflowType'
  | 'correlationId'
>;
interface Row<D> extends Indexed {
  readonly document: D;
}

/** What is kept of a job: the text that a real store would hold, or, where runs are counted by the million, its record. */
export interface Documents<D> {
  of(job: Job): D;
  jobIn(document: D): Job;
  jobsIn(documents: readonly D[]): Job[];
}

const TEXTS: Documents<string> = { of: jobToJson, jobIn: jobFromJson, jobsIn: knownJobs };

export function memoryJobs(notify: (jobId: JobId) => void): JobStore {
  return jobsKeptAs(TEXTS, notify);
}

export function jobsKeptAs<D>(documents: Documents<D>, notify: (jobId: JobId) => void): JobStore {
  const rows = new Map<string, Row<D>>();
  /** The watchdog's index: per shard, the rows that have a bucket. */
  const active = new Map<number, Map<string, Row<D>>>();
  const chunks = new Map<string, Map<number, string>>();

  const keep = (job: Job): void => {
    const row = { ...indexedOf(job), document: documents.of(job) };
    const shard = shardOf(job.jobId);
    const filed = active.get(shard) ?? new Map<string, Row<D>>();
    active.set(shard, filed);
    rows.set(job.jobId, row);
    if (row.bucket === null) filed.delete(job.jobId);
    else filed.set(job.jobId, row);
    notify(job.jobId);
  };
  const held = (jobId: JobId): Job | null => {
    const row = rows.get(jobId);
    return row === undefined ? null : documents.jobIn(row.document);
  };

  return {
    create: async (job) => {
      const existing = held(job.jobId);
      if (existing !== null) return isOwnWrite(existing, job) ? { created: true } : { created: false, existing };
      keep(job);
      return { created: true };
    },
    createMany: async (jobs) => {
      for (const job of jobs) if (!rows.has(job.jobId)) keep(job);
    },
    read: async (jobId) => held(jobId),
    readMany: async (jobIds) => jobIds.map(held),
    update: async (job, expectedRevision) => {
      if (rows.get(job.jobId)?.revision === expectedRevision) {
        keep(job);
        return { stored: true };
      }
      const current = held(job.jobId);
      return current !== null && isOwnWrite(current, job) ? { stored: true } : { stored: false, current };
    },
    due: async ({ shard, now, limit, after }) => {
      const rows = [...(active.get(shard)?.values() ?? [])]
        .filter(
          (row) => bucketOf(row) <= now && (after === null || inOrder(after, { ...row, bucket: bucketOf(row) }) < 0),
        )
        .sort((a, b) => inOrder({ ...a, bucket: bucketOf(a) }, { ...b, bucket: bucketOf(b) }))
        .slice(0, limit);
      const last = rows.at(-1);
      const items = rows.map(({ jobId, nextActionAt }) => ({ jobId, nextActionAt }));
      const more = last !== undefined && rows.length === limit;
      return { items, next: more ? { bucket: bucketOf(last), jobId: last.jobId } : null };
    },
    parked: async (query) => parkedPage([...rows.values()], query),
    list: async (query) => {
      const page = pageOf(
        [...rows.values()].filter((row) => matches(row, query)),
        query,
      );
      return { items: documents.jobsIn(page.items.map((row) => row.document)), next: page.next };
    },
    putHistoryChunk: async (jobId, chunk, entries) => {
      const kept = chunks.get(jobId) ?? new Map<number, string>();
      chunks.set(jobId, kept);
      if (!kept.has(chunk)) kept.set(chunk, JSON.stringify(entries.map(encodeEntry)));
    },
    readHistoryChunks: async (jobId) =>
      [...(chunks.get(jobId) ?? [])].sort(([a], [b]) => a - b).flatMap(([, text]) => entriesOf(text)),
  };
}

function indexedOf(job: Job): Indexed {
  const { jobId, revision, bucket, nextActionAt, createdAt, callerId, state, workflowType, correlationId, parkedOn } =
    job;
  const indexed = { jobId, revision, bucket, nextActionAt, createdAt, callerId, state, workflowType, correlationId };
  return { ...indexed, parkedOn };
}

function bucketOf(row: Indexed): number {
  return row.bucket ?? Number.POSITIVE_INFINITY;
}

function entriesOf(text: string): HistoryEntry[] {
  const stored: StoredEntry[] = JSON.parse(text);
  return stored.map(decodeEntry);
}

function matches(row: Indexed, query: JobQuery): boolean {
  return (
    (query.callerId === null || row.callerId === query.callerId) &&
    (query.state === null || row.state === query.state) &&
    (query.workflowType === null || row.workflowType === query.workflowType) &&
    (query.correlationId === null || row.correlationId === query.correlationId) &&
    (query.from === null || row.createdAt >= query.from) &&
    (query.to === null || row.createdAt <= query.to)
  );
}

function parkedPage(rows: readonly Indexed[], { gate, limit, after }: ParkedQuery): Page<ParkedJob, ParkedPosition> {
  const held = rows
    .filter((row) => row.parkedOn === gate && (after === null || createdFirst(after, row) < 0))
    .sort(createdFirst)
    .slice(0, limit);
  const last = held.at(-1);
  const items = held.map(({ jobId, createdAt }) => ({ jobId, createdAt }));
  const more = last !== undefined && held.length === limit;
  return { items, next: more ? { shard: 0, createdAt: last.createdAt, jobId: last.jobId } : null };
}

function createdFirst(a: ListPosition, b: ListPosition): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.jobId === b.jobId ? 0 : a.jobId < b.jobId ? -1 : 1;
}

function inOrder(a: DuePosition, b: DuePosition): number {
  if (a.bucket !== b.bucket) return a.bucket - b.bucket;
  return a.jobId === b.jobId ? 0 : a.jobId < b.jobId ? -1 : 1;
}
