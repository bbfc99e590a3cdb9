/**
 * A job as one item: the document, and beside it what is searched or asked for in conditions. State and type stand
 * there for people who look at the table; the whole document is for the code and the CLI.
 * Invariant: apart from `active`, `bucket` and `parked`, no attribute that an index holds changes after creation.
 */
import { INDEXES } from '../../contract/aws-table.ts';
import { jobFromJson, jobToJson } from '../../contract/stored-job.ts';
import type { GateId } from '../../core/ids.ts';
import type { Job } from '../../core/job.ts';
import { LIMITS } from '../../core/limits.ts';
import { expiresAtOf } from '../../core/retention.ts';
import { shardOf } from '../../core/shard.ts';
import {
  activePartition,
  bytes,
  bytesIn,
  callerPartition,
  expiry,
  type Item,
  jobKey,
  listShardOf,
  number,
  parkedPartition,
  positionText,
  text,
  timePartition,
} from './items.ts';
import { packed, unpacked } from './packed.ts';

export const REVISION = 'rev';
export const NEXT_ACTION = 'next';
const DOCUMENT = 'job';

export function jobItem(job: Job): Item {
  const { jobId, bucket, nextActionAt, parkedOn } = job;
  const expiresAt = expiresAtOf(job);
  return {
    ...jobKey(jobId),
    [REVISION]: number(job.revision),
    state: text(job.state),
    type: text(job.workflowType),
    [DOCUMENT]: bytes(packed(jobToJson(job))),
    ...(nextActionAt === null ? {} : { [NEXT_ACTION]: number(nextActionAt) }),
    ...(bucket === null ? {} : activeAttributes(jobId, bucket)),
    ...(parkedOn === null ? {} : parkedAttribute(jobId, parkedOn)),
    ...listAttributes(job),
    ...(expiresAt === null ? {} : expiry(expiresAt)),
  };
}

function activeAttributes(jobId: string, bucket: number): Item {
  const { partitionKey, sortKey } = INDEXES.active;
  return { [partitionKey]: text(activePartition(shardOf(jobId))), [sortKey]: number(bucket) };
}

function parkedAttribute(jobId: string, gate: GateId): Item {
  return { [INDEXES.parked.partitionKey]: text(parkedPartition(gate, shardOf(jobId) % LIMITS.parkedShards)) };
}

function listAttributes(job: Job): Item {
  const { jobId, callerId, correlationId } = job;
  const shard = listShardOf(jobId);
  // An empty text cannot be a key. The job's own id finds the job without an index.
  const hasCorrelation = correlationId !== '' && correlationId !== jobId;
  return {
    [INDEXES.byCaller.partitionKey]: text(callerPartition(callerId, shard)),
    [INDEXES.byTime.partitionKey]: text(timePartition(shard)),
    ...(hasCorrelation ? { [INDEXES.byCorrelation.partitionKey]: text(correlationId) } : {}),
    [INDEXES.byTime.sortKey]: text(positionText(job)),
  };
}

/** Throws `NewerSchemaError` for what newer code has written. */
export function jobIn(item: Item): Job {
  return jobFromJson(documentIn(item));
}

export function documentIn(item: Item): string {
  return unpacked(bytesIn(item, DOCUMENT));
}
