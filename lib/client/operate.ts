/**
 * What people do to jobs and dead letters, and the record of who did what. An action is asked for once: repeated after a
 * lost answer, it would be refused because the first had worked. Only a replay is the same job however often it is asked.
 */
import type { Json, JsonObject } from '../contract/json.ts';
import type { Registry } from '../definition/index.ts';
import { pathOf } from './jobs.ts';
import { everyItem } from './pages.ts';
import type { Send } from './transport.ts';
import type {
  Act,
  AuditEntry,
  AuditFilter,
  DeadLetter,
  DeadLetterFilter,
  Dependency,
  JobOf,
  Pause,
  PauseScope,
  ReleasedPause,
  ReleaseOfPause,
  Resolution,
} from './types.ts';

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
  readonly dependencies: {
    list(): Promise<readonly Dependency[]>;
    get(dependencyId: string): Promise<Dependency>;
    /** `OPEN` stays until somebody closes it. */
    setBreaker(
      dependencyId: string,
      act: { readonly state: 'OPEN' | 'CLOSED'; readonly reason: string },
    ): Promise<Dependency>;
    /** Finds out now whether it is back. */
    probe(dependencyId: string): Promise<Dependency>;
  };
  readonly pauses: {
    list(): Promise<readonly Pause[]>;
    /** Holds it back; what is paused already stays as it is. */
    add(what: { readonly scope: PauseScope; readonly value: string; readonly reason: string }): Promise<Pause>;
    /** Lets what waits go on at a rate; a dry run only says how many jobs that are. */
    release(pauseId: string, how: ReleaseOfPause): Promise<ReleasedPause>;
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
    dependencies: {
      list: async () => {
        const { body } = await send({ method: 'GET', path: '/dependencies', repeatable: true });
        return (body as { readonly items: readonly Dependency[] }).items;
      },
      get: async (id) => (await send({ method: 'GET', path: dependencyPath(id), repeatable: true })).body as Dependency,
      setBreaker: (id, { state, reason }) => act(`${dependencyPath(id)}/breaker`, { state, reason }, true),
      probe: async (id) =>
        (await send({ method: 'POST', path: `${dependencyPath(id)}/probe`, repeatable: true })).body as Dependency,
    },
    pauses: {
      list: async () => itemsIn<Pause>((await send({ method: 'GET', path: '/pauses', repeatable: true })).body),
      add: ({ scope, value, reason }) => act('/pauses', { scope, value, reason }, true),
      release: (id, { ratePerSecond, dryRun, reason }) =>
        act(
          `/pauses/${encodeURIComponent(id)}/release`,
          { rate_per_second: ratePerSecond, reason, ...(dryRun === undefined ? {} : { dry_run: dryRun }) },
          true,
        ),
    },
    audit: (filter = {}) => everyItem(send, '/audit', { ...filter }),
  };
}

function dependencyPath(dependencyId: string): string {
  return `/dependencies/${encodeURIComponent(dependencyId)}`;
}

function itemsIn<T>(body: unknown): readonly T[] {
  return (body as { readonly items: readonly T[] }).items;
}

function recordPath(deadLetterId: string): string {
  return `/dead-letters/${encodeURIComponent(deadLetterId)}`;
}

function bodyOf({ reason, expectedRevision }: Act): JsonObject {
  return { reason, ...(expectedRevision === undefined ? {} : { expected_revision: expectedRevision }) };
}
