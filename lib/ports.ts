/**
 * Everything outside, on one page. Operations know these interfaces and nothing else; adapters implement them and all
 * pass the same contract suite (`test/contracts`). Every write is conditional or idempotent: a caller may die after
 * any call, and any call may be made twice.
 */
import type { DriverKind } from './core/events.ts';
import type { EpochMs, JobId } from './core/ids.ts';
import type { HistoryEntry, Job } from './core/job.ts';
import type { Json, JsonObject } from './core/json.ts';
import type { JobState } from './core/states.ts';
import type { DependencyPut, DependencyStore } from './ports/dependencies.ts';
import type { Family } from './ports/family.ts';
import type { Message } from './ports/message.ts';
import type { ListPosition, ParkedJob, ParkedPosition, ParkedQuery } from './ports/parked.ts';
import type { CallEnvelope, Participants } from './ports/participants.ts';
import type { PausePut, PauseStore } from './ports/pauses.ts';
import type { SchedulePage, ScheduleStore, Wakeups } from './ports/schedules.ts';

export type {
  CallEnvelope,
  DependencyPut,
  DependencyStore,
  Family,
  ListPosition,
  Message,
  ParkedJob,
  ParkedPosition,
  ParkedQuery,
  Participants,
  PausePut,
  PauseStore,
  SchedulePage,
  ScheduleStore,
  Wakeups,
};

export type Created = { readonly created: true } | { readonly created: false; readonly existing: Job };
export type Updated = { readonly stored: true } | { readonly stored: false; readonly current: Job | null };

export interface JobQuery {
  /** null: every caller's. */
  readonly callerId: string | null;
  readonly state: JobState | null;
  readonly workflowType: string | null;
  readonly correlationId: string | null;
  readonly from: EpochMs | null;
  readonly to: EpochMs | null;
  readonly limit: number;
  /** Continue after this one. */
  readonly after: ListPosition | null;
}

export interface Page<T, P> {
  readonly items: readonly T[];
  readonly next: P | null;
}

export interface DueJob {
  readonly jobId: JobId;
  /** As the index says, which may lag: only a candidate. */
  readonly nextActionAt: EpochMs | null;
}

export interface DuePosition {
  readonly bucket: EpochMs;
  readonly jobId: JobId;
}

export interface DueQuery {
  readonly shard: number;
  readonly now: EpochMs;
  readonly limit: number;
  /** Continue after this one. */
  readonly after: DuePosition | null;
}

export interface JobStore {
  /** Puts a job that does not exist yet. A put of ours whose answer was lost counts as created. */
  create(job: Job): Promise<Created>;
  /** Puts those that do not exist yet, each as `create` would; one that is there stays as it is. */
  createMany(jobs: readonly Job[]): Promise<void>;
  /** The latest state, consistently; values stored apart are not loaded. */
  read(jobId: JobId): Promise<Job | null>;
  /** The same for many, in their order. */
  readMany(jobIds: readonly JobId[]): Promise<readonly (Job | null)[]>;
  /** Replaces the job if its revision is `expectedRevision`. A write of ours whose answer was lost counts as stored. */
  update(job: Job, expectedRevision: number): Promise<Updated>;
  /** Jobs in the buckets of this shard up to now, oldest bucket first, a page at a time; may lag. */
  due(query: DueQuery): Promise<Page<DueJob, DuePosition>>;
  /** Jobs that this gate holds, oldest created first within a shard, a page at a time; may lag: only candidates. */
  parked(query: ParkedQuery): Promise<Page<ParkedJob, ParkedPosition>>;
  /** Newest created first; may lag. */
  list(query: JobQuery): Promise<Page<Job, ListPosition>>;
  /** Immutable; the same chunk may be put again. Chunk n holds the entries from n × 32. */
  putHistoryChunk(jobId: JobId, chunk: number, entries: readonly HistoryEntry[]): Promise<void>;
  /** All entries stored apart, oldest first. */
  readHistoryChunks(jobId: JobId): Promise<readonly HistoryEntry[]>;
}

export interface ValueStore {
  /** Content-addressed: putting the same text again changes nothing. */
  put(jobId: JobId, hash: string, text: string): Promise<void>;
  /** null when there is none; throws when the content does not match its hash. */
  get(jobId: JobId, hash: string): Promise<string | null>;
}

export interface ClaimStore {
  /** Starts a window for this intent, unless one younger than `windowMs` runs; answers the start of the one that holds. */
  claim(intent: string, now: EpochMs, windowMs: number): Promise<EpochMs>;
}

export interface DeadLetter {
  readonly deadLetterId: string;
  readonly jobId: JobId;
  readonly callerId: string;
  readonly workflowType: string;
  readonly reason: string;
  readonly status: 'open' | 'replayed' | 'discarded';
  readonly quarantinedAt: EpochMs;
  /** The history entry this record stands at: news with an older one are ignored. */
  readonly seq: number;
  /** The record as contracts show it, but for status and lineage. */
  readonly body: JsonObject;
  /** Who settled it; null while it is open. */
  readonly settlement: Settlement | null;
}

/** What a named person decided about a dead letter. */
export interface Settlement {
  readonly status: 'replayed' | 'discarded';
  readonly by: string;
  readonly reason: string;
  readonly at: EpochMs;
  /** The job that a replay made. */
  readonly replayJobId: string | null;
}

export interface DeadLetterQuery {
  readonly callerId: string | null;
  readonly reason: string | null;
  readonly workflowType: string | null;
  readonly status: string | null;
  readonly limit: number;
  readonly after: ListPosition | null;
}

export interface DeadLetterStore {
  /** Inserts, or refreshes the body of an earlier one; `status`, `settlement` and `quarantinedAt` of a stored one stay. */
  put(record: DeadLetter): Promise<void>;
  /** Settles an open one; answers the record as it is then (settled by whom, tells who won), or null for none. */
  settle(deadLetterId: string, settlement: Settlement): Promise<DeadLetter | null>;
  get(deadLetterId: string): Promise<DeadLetter | null>;
  /** Newest first; may lag. */
  list(query: DeadLetterQuery): Promise<Page<DeadLetter, ListPosition>>;
}

/** One action of a person, done or refused. Append-only. */
export interface AuditRecord {
  /** Of a done one: the id of its history entry; of a refused one: fresh. */
  readonly auditId: string;
  readonly at: EpochMs;
  readonly actor: string;
  readonly action: string;
  /** What it was about: a job or a dead letter. */
  readonly subject: string;
  readonly jobId: string | null;
  readonly result: 'done' | 'refused';
  readonly reason: string;
  readonly errorCode: string | null;
  readonly detail: string | null;
}

export interface AuditQuery {
  readonly jobId: string | null;
  readonly actor: string | null;
  readonly limit: number;
  /** `jobId` of the position holds the audit id. */
  readonly after: ListPosition | null;
}

export interface AuditStore {
  /** Putting the same id again changes nothing. */
  put(record: AuditRecord): Promise<void>;
  /** Newest first; may lag. */
  list(query: AuditQuery): Promise<Page<AuditRecord, ListPosition>>;
}

export type QueueName = 'dispatch' | 'compensate';

export function queueOf(kind: DriverKind): QueueName {
  return kind === 'forward' ? 'dispatch' : 'compensate';
}

export interface CommandQueue {
  /** Delivered at least once, not before `delayMs` (at most 900 s), in any order. */
  send(queue: QueueName, message: Message, delayMs: number): Promise<void>;
}

export interface Received {
  readonly message: Message;
  readonly receipt: string;
  readonly receives: number;
}

/** The reading side where no event source mapping reads for us. */
export interface QueueReader {
  /** Hides what it returns for `visibilityMs`; a message received too often goes to the dead-letter queue instead. */
  receive(queue: QueueName, max: number, visibilityMs: number): Promise<readonly Received[]>;
  remove(queue: QueueName, receipt: string): Promise<void>;
  /** Takes what lies in the dead-letter queue, for good. */
  takeDeadLetters(queue: QueueName, max: number): Promise<readonly Message[]>;
}

export interface Timers {
  /** Sends a hint at `at`, once or more often; a past time fires now; a name that exists already is a success. */
  arm(timer: {
    readonly name: string;
    readonly at: EpochMs;
    readonly queue: QueueName;
    readonly message: Message;
  }): Promise<void>;
}

export interface BusEvent {
  readonly eventId: string;
  readonly detailType: string;
  readonly detail: JsonObject;
  readonly time: EpochMs;
}

export interface EventBus {
  /** At least once each; throws when any entry was not taken after the adapter's own retries. */
  publish(events: readonly BusEvent[]): Promise<void>;
}

/** The key under which tokens are signed; it never leaves its keeper. */
export interface Signer {
  /** HMAC-SHA-256, 32 bytes. */
  sign(text: string): Promise<Uint8Array>;
  /** Whether the bytes are what `sign` makes of the text; takes as long for a wrong answer as for a right one. */
  verify(text: string, mac: Uint8Array): Promise<boolean>;
}

export interface Changes {
  /** Resolves when the job may have changed, at the latest after `withinMs`. */
  next(jobId: JobId, withinMs: number): Promise<void>;
}

export interface Clock {
  now(): EpochMs;
  /** Runs `action` once after `ms`; the answer takes it back. */
  after(ms: number, action: () => void): () => void;
}

export interface Ids {
  /** Fresh for every write, ≥ 64 bits of chance; its first 8 characters mark the history entries it makes. */
  writeId(): string;
  /** At least 128 bits of chance, fresh for every decision. */
  nonce(): string;
  /** Fresh for every run of a driver. */
  owner(): string;
  /** A new W3C trace: version, trace id, span id, flags. */
  traceparent(): string;
  /** In [0, 1). */
  random(): number;
}

export interface Log {
  /** Fields never hold payloads, tokens or keys. */
  write(level: 'debug' | 'info' | 'warn' | 'error', event: string, fields: Readonly<Record<string, Json>>): void;
}

export interface Ports {
  readonly jobs: JobStore;
  readonly values: ValueStore;
  readonly claims: ClaimStore;
  readonly dependencies: DependencyStore;
  readonly deadLetters: DeadLetterStore;
  readonly audit: AuditStore;
  readonly pauses: PauseStore;
  readonly schedules: ScheduleStore;
  readonly wakeups: Wakeups;
  readonly queue: CommandQueue;
  readonly family: Family;
  readonly timers: Timers;
  readonly bus: EventBus;
  readonly participants: Participants;
  readonly signer: Signer;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}
