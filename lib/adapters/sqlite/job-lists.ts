/**
 * Lists of jobs over the one index that fits the question; further conditions filter while reading. So a question
 * costs what it skips: a rare state of a busy caller is the slowest one.
 */
import { knownJobs } from '../../contract/stored-job.ts';
import type { JobQuery, JobStore } from '../../ports.ts';
import type { Database } from './database.ts';
import { given, pagesOf } from './lists.ts';

export function jobLists(database: Database): JobStore['list'] {
  const page = pagesOf(database, 'jobs', 'created_at');
  return async (query) => {
    const { limit, after } = query;
    const { items, next } = page({ index: indexFor(query), conditions: conditionsOf(query), limit, after });
    return { items: knownJobs(items.map((row) => String(row.document))), next };
  };
}

function indexFor(query: JobQuery): string {
  if (query.correlationId !== null) return 'jobs_by_correlation';
  return query.callerId === null ? 'jobs_by_time' : 'jobs_by_caller';
}

function conditionsOf(query: JobQuery) {
  return [
    ...given('correlation_id = ?', query.correlationId),
    ...given('caller_id = ?', query.callerId),
    ...given('state = ?', query.state),
    ...given('workflow_type = ?', query.workflowType),
    ...given('created_at >= ?', query.from),
    ...given('created_at <= ?', query.to),
  ];
}
