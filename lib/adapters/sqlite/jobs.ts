/**
 * Jobs in SQLite: the document, and columns for what is searched by. Every write is conditional in its own WHERE; a
 * condition that fails on a write of ours whose answer was lost is recognised from what is stored.
 */
import type { StatementSync } from 'node:sqlite';
import { decodeEntry, encodeEntry, type StoredEntry } from '../../contract/stored-history.ts';
import { jobFromJson, jobToJson } from '../../contract/stored-job.ts';
import type { JobId } from '../../core/ids.ts';
import type { HistoryEntry, Job } from '../../core/job.ts';
import { isOwnWrite } from '../../core/own-write.ts';
import { expiresAtOf } from '../../core/retention.ts';
import { shardOf } from '../../core/shard.ts';
import type {
  DueJob,
  DuePosition,
  DueQuery,
  JobStore,
  Page,
  ParkedJob,
  ParkedPosition,
  ParkedQuery,
} from '../../ports.ts';
import type { Database } from './database.ts';
import { jobLists } from './job-lists.ts';

const INSERT = `
  INSERT INTO jobs (revision, bucket, next_action_at, state, expires_at, document,
    job_id, shard, caller_id, created_at, workflow_type, correlation_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job_id) DO NOTHING`;

/** Names no indexed column, so it touches no index: most writes of a job leave its bucket alone. */
const UPDATE_IN_BUCKET = `
  UPDATE jobs SET revision = ?, next_action_at = ?, state = ?, document = ?
  WHERE job_id = ? AND revision = ? AND bucket = ? AND parked_on IS ?`;

const UPDATE = `
  UPDATE jobs SET revision = ?, bucket = ?, next_action_at = ?, state = ?, expires_at = ?, parked_on = ?, document = ?
  WHERE job_id = ? AND revision = ?`;

const DUE = `
  SELECT job_id, bucket, next_action_at FROM jobs INDEXED BY jobs_active
  WHERE shard = ? AND bucket <= ? AND (bucket, job_id) > (?, ?) ORDER BY bucket, job_id LIMIT ?`;

const PARKED = `
  SELECT job_id, created_at FROM jobs INDEXED BY jobs_parked
  WHERE parked_on = ? AND (created_at, job_id) > (?, ?) ORDER BY created_at, job_id LIMIT ?`;

function parkedPage(parked: StatementSync, { gate, limit, after }: ParkedQuery): Page<ParkedJob, ParkedPosition> {
  const rows = parked.all(gate, after?.createdAt ?? -1, after?.jobId ?? '', limit);
  const items = rows.map((row) => ({ jobId: row.job_id as JobId, createdAt: Number(row.created_at) }));
  const last = items.at(-1);
  return { items, next: last !== undefined && items.length === limit ? { shard: 0, ...last } : null };
}

function duePage(due: StatementSync, { shard, now, limit, after }: DueQuery): Page<DueJob, DuePosition> {
  const rows = due.all(shard, now, after?.bucket ?? -1, after?.jobId ?? '', limit);
  const items = rows.map((row) => ({
    jobId: row.job_id as JobId,
    nextActionAt: row.next_action_at === null ? null : Number(row.next_action_at),
  }));
  const last = rows.at(-1);
  const more = last !== undefined && rows.length === limit;
  return { items, next: more ? { bucket: Number(last.bucket), jobId: last.job_id as JobId } : null };
}

function found(database: Database): Pick<JobStore, 'due' | 'parked'> {
  const due = database.prepare(DUE);
  const parked = database.prepare(PARKED);
  return { due: async (query) => duePage(due, query), parked: async (query) => parkedPage(parked, query) };
}

/** All of them in one transaction. */
function each(puts: readonly (() => unknown)[]): () => void {
  return () => {
    for (const put of puts) put();
  };
}

/** Encodes now, puts when called; answers whether there was none. */
function insertion(insert: StatementSync, job: Job): () => boolean {
  const document = jobToJson(job);
  const { jobId, callerId, createdAt, workflowType, correlationId, revision, bucket, nextActionAt, state } = job;
  const fixed = [jobId, shardOf(jobId), callerId, createdAt, workflowType, correlationId] as const;
  const expires = expiresAtOf(job);
  return () => insert.run(revision, bucket, nextActionAt, state, expires, document, ...fixed).changes === 1;
}

export function sqliteJobs(database: Database, notify: (jobId: JobId) => void): JobStore {
  const insert = database.prepare(INSERT);
  const updateInBucket = database.prepare(UPDATE_IN_BUCKET);
  const update = database.prepare(UPDATE);
  const select = database.prepare('SELECT document FROM jobs WHERE job_id = ?');
  const putChunk = database.prepare('INSERT INTO history_chunks VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const chunks = database.prepare('SELECT entries FROM history_chunks WHERE job_id = ? ORDER BY chunk');

  const stored = (jobId: JobId): string | null => {
    const row = select.get(jobId);
    return row === undefined ? null : String(row.document);
  };
  const held = (jobId: JobId): Job | null => {
    const document = stored(jobId);
    return document === null ? null : jobFromJson(document);
  };
  const inserting = (job: Job) => insertion(insert, job);
  /** Answers whether the row is now this document. */
  const replace = (job: Job, document: string, expected: number): boolean => {
    const { jobId, revision, bucket, nextActionAt, state, parkedOn } = job;
    if (bucket !== null) {
      const { changes } = updateInBucket.run(
        revision,
        nextActionAt,
        state,
        document,
        jobId,
        expected,
        bucket,
        parkedOn,
      );
      if (changes === 1) return true;
    }
    const columns = [revision, bucket, nextActionAt, state, expiresAtOf(job), parkedOn];
    return update.run(...columns, document, jobId, expected).changes === 1;
  };

  return {
    create: async (job) => {
      const { jobId } = job;
      const put = inserting(job);
      const existing = await database.write(() => (put() ? null : stored(jobId)));
      if (existing === null) notify(jobId);
      const found = existing === null ? null : jobFromJson(existing);
      return found === null || isOwnWrite(found, job) ? { created: true } : { created: false, existing: found };
    },
    createMany: (jobs) => database.write(each(jobs.map(inserting))),
    read: async (jobId) => held(jobId),
    readMany: async (jobIds) => jobIds.map(held),
    update: async (job, expectedRevision) => {
      const document = jobToJson(job);
      const held = await database.write(() => replace(job, document, expectedRevision) || stored(job.jobId));
      if (held === true) {
        notify(job.jobId);
        return { stored: true };
      }
      const current = held === null ? null : jobFromJson(held);
      return current !== null && isOwnWrite(current, job) ? { stored: true } : { stored: false, current };
    },
    ...found(database),
    list: jobLists(database),
    putHistoryChunk: async (jobId, chunk, entries) => {
      const text = JSON.stringify(entries.map(encodeEntry));
      await database.write(() => putChunk.run(jobId, chunk, text));
    },
    readHistoryChunks: async (jobId) => chunks.all(jobId).flatMap((row) => entriesOf(String(row.entries))),
  };
}

function entriesOf(text: string): HistoryEntry[] {
  const stored: StoredEntry[] = JSON.parse(text);
  return stored.map(decodeEntry);
}
