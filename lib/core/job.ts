/**
 * A job as one record: everything a decision needs. What the definition can tell (topics, kinds, operation ids) is
 * not in it. Records are never changed in place; `decide` makes the next one.
 */
import { childOperationIdOf, type EpochMs, type GateId, type JobId, operationIdOf, undoOperationIdOf } from './ids.ts';
import type { Json } from './json.ts';
import type { ChildSet, Lineage, Undoes } from './relations.ts';
import type { JobState, Outcome, StepStatus } from './states.ts';

export const JOB_SCHEMA = 1;

export type JobSource =
  | 'api'
  | 'batch'
  | 'sqs'
  | 'sns'
  | 'eventbridge'
  | 'schedule'
  | 'stream'
  | 'child'
  | 'replay'
  | 'recovery';

/**
 * A document of the caller's or of a participant's. Small ones live in the job; `hash` says that this one is stored
 * apart under its content hash, and `data` is undefined until it has been loaded.
 */
export interface Value {
  readonly data: Json | undefined;
  readonly hash: string | null;
}

export function newValue(data: Json): Value {
  return { data, hash: null };
}

export function dataOf(value: Value): Json {
  if (value.data === undefined) throw new Error(`value ${value.hash ?? ''} was not loaded before a decision`);
  return value.data;
}

/** Who may call a participant for this operation, and until when nobody else does. */
export interface Lease {
  readonly owner: string;
  readonly until: EpochMs;
}

export interface UndoState {
  readonly generation: number;
  readonly topic: string;
  readonly attempts: number;
  /** Of these, the ones before an operator asked again: policies count from there, ids and numbers go on. */
  readonly attemptsBefore: number;
  readonly lease: Lease | null;
  readonly startedAt: EpochMs;
  /** Time since then in which it was due and nobody came: of an outage its deadline does not count. */
  readonly idleMs: number;
  readonly nextAttemptAt: EpochMs | null;
  /** It was accepted: its end comes by message, at the latest then. */
  readonly promisedUntil: EpochMs | null;
  readonly compensatedAt: EpochMs | null;
  readonly result: Value | null;
  readonly errorCode: string | null;
  /** Its end was a definitive refusal, so that asking again is another operation. */
  readonly refused: boolean;
}

/**
 * The token with which a participant or a person may answer from outside. It is derived from these and a key that is not
 * stored here, so a reader of the store cannot answer in anybody's name.
 */
export interface CallbackState {
  readonly salt: string;
  readonly attempt: number;
  readonly expiresAt: EpochMs;
  /** One token, one answer. */
  readonly used: boolean;
}

/** What a caller sent to a wait, perhaps before it began. */
export interface Received {
  /** Digest of the idempotency key, and fingerprint of what came with it. */
  readonly key: string;
  readonly print: string;
  readonly at: EpochMs;
  /** null once it has become the step's output. */
  readonly value: Value | null;
}

/** What an `unknown` step does next. */
export type Settlement = 'retry' | 'query' | 'undo' | 'review';

export interface StepState {
  readonly name: string;
  readonly status: StepStatus;
  readonly round: number;
  readonly attempts: number;
  /** Of these, the ones before an operator resumed: policies count from there, numbers go on. */
  readonly attemptsBefore: number;
  readonly queries: number;
  /** Sticky: once any attempt may have applied, only a success or a fence clears it. */
  readonly mayHaveApplied: boolean;
  /** A tombstone stands: this operation never applies, so whoever tries again needs another one. */
  readonly fenced: boolean;
  readonly lease: Lease | null;
  readonly startedAt: EpochMs | null;
  /** When the newest attempt was called, if it is not the first: it can be at work for as long as its route says. */
  readonly lastCallAt: EpochMs | null;
  readonly completedAt: EpochMs | null;
  /** Of a wait for a person: when it is called to mind next. */
  readonly nextAttemptAt: EpochMs | null;
  readonly deadlineAt: EpochMs | null;
  readonly settleBy: Settlement | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly output: Value | null;
  readonly target: string | null;
  readonly callback: CallbackState | null;
  readonly received: Received | null;
  /** The gate that holds its next call: nothing of it is due before it is released. */
  readonly parkedOn: GateId | null;
  /** The newest call went out to learn whether the dependency is back: it spends nothing of the step's budget. */
  readonly probing: boolean;
  readonly undo: UndoState | null;
  /** The jobs it waits for, or waited for; null for a step that has none. */
  readonly children: ChildSet | null;
}

export interface HistoryEntry {
  readonly seq: number;
  readonly from: JobState | null;
  readonly to: JobState;
  readonly reason: string;
  readonly at: EpochMs;
  readonly actor: string;
  readonly errorCode: string | null;
  readonly step: string | null;
  readonly evidence: string | null;
  /** First 8 characters of the write that made it: tells an ambiguous commit from somebody else's. */
  readonly mark: string;
}

export interface ErrorLogEntry {
  readonly at: EpochMs;
  readonly step: string | null;
  readonly attempt: number;
  readonly errorCode: string;
  readonly message: string;
  readonly nextAttemptAt: EpochMs | null;
}

/** Why a job turned back. Its end follows from the cause. */
export interface TurnBack {
  readonly cause: 'failure' | 'deadline' | 'cancel';
  readonly at: EpochMs;
}

export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate: string | null;
}

/** An operation of an earlier round of the saga: its late results still find a place. */
export interface PastOperation {
  readonly step: string;
  readonly round: number;
  /** The undo generation that was confirmed last; null: none was needed. */
  readonly generation: number | null;
  /** It succeeded after its round was over, where no fence keeps it from applying. */
  readonly appliedAt: EpochMs | null;
  readonly output: Value | null;
  /** Where it was called. */
  readonly target: string | null;
}

export interface Job {
  readonly schema: number;
  readonly jobId: JobId;
  readonly correlationId: string;
  readonly idempotencyKey: string;
  readonly inputFingerprint: string;
  readonly callerId: string;
  readonly source: JobSource;
  readonly workflowType: string;
  readonly workflowVersion: number;
  readonly state: JobState;
  readonly outcome: Outcome | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly deadlineAt: EpochMs;
  readonly nextActionAt: EpochMs | null;
  /** Start of the watchdog's bucket this job is filed under; never later than `nextActionAt`. Null: nothing to do ever. */
  readonly bucket: EpochMs | null;
  readonly retryCount: number;
  readonly maxRetries: number;
  readonly lastErrorCode: string | null;
  readonly lastErrorMessage: string | null;
  readonly stoppedReason: string | null;
  readonly trace: TraceContext;
  readonly lineage: Lineage;
  readonly input: Value;
  readonly output: Value | null;
  readonly turnBack: TurnBack | null;
  /** Rounds of the whole saga so far, from 0. */
  readonly sagaRound: number;
  readonly past: readonly PastOperation[];
  readonly steps: readonly StepState[];
  /** Where the job is found when a gate opens: the gate of its first parked step; null when nothing holds it. */
  readonly parkedOn: GateId | null;
  readonly errorLog: readonly ErrorLogEntry[];
  /** The newest entries; earlier ones, once published, are stored apart in chunks. Never empty. */
  readonly history: readonly HistoryEntry[];
  /** Everything up to here has been published; -1 before the first time. */
  readonly publishedSeq: number;
  readonly revision: number;
  readonly writeId: string;
}

export function newStep(name: string): StepState {
  return {
    name,
    status: 'pending',
    round: 0,
    attempts: 0,
    attemptsBefore: 0,
    queries: 0,
    mayHaveApplied: false,
    fenced: false,
    lease: null,
    startedAt: null,
    lastCallAt: null,
    completedAt: null,
    nextAttemptAt: null,
    deadlineAt: null,
    settleBy: null,
    errorCode: null,
    errorMessage: null,
    output: null,
    target: null,
    callback: null,
    received: null,
    parkedOn: null,
    probing: false,
    undo: null,
    children: null,
  };
}

export function stepOf(job: Job, name: string): StepState {
  const found = job.steps.find((step) => step.name === name);
  if (found === undefined) throw new Error(`job ${job.jobId} has no step ${name}`);
  return found;
}

/** The name of what this job's step does in a round: after the parent, where the job is a call of its parent's. */
export function operationOf({ jobId, lineage }: Pick<Job, 'jobId' | 'lineage'>, step: string, round: number): string {
  const { child, parentJobId } = lineage;
  if (child?.call !== true || parentJobId === undefined) return operationIdOf(jobId, step, round);
  return childOperationIdOf(parentJobId, child.step, child.index, child.round, round);
}

/** The operation of another job that this step takes back; undefined for a step that does something of its own. */
function undoneByStep({ lineage }: Job, step: string): Undoes | undefined {
  const one = lineage.undoes ?? lineage.takesBack?.find((each) => each.step === step);
  return one !== undefined && 'topic' in one ? one : undefined;
}

export function forwardOperationId(job: Job, step: StepState): string {
  const undoes = undoneByStep(job, step.name);
  if (undoes !== undefined) return undoOperationIdOf(operationUndone(undoes), undoes.generation);
  return operationOf(job, step.name, step.round);
}

function operationUndone({ jobId, step, round, operation }: Undoes): string {
  return operation ?? operationIdOf(jobId, step, round);
}

/** The forward operation that a recovery job's own operation takes back; null for every other job. */
export function undoneOperationId(job: Job, step: string): string | null {
  const undoes = undoneByStep(job, step);
  return undoes === undefined ? null : operationUndone(undoes);
}

export function undoOperationId(job: Job, step: StepState, generation = step.undo?.generation ?? 0): string {
  return undoOperationIdOf(operationOf(job, step.name, step.round), generation);
}

export function lastEntry(job: Job): HistoryEntry {
  const entry = job.history.at(-1);
  if (entry === undefined) throw new Error(`job ${job.jobId} has no history`);
  return entry;
}
