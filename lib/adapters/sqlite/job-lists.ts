/**
 * Lists of jobs over the one index that fits the question; further conditions filter while reading. So a question
 * costs what it skips: a rare state of a busy caller is the slowest one.
 */
import { jobFromJson } from '../../contract/stored-job.ts';
import type { Job } from '../../core/job.ts';
import { NewerSchemaError } from '../../core/newer-schema.ts';
import type { JobQuery, JobStore } from '../../ports.ts';
import type { Database } from './database.ts';
import { given, pagesOf, type Row } from './lists.ts';

export function jobLists(database: Database): JobStore['list'] {
  const page = pagesOf(database, 'jobs', 'created_at');
  return async (query) => {
    const { limit, after } = query;
    const { items, next } = page({ index: indexFor(query), conditions: conditionsOf(query), limit, after });
    return { items: items.flatMap(knownJob), next };
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

/** Jobs that newer code has written are left out: it lists them itself. */
function knownJob(row: Row): Job[] {
  try {
    return [jobFromJson(String(row.document))];
  } catch (error) {
    if (error instanceof NewerSchemaError) return [];
    throw error;
  }
}
