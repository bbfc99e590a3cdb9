/**
 * Lists of jobs over the one index that fits the question; further conditions filter while reading. So a question
 * costs what it skips: a rare state of a busy caller is the slowest one. A job that correlates with nothing but itself is
 * not in the correlation index, and found by its id.
 */
import { knownJobs } from '../../contract/stored-job.ts';
import type { JobQuery, JobStore } from '../../ports.ts';
import type { Database } from './database.ts';
import { given, pagesOf } from './lists.ts';

export function jobLists(database: Database): JobStore['list'] {
  const page = pagesOf(database, 'jobs', 'created_at');
  return async (query) => {
    const { limit, after } = query;
    const { items, next } = page({ sources: sourcesOf(query), conditions: conditionsOf(query), limit, after });
    return { items: knownJobs(items.map((row) => String(row.document))), next };
  };
}

function sourcesOf({ correlationId, callerId }: JobQuery) {
  if (correlationId !== null) {
    const others = given('correlation_id = ? AND correlation_id <> job_id', correlationId);
    const itself = given('job_id = ? AND correlation_id = job_id', correlationId);
    return [
      { index: 'jobs_by_correlation', conditions: others },
      { index: null, conditions: itself },
    ];
  }
  return [{ index: callerId === null ? 'jobs_by_time' : 'jobs_by_caller', conditions: [] }];
}

function conditionsOf(query: JobQuery) {
  return [
    ...given('caller_id = ?', query.callerId),
    ...given('state = ?', query.state),
    ...given('workflow_type = ?', query.workflowType),
    ...given('created_at >= ?', query.from),
    ...given('created_at <= ?', query.to),
  ];
}
