/**
 * Settling dead letters: replayed as a new job, or discarded, by a named person with a reason, never by itself. The
 * replay's id is derived from the dead letter, so a second replay finds the first one's job.
 */
import type { ErrorCode } from '../core/errors.ts';
import { deadLetterIdOf, isJobId, type JobId, jobIdOf } from '../core/ids.ts';
import { dataOf, type Job } from '../core/job.ts';
import { differingPaths, fingerprint, type Json } from '../core/json.ts';
import { newJob } from '../core/new-job.ts';
import type { FieldError } from '../core/plan.ts';
import { isTerminal } from '../core/states.ts';
import type { DeadLetter } from '../ports.ts';
import { apply } from './apply.ts';
import { auditDone, auditRefusal } from './audit.ts';
import { contextOf, type Engine } from './engine.ts';
import type { Viewer } from './inspect.ts';
import { loadValues, storeValues } from './values.ts';

export interface SettleRequest {
  readonly deadLetterId: string;
  readonly viewer: Viewer;
  readonly reason: string;
}

export interface ReplayRequest extends SettleRequest {
  /** undefined: the original input. */
  readonly input: Json | undefined;
}

export interface Refused {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: readonly FieldError[];
}

/** Replays belong to nobody who could submit, so no caller can take their ids. */
const REPLAY_CALLER = 'dacapo:replay';

const refused = (code: ErrorCode, detail: string, errors: readonly FieldError[] = []): Refused => ({
  kind: 'refused',
  code,
  detail,
  errors,
});

/** Every refusal is audited, whichever of the checks made it. */
async function audited<T>(
  engine: Engine,
  action: string,
  request: SettleRequest,
  result: T | Refused,
): Promise<T | Refused> {
  const { viewer, deadLetterId, reason } = request;
  if (isRefused(result)) {
    const attempt = {
      actor: `operator:${viewer.callerId}`,
      action,
      subject: deadLetterId,
      jobId: jobIdIn(deadLetterId),
      reason,
    };
    await auditRefusal(engine, attempt, result.code, result.detail);
  }
  return result;
}

function isRefused(result: unknown): result is Refused {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'refused';
}

export async function discard(
  engine: Engine,
  request: SettleRequest,
): Promise<{ readonly kind: 'done'; readonly record: DeadLetter } | Refused> {
  return audited(engine, 'discard', request, await tryDiscard(engine, request));
}

async function tryDiscard(engine: Engine, request: SettleRequest) {
  const found = await openRecord(engine, request);
  if (found.kind === 'refused') return found;
  if ((await engine.ports.jobs.read(replayIdOf(found.record))) !== null) return wasReplayed;
  const by = request.viewer.callerId;
  const at = engine.ports.clock.now();
  const settlement = { status: 'discarded', by, reason: request.reason, at, replayJobId: null } as const;
  const record = await engine.ports.deadLetters.settle(request.deadLetterId, settlement);
  if (record?.settlement?.status !== 'discarded') return wasReplayed;
  await told(engine, 'discard', request, at);
  return { kind: 'done', record } as const;
}

export async function replay(
  engine: Engine,
  request: ReplayRequest,
): Promise<{ readonly kind: 'done'; readonly job: Job } | Refused> {
  return audited(engine, 'replay', request, await tryReplay(engine, request));
}

async function tryReplay(engine: Engine, request: ReplayRequest): Promise<{ kind: 'done'; job: Job } | Refused> {
  const { jobs } = engine.ports;
  const found = await replayable(engine, request);
  if (found.kind === 'refused') return found;
  const { original, record } = found;
  const before = await jobs.read(replayIdOf(record));
  if (before === null && record.settlement !== null) return wasDiscarded;
  const job =
    before === null ? await createReplay(engine, request, original, record) : await loadValues(engine.ports, before);
  if (!('jobId' in job)) return job;
  // The new job stands: what is left ties both together, and a second replay would finish it.
  const at = engine.ports.clock.now();
  const by = request.viewer.callerId;
  const settlement = { status: 'replayed', by, reason: request.reason, at, replayJobId: job.jobId } as const;
  await engine.ports.deadLetters.settle(record.deadLetterId, settlement);
  await apply(engine, original.jobId, () => ({ type: 'linked', replayedBy: job.jobId }));
  if (before === null) await told(engine, 'replay', request, at);
  await engine.ports.queue.send('dispatch', { kind: 'hint', jobId: job.jobId, revision: job.revision, hops: 0 }, 0);
  return { kind: 'done', job };
}

async function createReplay(
  engine: Engine,
  request: ReplayRequest,
  original: Job,
  record: DeadLetter,
): Promise<Job | Refused> {
  const plan =
    engine.plans.find(original.workflowType, original.workflowVersion) ??
    engine.plans.find(original.workflowType, null);
  if (plan === undefined)
    return refused('ORCH_UNKNOWN_WORKFLOW', `this deployment has no workflow ${original.workflowType}`);
  const input = request.input === undefined ? dataOf(original.input) : request.input;
  const checked = plan.checkInput(input);
  if (!checked.ok) {
    return refused(
      'CONTRACT_INPUT_INVALID',
      "the input does not fit the workflow's schema: correct it",
      checked.errors,
    );
  }
  const edited = differingPaths(dataOf(original.input), input);
  const submission = {
    jobId: replayIdOf(record),
    correlationId: original.correlationId,
    idempotencyKey: `replay:${record.deadLetterId}`,
    inputFingerprint: fingerprint(input),
    callerId: original.callerId,
    source: 'replay',
    trace: original.trace,
    lineage: { replayOf: original.jobId },
    input,
    note: `replay of ${original.jobId}: ${edited.length === 0 ? 'same input' : `input edited at ${edited.join(', ')}`}`,
  } as const;
  const job = await storeValues(engine.ports, newJob(submission, plan, contextOf(engine)));
  const created = await engine.ports.jobs.create(job);
  return created.created ? job : loadValues(engine.ports, created.existing);
}

type Found = { readonly kind: 'found'; readonly record: DeadLetter; readonly original: Job } | Refused;

async function replayable(engine: Engine, request: ReplayRequest): Promise<Found> {
  const { jobs, deadLetters } = engine.ports;
  if (request.viewer.role !== 'operator') return notOperator;
  const jobId = jobIdIn(request.deadLetterId);
  const original = jobId === null ? null : await jobs.read(jobId);
  const record = await deadLetters.get(request.deadLetterId);
  if (record === null) return original === null ? unknownRecord : notQuarantined;
  if (original === null) return contextMissing;
  if (!isTerminal(original.state)) return underReview(original);
  try {
    const loaded = await loadValues(engine.ports, original);
    return loaded.trace.traceparent === '' ? contextMissing : { kind: 'found', record, original: loaded };
  } catch {
    return contextMissing;
  }
}

async function openRecord(
  engine: Engine,
  request: SettleRequest,
): Promise<{ readonly kind: 'found'; readonly record: DeadLetter } | Refused> {
  if (request.viewer.role !== 'operator') return notOperator;
  const record = await engine.ports.deadLetters.get(request.deadLetterId);
  if (record === null) return unknownRecord;
  const job = await engine.ports.jobs.read(record.jobId);
  if (job !== null && !isTerminal(job.state)) return underReview(job);
  if (record.settlement?.status === 'replayed') return wasReplayed;
  if (record.settlement?.status === 'discarded') return wasDiscarded;
  return { kind: 'found', record };
}

function replayIdOf(record: DeadLetter): JobId {
  return jobIdOf(REPLAY_CALLER, record.workflowType, record.deadLetterId);
}

function jobIdIn(deadLetterId: string): JobId | null {
  const jobId = deadLetterId.slice(1);
  return isJobId(jobId) && deadLetterIdOf(jobId) === deadLetterId ? jobId : null;
}

async function told(engine: Engine, action: string, request: SettleRequest, at: number): Promise<void> {
  const { viewer, deadLetterId, reason } = request;
  const attempt = {
    actor: `operator:${viewer.callerId}`,
    action,
    subject: deadLetterId,
    jobId: jobIdIn(deadLetterId),
    reason,
  };
  await auditDone(engine, attempt, `${deadLetterId}.${action}`, at);
}

const notOperator = refused('ORCH_FORBIDDEN', 'this needs the role operator');
const unknownRecord = refused('ORCH_UNKNOWN_DEAD_LETTER', 'no such dead letter: check the id');
const notQuarantined = refused(
  'ORCH_DEAD_LETTER_REQUIRED',
  'the job is not dead-lettered: only quarantined jobs are replayed',
);
const contextMissing = refused(
  'ORCH_REPLAY_CONTEXT_MISSING',
  'the original input or trace context is gone: submit a new job instead',
);
const wasReplayed = refused('ORCH_INVALID_STATE_TRANSITION', 'the dead letter was replayed: look at the job it became');
const wasDiscarded = refused(
  'ORCH_INVALID_STATE_TRANSITION',
  'the dead letter was discarded: submit a new job instead',
);
const underReview = (job: Job): Refused =>
  refused('ORCH_INVALID_STATE_TRANSITION', `the job is ${job.state}: settle and close it first`);
