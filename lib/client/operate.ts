/**
 * What people do to jobs and dead letters, and the record of who did what. An action is asked for once: repeated after a
 * lost answer, it would be refused because the first had worked. Only a replay is the same job however often it is asked.
 */
import type { Json, JsonObject } from '../contract/json.ts';
import type { Registry } from '../definition/index.ts';
import { pathOf } from './jobs.ts';
import { everyItem } from './pages.ts';
import type { Send } from './transport.ts';
import type { Act, AuditEntry, AuditFilter, DeadLetter, DeadLetterFilter, JobOf, Resolution } from './types.ts';

export interface Operate<R extends Registry> {
  cancel(jobId: string, act: Act): Promise<JobOf<R>>;
  resume(jobId: string, act: Act): Promise<JobOf<R>>;
  retryCompensation(jobId: string, act: Act): Promise<JobOf<R>>;
  close(jobId: string, act: Act): Promise<JobOf<R>>;
  resolve(jobId: string, resolution: Resolution): Promise<JobOf<R>>;
  /** Decides in place of the person whom a step asks. */
  approve(
    jobId: string,
    act: Act & { readonly step: string; readonly decision: 'approved' | 'declined' },
  ): Promise<JobOf<R>>;
  /** Leaves effects behind; `confirm` is the job's id once more. */
  forceClose(jobId: string, act: Act & { readonly confirm: string }): Promise<JobOf<R>>;
  readonly deadLetters: {
    list(filter?: DeadLetterFilter): AsyncGenerator<DeadLetter, void, void>;
    get(deadLetterId: string): Promise<DeadLetter>;
    /** As a new job, with the original input or an edited one. */
    replay(
      deadLetterId: string,
      act: { readonly reason: string; readonly input?: Json | undefined },
    ): Promise<JobOf<R>>;
    discard(deadLetterId: string, act: { readonly reason: string }): Promise<DeadLetter>;
  };
  /** Newest first. */
  audit(filter?: AuditFilter): AsyncGenerator<AuditEntry, void, void>;
}

export function operate<R extends Registry>(send: Send): Operate<R> {
  const act = async <T>(path: string, body: JsonObject, repeatable = false): Promise<T> =>
    (await send({ method: 'POST', path, body, repeatable })).body as T;
  const plain = (name: string) => (jobId: string, said: Act) => act<JobOf<R>>(`${pathOf(jobId)}/${name}`, bodyOf(said));
  return {
    cancel: plain('cancel'),
    resume: plain('resume'),
    retryCompensation: plain('retry-compensation'),
    close: plain('close'),
    approve: (jobId, { step, decision, ...said }) =>
      act(`${pathOf(jobId)}/approve`, { ...bodyOf(said), step, decision }),
    forceClose: (jobId, { confirm, ...said }) => act(`${pathOf(jobId)}/force-close`, { ...bodyOf(said), confirm }),
    resolve: (jobId, { step, resolution, output, evidence, ...said }) =>
      act(`${pathOf(jobId)}/resolve`, {
        ...bodyOf(said),
        step,
        resolution,
        ...(output === undefined ? {} : { output }),
        ...(evidence === undefined ? {} : { evidence }),
      }),
    deadLetters: {
      list: (filter = {}) => everyItem(send, '/dead-letters', { ...filter }),
      get: async (id) => (await send({ method: 'GET', path: recordPath(id), repeatable: true })).body as DeadLetter,
      replay: (id, { reason, input }) =>
        act(`${recordPath(id)}/replay`, { reason, ...(input === undefined ? {} : { input }) }, true),
      discard: (id, { reason }) => act(`${recordPath(id)}/discard`, { reason }),
    },
    audit: (filter = {}) => everyItem(send, '/audit', { ...filter }),
  };
}

function recordPath(deadLetterId: string): string {
  return `/dead-letters/${encodeURIComponent(deadLetterId)}`;
}

function bodyOf({ reason, expectedRevision }: Act): JsonObject {
  return { reason, ...(expectedRevision === undefined ? {} : { expected_revision: expectedRevision }) };
}
