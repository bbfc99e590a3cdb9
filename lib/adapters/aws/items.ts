/**
 * Attributes and keys of the one table. Names never stand in an expression by themselves: each goes in by a
 * placeholder, so no reserved word and no name of somebody else's can become part of an expression.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { LIST_SHARDS, TABLE } from '../../contract/aws-table.ts';
import type { EpochMs, GateId, JobId } from '../../core/ids.ts';
import { shardOf } from '../../core/shard.ts';
import type { ListPosition } from '../../ports.ts';

export type Item = Record<string, AttributeValue>;

export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });
export const bytes = (value: Uint8Array): AttributeValue => ({ B: value });

export function textIn(item: Item, name: string): string {
  const value = item[name]?.S;
  if (value === undefined) throw damaged(item, name);
  return value;
}

export function numberIn(item: Item, name: string): number {
  return numberOrNull(item, name) ?? fail(item, name);
}

export function numberOrNull(item: Item, name: string): number | null {
  const value = item[name]?.N;
  return value === undefined ? null : Number(value);
}

export function bytesIn(item: Item, name: string): Uint8Array {
  return item[name]?.B ?? fail(item, name);
}

function fail(item: Item, name: string): never {
  throw damaged(item, name);
}

function damaged(item: Item, name: string): Error {
  return new Error(`item ${item[TABLE.partitionKey]?.S} has no ${name}: restore it from a backup of the table`);
}

/** When the item may go, as DynamoDB's time to live takes it. */
export function expiry(at: EpochMs): Item {
  return { [TABLE.timeToLive]: number(Math.ceil(at / 1_000)) };
}

function key(partition: string, sort: string): Item {
  return { [TABLE.partitionKey]: text(partition), [TABLE.sortKey]: text(sort) };
}

const JOB = 'JOB#';
export const jobKey = (jobId: string): Item => key(`${JOB}${jobId}`, 'JOB');
export const jobIdIn = (item: Item): JobId => textIn(item, TABLE.partitionKey).slice(JOB.length) as JobId;
export const valueKey = (jobId: string, hash: string): Item => key(`VALUE#${jobId}#${hash}`, 'VALUE');
export const historyPartition = (jobId: string): string => `HISTORY#${jobId}`;
/** Chunks are read in order: six digits hold more of them than a job can make. */
export const historyKey = (jobId: string, chunk: number): Item =>
  key(historyPartition(jobId), String(chunk).padStart(6, '0'));
export const DEPENDENCIES = 'DEPENDENCIES';
export const dependencyKey = (id: string): Item => key(DEPENDENCIES, id);
export const claimKey = (intent: string): Item => key(`CLAIM#${intent}`, 'CLAIM');
export const deadLetterKey = (deadLetterId: string): Item => key(`DEAD#${deadLetterId}`, 'DEAD');
/** One partition of the table, and of the index of what has something to do. */
export const SCHEDULES = 'SCHEDULES';
export const scheduleKey = (name: string): Item => key(SCHEDULES, name);
/** One partition: whoever decides reads all of them. */
export const PAUSES = 'PAUSES';
export const pauseKey = (id: string): Item => key(PAUSES, id);
export const auditKey = (auditId: string): Item => key(`${AUDIT}#${auditId}`, AUDIT);

/** Partitions of the indexes. */
export const activePartition = (shard: number): string => `ACTIVE#${String(shard).padStart(2, '0')}`;
export const parkedPartition = (gate: GateId, shard: number): string => `PARKED#${gate}#${shard}`;
export const listShardOf = (jobId: string): number => shardOf(jobId) % LIST_SHARDS;
export const callerPartition = (callerId: string, shard: number): string => `${callerId}#${shard}`;
export const timePartition = (shard: number): string => `JOBS#${shard}`;
export const DEAD_LETTERS = 'DEAD';
export const AUDIT = 'AUDIT';
/** In the index by caller: no caller's partition ends like a job's id, for it ends in a shard. */
export const auditPartition = (jobId: string): string => `${AUDIT}#${jobId}`;

/** Thirteen digits last until the year 2286 and sort as numbers do. */
const TIME_DIGITS = 13;
export const timeText = (at: EpochMs): string => String(at).padStart(TIME_DIGITS, '0');
/** Where a record stands in a list: by time, and by id among those of one millisecond. */
export const positionText = ({ createdAt, jobId }: ListPosition): string => `${timeText(createdAt)}#${jobId}`;

export function positionOf(position: string): ListPosition {
  return { createdAt: Number(position.slice(0, TIME_DIGITS)), jobId: position.slice(TIME_DIGITS + 1) };
}
