/**
 * Jobs in DynamoDB: one item a job, every change one conditional put of the whole item. A put replaces what is there,
 * but an index is written only where the attributes it holds differ, and those are the watchdog's alone.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Job } from '../../core/job.ts';
import { isOwnWrite } from '../../core/own-write.ts';
import { StoreError } from '../../core/store-error.ts';
import type { JobStore } from '../../ports.ts';
import { type Condition, conditionalPut, getItem, isAbsent } from './conditional-put.ts';
import { dueJobs } from './due-jobs.ts';
import { dynamoHistory } from './history.ts';
import { jobKey, number } from './items.ts';
import { jobIn, jobItem, REVISION } from './job-item.ts';
import { jobLists } from './job-lists.ts';
import { parkedJobs } from './parked-jobs.ts';
import { readMany } from './read-many.ts';

const isAtRevision = (revision: number): Condition => ({
  text: '#rev = :expected',
  names: { '#rev': REVISION },
  values: { ':expected': number(revision) },
});

/** Single conditional puts side by side: a batch write knows no conditions. */
const PUTS_AT_ONCE = 32;

/** @param now dates what is stored apart, which expires on its own */
export function dynamoJobs(client: DynamoDBClient, tableName: string, now: () => number): JobStore {
  const put = (job: Job, condition: Condition) => conditionalPut(client, tableName, jobItem(job), condition);
  return {
    create: async (job) => {
      const result = await put(job, isAbsent);
      if (result.put) return { created: true };
      if (result.held === null) throw new StoreError(`job ${job.jobId} was there and is gone again: submit it again`);
      const existing = jobIn(result.held);
      return isOwnWrite(existing, job) ? { created: true } : { created: false, existing };
    },
    read: async (jobId) => {
      const item = await getItem(client, tableName, jobKey(jobId));
      return item === null ? null : jobIn(item);
    },
    update: async (job, expectedRevision) => {
      const result = await put(job, isAtRevision(expectedRevision));
      if (result.put) return { stored: true };
      if (result.held === null) return { stored: false, current: null };
      const current = jobIn(result.held);
      return isOwnWrite(current, job) ? { stored: true } : { stored: false, current };
    },
    createMany: async (jobs) => {
      for (let from = 0; from < jobs.length; from += PUTS_AT_ONCE) {
        await Promise.all(jobs.slice(from, from + PUTS_AT_ONCE).map((job) => put(job, isAbsent)));
      }
    },
    readMany: async (jobIds) => {
      const items = await readMany(client, tableName, jobIds.map(jobKey), { consistent: true });
      const jobs = new Map([...items.values()].map((item) => [jobIn(item).jobId, jobIn(item)]));
      return jobIds.map((jobId) => jobs.get(jobId) ?? null);
    },
    due: dueJobs(client, tableName),
    parked: parkedJobs(client, tableName),
    list: jobLists(client, tableName),
    ...dynamoHistory(client, tableName, now),
  };
}
