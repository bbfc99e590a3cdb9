/**
 * Lists of jobs. An index finds them, newest first, by caller, by time or by correlation id; the jobs are then read and
 * filtered, since whatever changes with a transition is in no index. So a list costs four queries (one for a
 * correlation id), half a read unit for each job of up to 4 KB looked at, also for those it skips, and it may lag:
 * indexes follow a write by a moment, and jobs are read as they were a moment ago.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { INDEXES, LIST_SHARDS, TABLE } from '../../contract/aws-table.ts';
import { knownJobs } from '../../contract/stored-job.ts';
import { isJobId } from '../../core/ids.ts';
import type { Job } from '../../core/job.ts';
import type { JobQuery, JobStore } from '../../ports.ts';
import { getItem } from './conditional-put.ts';
import { callerPartition, type Item, jobKey, positionText, textIn, timePartition } from './items.ts';
import { documentIn } from './job-item.ts';
import { type Candidate, merged, newestFirst } from './newest-first.ts';
import { pageOf } from './pages.ts';
import { readMany } from './read-many.ts';

const SHARDS = Array.from({ length: LIST_SHARDS }, (_, shard) => shard);

export function jobLists(client: DynamoDBClient, tableName: string): JobStore['list'] {
  const load = async (candidates: readonly Candidate[]): Promise<(Job | null)[]> => {
    const keys = candidates.map(({ key }) => key);
    const items = await readMany(client, tableName, keys, { consistent: false });
    return keys.map((key) => knownJob(items.get(textIn(key, TABLE.partitionKey))));
  };
  return (query) =>
    pageOf({
      candidates: candidatesOf(client, tableName, query),
      limit: query.limit,
      load,
      matches: (job) => matches(job, query),
    });
}

function candidatesOf(client: DynamoDBClient, tableName: string, query: JobQuery): AsyncIterable<Candidate> {
  const { callerId, correlationId, from, to, after } = query;
  const asked = { client, tableName, range: { from, to, after }, pageSize: query.limit + 1 };
  if (correlationId !== null) {
    const found = newestFirst({ ...asked, index: INDEXES.byCorrelation, partitions: [correlationId] });
    return merged([found, itself(client, tableName, query)]);
  }
  if (callerId === null) return newestFirst({ ...asked, index: INDEXES.byTime, partitions: SHARDS.map(timePartition) });
  const partitions = SHARDS.map((shard) => callerPartition(callerId, shard));
  return newestFirst({ ...asked, index: INDEXES.byCaller, partitions });
}

/** A job that came without a correlation id has its own id for one, and stands in no index for that. */
async function* itself(client: DynamoDBClient, tableName: string, query: JobQuery): AsyncGenerator<Candidate> {
  const { correlationId, after } = query;
  if (correlationId === null || !isJobId(correlationId)) return;
  const key = jobKey(correlationId);
  const job = knownJob((await getItem(client, tableName, key)) ?? undefined);
  if (job === null || job.correlationId !== job.jobId) return;
  const position = positionText(job);
  if (after === null || position < positionText(after)) yield { position, key };
}

/** Jobs that newer code has written are left out: it lists them itself. */
function knownJob(item: Item | undefined): Job | null {
  return item === undefined ? null : (knownJobs([documentIn(item)])[0] ?? null);
}

function matches(job: Job, query: JobQuery): boolean {
  return (
    (query.callerId === null || job.callerId === query.callerId) &&
    (query.state === null || job.state === query.state) &&
    (query.workflowType === null || job.workflowType === query.workflowType) &&
    (query.correlationId === null || job.correlationId === query.correlationId) &&
    (query.from === null || job.createdAt >= query.from) &&
    (query.to === null || job.createdAt <= query.to)
  );
}
