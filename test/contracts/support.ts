/**
 * What every suite shares. Stores may be reused between tests and runs, so each test works under names of its own;
 * what a port says «may lag» is waited for, within a deadline.
 */
import { vi } from 'vitest';
import type { Job } from '../../lib/core/job.ts';
import type { JobQuery, JobStore, ListPosition } from '../../lib/ports.ts';

export { unique } from './unique.ts';

/** Makes a port for one test and registers its own cleaning up. */
export type Make<T> = () => Promise<T>;

/** Until the expectation holds, or its own failure is the answer. */
export function eventually(expectation: () => Promise<void>): Promise<void> {
  return vi.waitFor(expectation, { timeout: 10_000, interval: 20 });
}

export const EVERYTHING: JobQuery = {
  callerId: null,
  state: null,
  workflowType: null,
  correlationId: null,
  from: null,
  to: null,
  limit: 100,
  after: null,
};

/** All pages of a list, in order. */
export async function allPages(store: JobStore, query: Partial<JobQuery>): Promise<Job[]> {
  const jobs: Job[] = [];
  let after: ListPosition | null = null;
  do {
    const page = await store.list({ ...EVERYTHING, ...query, after });
    jobs.push(...page.items);
    after = page.next;
  } while (after !== null);
  return jobs;
}
