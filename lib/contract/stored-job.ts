/**
 * A job as every store keeps it: one compact JSON document. Short names, no nulls and no defaults, times in epoch
 * milliseconds; states stay words, for people read the table too.
 * Invariant: decode(encode(job)) equals the job, but that a value stored apart has to be loaded again. It runs at
 * each write, so both ways are one pass over the members. What a name means never changes within a `schema`.
 */
import type { EpochMs, JobId } from '../core/ids.ts';
import { JOB_SCHEMA, type Job, type JobSource, type TurnBack } from '../core/job.ts';
import { NewerSchemaError } from '../core/newer-schema.ts';
import type { Lineage } from '../core/relations.ts';
import type { JobState, Outcome } from '../core/states.ts';
import {
  decodeEntry,
  decodeError,
  encodeEntry,
  encodeError,
  type StoredEntry,
  type StoredError,
} from './stored-history.ts';
import { decodePast, encodePast, type StoredPast } from './stored-past.ts';
import { decodeStep, decodeValue, encodeStep, encodeValue, type StoredStep, type StoredValue } from './stored-step.ts';

/** Members that are undefined are not stored: stringify leaves them out, and so must any other writer. */
export interface StoredJob {
  readonly schema: number;
  readonly id: JobId;
  readonly rev: number;
  readonly write: string;
  readonly state: JobState;
  readonly outcome?: Outcome | undefined;
  readonly type: string;
  readonly version: number;
  readonly caller: string;
  readonly source: JobSource;
  readonly key: string;
  readonly corr: string;
  /** Fingerprint of the input. */
  readonly print: string;
  readonly created: EpochMs;
  readonly updated: EpochMs;
  readonly deadline: EpochMs;
  readonly next?: EpochMs | undefined;
  readonly bucket?: EpochMs | undefined;
  readonly retries?: number | undefined;
  readonly maxRetries: number;
  readonly err?: string | undefined;
  readonly msg?: string | undefined;
  readonly stopped?: string | undefined;
  readonly trace: string;
  readonly tracestate?: string | undefined;
  /** Rare, so it keeps its own names. */
  readonly lineage?: Lineage | undefined;
  readonly in: StoredValue;
  readonly out?: StoredValue | undefined;
  readonly round?: number | undefined;
  readonly past?: readonly StoredPast[] | undefined;
  readonly back?: readonly [TurnBack['cause'], EpochMs] | undefined;
  readonly steps: readonly StoredStep[];
  readonly park?: string | undefined;
  readonly log?: readonly StoredError[] | undefined;
  readonly hist: readonly StoredEntry[];
  /** Published up to here; absent before the first time. */
  readonly pub?: number | undefined;
}

export function encodeJob(job: Job): StoredJob {
  return {
    schema: job.schema,
    id: job.jobId,
    rev: job.revision,
    write: job.writeId,
    state: job.state,
    outcome: job.outcome ?? undefined,
    type: job.workflowType,
    version: job.workflowVersion,
    caller: job.callerId,
    source: job.source,
    key: job.idempotencyKey,
    corr: job.correlationId,
    print: job.inputFingerprint,
    created: job.createdAt,
    updated: job.updatedAt,
    deadline: job.deadlineAt,
    next: job.nextActionAt ?? undefined,
    bucket: job.bucket ?? undefined,
    retries: job.retryCount || undefined,
    maxRetries: job.maxRetries,
    err: job.lastErrorCode ?? undefined,
    msg: job.lastErrorMessage ?? undefined,
    stopped: job.stoppedReason ?? undefined,
    trace: job.trace.traceparent,
    tracestate: job.trace.tracestate ?? undefined,
    lineage: isEmpty(job.lineage) ? undefined : job.lineage,
    in: encodeValue(job.input),
    out: job.output === null ? undefined : encodeValue(job.output),
    back: job.turnBack === null ? undefined : [job.turnBack.cause, job.turnBack.at],
    round: job.sagaRound || undefined,
    past: job.past.length === 0 ? undefined : job.past.map(encodePast),
    steps: job.steps.map(encodeStep),
    park: job.parkedOn ?? undefined,
    log: job.errorLog.length === 0 ? undefined : job.errorLog.map(encodeError),
    hist: job.history.map(encodeEntry),
    pub: job.publishedSeq === -1 ? undefined : job.publishedSeq,
  };
}

/** Throws `NewerSchemaError` for what newer code has written. */
export function decodeJob(stored: StoredJob): Job {
  if (stored.schema > JOB_SCHEMA) throw new NewerSchemaError(stored.id, stored.schema);
  return {
    schema: stored.schema,
    jobId: stored.id,
    correlationId: stored.corr,
    idempotencyKey: stored.key,
    inputFingerprint: stored.print,
    callerId: stored.caller,
    source: stored.source,
    workflowType: stored.type,
    workflowVersion: stored.version,
    state: stored.state,
    outcome: stored.outcome ?? null,
    createdAt: stored.created,
    updatedAt: stored.updated,
    deadlineAt: stored.deadline,
    nextActionAt: stored.next ?? null,
    bucket: stored.bucket ?? null,
    retryCount: stored.retries ?? 0,
    maxRetries: stored.maxRetries,
    lastErrorCode: stored.err ?? null,
    lastErrorMessage: stored.msg ?? null,
    stoppedReason: stored.stopped ?? null,
    trace: { traceparent: stored.trace, tracestate: stored.tracestate ?? null },
    lineage: stored.lineage ?? {},
    input: decodeValue(stored.in),
    output: stored.out === undefined ? null : decodeValue(stored.out),
    turnBack: stored.back === undefined ? null : { cause: stored.back[0], at: stored.back[1] },
    sagaRound: stored.round ?? 0,
    past: stored.past === undefined ? [] : stored.past.map(decodePast),
    steps: stored.steps.map(decodeStep),
    parkedOn: stored.park ?? null,
    errorLog: stored.log === undefined ? [] : stored.log.map(decodeError),
    history: stored.hist.map(decodeEntry),
    publishedSeq: stored.pub ?? -1,
    revision: stored.rev,
    writeId: stored.write,
  };
}

export function jobToJson(job: Job): string {
  return JSON.stringify(encodeJob(job));
}

export function jobFromJson(text: string): Job {
  return decodeJob(JSON.parse(text));
}

/** For lists: jobs that newer code has written are left out, as it lists them itself. */
export function knownJobs(texts: readonly string[]): Job[] {
  const known: Job[] = [];
  for (const text of texts) {
    const stored: StoredJob = JSON.parse(text);
    if (stored.schema <= JOB_SCHEMA) known.push(decodeJob(stored));
  }
  return known;
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}
