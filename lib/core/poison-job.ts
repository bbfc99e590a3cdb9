/**
 * A message that cannot become a job, kept as one that ended before it began: submitted, looked at, rejected and
 * quarantined in one write. It has no steps and nothing to decide, so it needs no definition and no driver; its id
 * follows from the door's id of the message, so the same message delivered again is the same record.
 */
import type { Context } from './events.ts';
import { type EpochMs, type JobId, jobIdOf } from './ids.ts';
import type { HistoryEntry, Job, JobSource, TraceContext } from './job.ts';
import { type Json, sha256Hex } from './json.ts';
import { newJob } from './new-job.ts';
import { markOf } from './own-write.ts';
import type { WorkflowPlan } from './plan.ts';

export interface PoisonMessage {
  readonly source: JobSource;
  /** The door's stable id of the message. */
  readonly doorId: string;
  readonly callerId: string;
  readonly correlationId: string | null;
  /** As far as it could be read. */
  readonly workflowType: string | null;
  readonly raw: Json;
  readonly code: string;
  readonly detail: string;
  readonly trace: TraceContext;
}

/** No workflow can have this name, so no submit can ever take the id of a poison record. */
const POISON = '!poison';
const UNKNOWN_TYPE = 'unknown';

/** Definitions are numbered from 1. */
const POISON_VERSION = 0;

export function isPoison(job: Pick<Job, 'workflowVersion'>): boolean {
  return job.workflowVersion === POISON_VERSION;
}

export function poisonJobId({ callerId, doorId }: Pick<PoisonMessage, 'callerId' | 'doorId'>): JobId {
  return jobIdOf(callerId, POISON, doorId);
}

export function poisonJob(message: PoisonMessage, context: Context): Job {
  const jobId = poisonJobId(message);
  const { callerId, source, trace, code } = message;
  const submission = {
    jobId,
    correlationId: message.correlationId ?? jobId,
    idempotencyKey: message.doorId,
    inputFingerprint: sha256Hex(JSON.stringify(message.raw)),
    callerId,
    source,
    trace,
    lineage: {},
    input: message.raw,
    note: null,
  };
  const job = newJob(submission, poisonPlan(message.workflowType ?? UNKNOWN_TYPE, undefined), context);
  const history = [...job.history, ...rejection(job.createdAt, code, context)];
  return {
    ...job,
    history,
    state: 'DEAD_LETTERED',
    outcome: 'rolled_back',
    nextActionAt: null,
    bucket: null,
    lastErrorCode: code,
    lastErrorMessage: message.detail,
    stoppedReason: code,
    publishedSeq: history.length - 1,
  };
}

function rejection(at: EpochMs, errorCode: string, { actor, writeId }: Context): HistoryEntry[] {
  const entry = { at, actor, step: null, evidence: null, mark: markOf(writeId) };
  return [
    { ...entry, seq: 1, from: 'PENDING', to: 'VALIDATING', reason: 'dispatched', errorCode: null },
    { ...entry, seq: 2, from: 'VALIDATING', to: 'FAILED', reason: 'rejected', errorCode },
    { ...entry, seq: 3, from: 'FAILED', to: 'DEAD_LETTERED', reason: 'quarantined', errorCode },
  ];
}

/** The definition of what has none: no steps, and the events its type would have. */
export function poisonPlan(type: string, known: WorkflowPlan | undefined): WorkflowPlan {
  return {
    type,
    version: POISON_VERSION,
    digest: '',
    steps: [],
    stages: 0,
    recovery: null,
    concurrentUndo: false,
    deadlineMs: 0,
    undoDeadlineMs: 0,
    maxRetries: 0,
    retry: {},
    sagaRetry: null,
    onFailed: 'return',
    events: known?.events ?? { completed: `${type}:completed`, failed: `${type}:failed` },
    quarantine: 'always',
    checkInput: () => ({ ok: false, errors: [] }),
    output: () => null,
  };
}
