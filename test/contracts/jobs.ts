/** Jobs for the suites: a signup as it really looks, new and completed, with realistic ids. */
import { type EpochMs, type JobId, jobIdOf } from '../../lib/core/ids.ts';
import { type HistoryEntry, JOB_SCHEMA, type Job, newStep, type StepState, type Value } from '../../lib/core/job.ts';
import { fingerprint, type Json, sha256Hex } from '../../lib/core/json.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { markOf } from '../../lib/core/own-write.ts';

export const T0: EpochMs = Date.UTC(2026, 10, 30, 9, 30);
export const CALLER = 'arn:aws:iam::123456789012:role/checkout-api';

export function inline(data: Json): Value {
  return { data, hash: null };
}

let writes = 0;

/** Unlike in its first 8 characters already, as real ones are. */
export function writeId(): string {
  writes += 1;
  return sha256Hex(`write ${writes}`).slice(0, 22);
}

export function entry(seq: number, over: Partial<HistoryEntry> = {}): HistoryEntry {
  const made: HistoryEntry = {
    seq,
    from: seq === 0 ? null : 'PROCESSING',
    to: seq === 0 ? 'PENDING' : 'PROCESSING',
    reason: seq === 0 ? 'submitted' : 'dispatched',
    at: T0 + seq,
    actor: 'orchestrator:dispatch',
    errorCode: null,
    step: null,
    evidence: null,
    mark: 'aaaaaaaa',
  };
  return { ...made, ...over };
}

/** A signup nobody has touched yet, under a key of its own. */
export function newJob(key: string, over: Partial<Job> = {}): Job {
  const write = over.writeId ?? writeId();
  const callerId = over.callerId ?? CALLER;
  const createdAt = over.createdAt ?? T0;
  const input = { company: 'Wagner & Söhne GmbH', email: 'einkauf@wagner-soehne.example', plan: 'standard' };
  return {
    schema: JOB_SCHEMA,
    jobId: jobIdOf(callerId, 'signup', key),
    correlationId: `corr-${key}`,
    idempotencyKey: key,
    inputFingerprint: fingerprint(input),
    callerId,
    source: 'api',
    workflowType: 'signup',
    workflowVersion: 1,
    state: 'PENDING',
    outcome: null,
    createdAt,
    updatedAt: createdAt,
    deadlineAt: createdAt + LIMITS.jobDeadlineMsDefault,
    nextActionAt: createdAt + LIMITS.hintGraceMs,
    bucket: createdAt,
    retryCount: 0,
    maxRetries: LIMITS.maxRetriesDefault,
    lastErrorCode: null,
    lastErrorMessage: null,
    stoppedReason: null,
    trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: null },
    lineage: {},
    input: inline(input),
    output: null,
    turnBack: null,
    sagaRound: 0,
    past: [],
    steps: ['tenant', 'billing', 'user'].map(newStep),
    parkedOn: null,
    errorLog: [],
    history: [entry(0, { at: createdAt, actor: `caller:${callerId}`, mark: markOf(write) })],
    publishedSeq: -1,
    revision: 1,
    writeId: write,
    ...over,
  };
}

/** The write after `job`: one more entry, made by a write of its own. */
export function nextWrite(job: Job, over: Partial<Job> = {}): Job {
  const write = over.writeId ?? writeId();
  const seq = (job.history.at(-1)?.seq ?? -1) + 1;
  return {
    ...job,
    revision: job.revision + 1,
    updatedAt: job.updatedAt + 10,
    history: [...job.history, entry(seq, { mark: markOf(write) })],
    writeId: write,
    ...over,
  };
}

/** A write that leaves no mark in the history. */
export function silentWrite(job: Job, over: Partial<Job> = {}): Job {
  return { ...job, revision: job.revision + 1, writeId: writeId(), ...over };
}

function doneStep(name: string, output: StepState['output']): StepState {
  const startedAt = T0 + 12;
  return { ...newStep(name), status: 'succeeded', attempts: 1, startedAt, completedAt: T0 + 31, output, target: name };
}

/** The same signup as it is stored for ninety days: three steps done, everything published. */
export function completedSignup(): Job {
  const start = newJob('7f0c1f5e-52f7-4d0b-b1a5-3f8f2cd3a9d1', {
    correlationId: '0d5b3a52-8f6e-4f3c-9a57-6e1f0e5d7c11',
  });
  const marks = ['k3v9ax0q', 'p01mzt7e', 'hh2c9wd4'];
  const outputs = { tenant_id: 'ten_01JDWQ5X8K3M', account_id: 'acc_01JDWQ5X9B7T', user_id: 'usr_01JDWQ5XA2VN' };
  return {
    ...start,
    state: 'COMPLETED',
    outcome: 'succeeded',
    updatedAt: T0 + 58,
    nextActionAt: null,
    bucket: null,
    output: inline(outputs),
    steps: [
      doneStep('tenant', inline({ tenant_id: outputs.tenant_id })),
      doneStep('billing', inline({ account_id: outputs.account_id })),
      doneStep('user', inline({ user_id: outputs.user_id })),
    ],
    history: [
      ...start.history,
      entry(1, { from: 'PENDING', to: 'VALIDATING', reason: 'dispatched', mark: marks[0] ?? '' }),
      entry(2, { from: 'VALIDATING', to: 'PROCESSING', reason: 'accepted', mark: marks[0] ?? '' }),
      entry(3, { from: 'PROCESSING', to: 'COMPLETED', reason: 'all_steps_settled', mark: marks[2] ?? '' }),
    ],
    publishedSeq: 3,
    revision: 5,
  };
}

export function idOf(key: string): JobId {
  return newJob(key).jobId;
}
