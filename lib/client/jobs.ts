/**
 * Submitting jobs and following them. Every submit has a key, made up where none is given, so that a repeated one finds
 * the job of the first.
 */
import type { Json } from '../contract/json.ts';
import type { Registry } from '../definition/index.ts';
import { StillRunningError } from './errors.ts';
import { everyItem } from './pages.ts';
import type { Send } from './transport.ts';
import type { BatchAnswer, HistoryEntry, Input, Job, JobFilter, JobOf, Output, Submitted, TypeName } from './types.ts';

export interface SubmitOptions {
  readonly idempotencyKey?: string | undefined;
  readonly correlationId?: string | undefined;
  /** Of the definition; the newest where none is given. */
  readonly version?: number | undefined;
  /** W3C trace context to go on under. */
  readonly traceparent?: string | undefined;
  /** 1 to 25: the answer comes when the job has ended, or after this time; a bad end is thrown. */
  readonly waitSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WaitOptions {
  /** Default: as long as it takes. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BatchItem<I> {
  readonly input: I;
  readonly idempotencyKey?: string | undefined;
  readonly correlationId?: string | undefined;
}

export type KeyedBatchAnswer<J> = BatchAnswer<J> & { readonly idempotencyKey: string };

export interface Jobs<R extends Registry> {
  submit<T extends TypeName<R>>(type: T, input: Input<R, T>, options?: SubmitOptions): Promise<Submitted<JobOf<R, T>>>;
  /** Submits, waits for the end however long it takes, and gives the output; a bad end is thrown. */
  execute<T extends TypeName<R>>(
    type: T,
    input: Input<R, T>,
    options?: Omit<SubmitOptions, 'waitSeconds'> & WaitOptions,
  ): Promise<Output<R, T>>;
  /** Any number of submits, a hundred a request; the answers stand in the order of the items. */
  batch<T extends TypeName<R>>(
    type: T,
    items: readonly BatchItem<Input<R, T>>[],
  ): Promise<KeyedBatchAnswer<JobOf<R, T>>[]>;
  get(jobId: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<JobOf<R>>;
  /** The job when it has ended or needs a person, or as it is when the time is over. */
  wait(jobId: string, options?: WaitOptions): Promise<JobOf<R>>;
  /** Every entry, oldest first. */
  history(jobId: string): Promise<readonly HistoryEntry[]>;
  /** Newest first; pages are fetched as they are needed. */
  list(filter?: JobFilter): AsyncGenerator<JobOf<R>, void, void>;
  signal(jobId: string, name: string, payload: Json, options?: { readonly idempotencyKey?: string }): Promise<JobOf<R>>;
}

export interface Clock {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

const BATCH_ITEMS_MAX = 100;
const WAIT_SECONDS_MAX = 25;
/** Soon at first, since most jobs are short; then so that a long wait costs next to nothing. */
const POLL_MS_FIRST = 100;
const POLL_MS_MAX = 2_000;

const STATES_AT_REST = new Set(['COMPLETED', 'CANCELLED', 'FAILED', 'DEAD_LETTERED', 'NEEDS_REVIEW']);

/** Ended, or stopped until a person acts: waiting longer changes nothing. */
export function isAtRest({ current_state }: Pick<Job, 'current_state'>): boolean {
  return STATES_AT_REST.has(current_state);
}

export function jobs<R extends Registry>(send: Send, clock: Clock): Jobs<R> {
  const submit: Jobs<R>['submit'] = (type, input, options = {}) =>
    submitOnce<R, typeof type>(send, type, input, options);
  const get: Jobs<R>['get'] = async (jobId, { signal } = {}) =>
    (await send({ method: 'GET', path: pathOf(jobId), repeatable: true, signal })).body as JobOf<R>;
  return {
    submit,
    get,
    execute: (type, input, options = {}) => executed(submit, clock, type, input, options),
    batch: (type, items) => submitAll<R, typeof type>(send, type, items),
    wait: (jobId, options = {}) => atRest(get, clock, jobId, options),
    history: async (jobId) => {
      const { body } = await send({ method: 'GET', path: `${pathOf(jobId)}/history`, repeatable: true });
      return (body as { readonly items: readonly HistoryEntry[] }).items;
    },
    list: (filter = {}) => everyItem<JobOf<R>>(send, '/jobs', { ...filter }),
    signal: async (jobId, name, payload, { idempotencyKey = newKey() } = {}) => {
      const path = `${pathOf(jobId)}/signals/${encodeURIComponent(name)}`;
      const headers = { 'idempotency-key': idempotencyKey };
      const answer = await send({ method: 'POST', path, body: payload, headers, repeatable: true, idempotencyKey });
      return answer.body as JobOf<R>;
    },
  };
}

async function submitOnce<R extends Registry, T extends TypeName<R>>(
  send: Send,
  type: T,
  input: Input<R, T>,
  options: SubmitOptions,
): Promise<Submitted<JobOf<R, T>>> {
  const { idempotencyKey = newKey(), correlationId, version, traceparent, waitSeconds, signal } = options;
  const { headers, body } = await send({
    method: 'POST',
    path: `/workflows/${encodeURIComponent(type)}/jobs`,
    query: { version },
    headers: {
      'idempotency-key': idempotencyKey,
      ...(correlationId === undefined ? {} : { 'x-correlation-id': correlationId }),
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(waitSeconds === undefined ? {} : { prefer: `wait=${waitSeconds}` }),
    },
    body: input as Json,
    repeatable: true,
    idempotencyKey,
    signal,
  });
  return { job: body as JobOf<R, T>, replayed: headers.get('idempotency-replayed') === 'true', idempotencyKey };
}

/** Each round is a duplicate of the first, which the server answers as it would have answered that one by now. */
async function executed<R extends Registry, T extends TypeName<R>>(
  submit: Jobs<R>['submit'],
  { now }: Clock,
  type: T,
  input: Input<R, T>,
  { timeoutMs = Number.POSITIVE_INFINITY, idempotencyKey = newKey(), ...options }: SubmitOptions & WaitOptions,
): Promise<Output<R, T>> {
  const until = now() + timeoutMs;
  for (;;) {
    const leftSeconds = Math.ceil((until - now()) / 1_000);
    const waitSeconds = Math.max(1, Math.min(WAIT_SECONDS_MAX, leftSeconds));
    const { job } = await submit(type, input, { ...options, idempotencyKey, waitSeconds });
    const { job_id, current_state, output } = job as Job<unknown, Output<R, T>>;
    if (current_state === 'COMPLETED') return output as Output<R, T>;
    if (now() >= until) throw new StillRunningError(job_id);
  }
}

async function submitAll<R extends Registry, T extends TypeName<R>>(
  send: Send,
  type: T,
  items: readonly BatchItem<Input<R, T>>[],
): Promise<KeyedBatchAnswer<JobOf<R, T>>[]> {
  const answers: KeyedBatchAnswer<JobOf<R, T>>[] = [];
  for (let start = 0; start < items.length; start += BATCH_ITEMS_MAX) {
    const keyed = items.slice(start, start + BATCH_ITEMS_MAX).map((item) => ({
      input: item.input as Json,
      idempotency_key: item.idempotencyKey ?? newKey(),
      ...(item.correlationId === undefined ? {} : { correlation_id: item.correlationId }),
    }));
    const path = `/workflows/${encodeURIComponent(type)}/jobs:batch`;
    const { body } = await send({ method: 'POST', path, body: keyed, repeatable: true });
    const told = (body as { readonly items: readonly BatchAnswer<JobOf<R, T>>[] }).items;
    for (const [index, answer] of told.entries()) {
      answers.push({ ...answer, idempotencyKey: keyed[index]?.idempotency_key ?? '' });
    }
  }
  return answers;
}

async function atRest<R extends Registry>(
  get: Jobs<R>['get'],
  { now, sleep }: Clock,
  jobId: string,
  { timeoutMs = Number.POSITIVE_INFINITY, signal }: WaitOptions,
): Promise<JobOf<R>> {
  const until = now() + timeoutMs;
  for (let pauseMs = POLL_MS_FIRST; ; pauseMs = Math.min(pauseMs * 2, POLL_MS_MAX)) {
    const job = await get(jobId, { signal });
    const leftMs = until - now();
    if (isAtRest(job as Job) || leftMs <= 0) return job;
    await sleep(Math.min(pauseMs, leftMs));
    signal?.throwIfAborted();
  }
}

export function pathOf(jobId: string): string {
  return `/jobs/${encodeURIComponent(jobId)}`;
}

/** 122 bits of chance: no two submits of anybody meet. */
function newKey(): string {
  return crypto.randomUUID();
}
