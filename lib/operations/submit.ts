/**
 * Takes a request in. Its id follows from who asks, for what, under which key, so one conditional write both creates
 * the job and finds the one that was there. Accepted means stored: the caller hears of a job only after that write.
 */

import { openEffects } from '../core/effects.ts';
import type { ErrorCode } from '../core/errors.ts';
import { derivedKey, intentHash, type JobId, jobIdOf, rerunIdOf } from '../core/ids.ts';
import type { Job, JobSource, TraceContext } from '../core/job.ts';
import { dataOf } from '../core/job.ts';
import { byteLength, canonicalJson, differingPaths, type Json, sha256Hex } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { newJob, type Submission } from '../core/new-job.ts';
import type { FieldError, WorkflowPlan } from '../core/plan.ts';
import { contextOf, type Engine } from './engine.ts';
import { loadValues, storeValues } from './values.ts';

export interface SubmitRequest {
  readonly callerId: string;
  readonly source: JobSource;
  readonly workflowType: string;
  /** null: the newest. */
  readonly version: number | null;
  readonly input: Json;
  readonly idempotencyKey: string | null;
  readonly correlationId: string | null;
  readonly trace: TraceContext | null;
}

export type SubmitResult =
  | { readonly kind: 'created'; readonly job: Job }
  /** Same key, same payload: the job that was there, values loaded. */
  | { readonly kind: 'existing'; readonly job: Job }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly detail: string;
      readonly errors: readonly FieldError[];
      readonly jobId: JobId | null;
    };

export async function submit(engine: Engine, request: SubmitRequest): Promise<SubmitResult> {
  const plan = engine.plans.find(request.workflowType, request.version);
  if (plan === undefined) return unknownWorkflow(engine, request);
  const canonical = canonicalJson(request.input);
  if (byteLength(canonical) > LIMITS.inputBytesMax) {
    const detail = `the input is larger than ${LIMITS.inputBytesMax} bytes: store the bulk elsewhere and send a reference`;
    return refused('ORCH_PAYLOAD_TOO_LARGE', detail);
  }
  const inputFingerprint = sha256Hex(canonical);
  const checked = plan.checkInput(request.input);
  if (!checked.ok) return refuseInvalid(engine, request, inputFingerprint, checked.errors);
  const key = request.idempotencyKey ?? (await keyFor(engine, request));
  return create(engine, request, plan, key, inputFingerprint);
}

async function create(
  engine: Engine,
  request: SubmitRequest,
  plan: WorkflowPlan,
  idempotencyKey: string,
  inputFingerprint: string,
): Promise<SubmitResult> {
  const { ports } = engine;
  const jobId = jobIdOf(request.callerId, request.workflowType, idempotencyKey);
  const submission: Submission = {
    jobId,
    correlationId: request.correlationId ?? jobId,
    idempotencyKey,
    inputFingerprint,
    callerId: request.callerId,
    source: request.source,
    trace: request.trace ?? { traceparent: ports.ids.traceparent(), tracestate: null },
    lineage: {},
    input: request.input,
    note: null,
  };
  const job = await storeValues(ports, newJob(submission, plan, contextOf(engine)));
  const created = await ports.jobs.create(job);
  if (created.created) return { kind: 'created', job };
  const compared = await compare(engine, request, created.existing, inputFingerprint);
  // A tick that comes twice is the same tick, not somebody who asks again.
  return compared.kind === 'existing' && plan.onFailed === 'rerun' && request.source !== 'schedule'
    ? rerun(engine, plan, submission, compared.job)
    : compared;
}

/** After this many reruns something else is wrong: the last one's answer stands. */
const RERUNS_MAX = 1_000;

/** Where the workflow says so, a duplicate of a failed job that left nothing behind runs it again as a linked job. */
async function rerun(engine: Engine, plan: WorkflowPlan, first: Submission, job: Job): Promise<SubmitResult> {
  let latest = job;
  for (let run = 1; run <= RERUNS_MAX && failedClean(latest, plan); run += 1) {
    const lineage = { rerunOf: latest.jobId };
    const submission = { ...first, jobId: rerunIdOf(job.jobId, run), lineage, note: `rerun of ${latest.jobId}` };
    const next = await storeValues(engine.ports, newJob(submission, plan, contextOf(engine)));
    const created = await engine.ports.jobs.create(next);
    if (created.created) return { kind: 'created', job: next };
    latest = await loadValues(engine.ports, created.existing);
  }
  return { kind: 'existing', job: latest };
}

function failedClean(job: Job, plan: WorkflowPlan): boolean {
  const failed = job.state === 'FAILED' || job.state === 'DEAD_LETTERED';
  return failed && job.outcome === 'rolled_back' && openEffects(job, plan).length === 0;
}

/** A used key: the same payload gets the job that is there, another one a conflict that names where they differ. */
async function compare(engine: Engine, request: SubmitRequest, job: Job, fingerprint: string): Promise<SubmitResult> {
  const existing = await loadValues(engine.ports, job);
  if (existing.inputFingerprint === fingerprint) return { kind: 'existing', job: existing };
  const errors = differingPaths(dataOf(existing.input), request.input).map((path) => ({
    path,
    message: 'differs from what was first submitted under this key',
  }));
  const detail = 'this idempotency key was used with another payload: send the first payload again, or take a new key';
  return { kind: 'refused', code: 'ORCH_DUPLICATE_IDEMPOTENCY_KEY', detail, errors, jobId: existing.jobId };
}

/** An invalid payload makes no job and uses no key; under a used key it is another payload first of all. */
async function refuseInvalid(
  engine: Engine,
  request: SubmitRequest,
  fingerprint: string,
  errors: readonly FieldError[],
): Promise<SubmitResult> {
  if (request.idempotencyKey !== null) {
    const existing = await engine.ports.jobs.read(
      jobIdOf(request.callerId, request.workflowType, request.idempotencyKey),
    );
    if (existing !== null) return compare(engine, request, existing, fingerprint);
  }
  const detail = "the input does not fit the workflow's schema: correct the fields named in errors and submit again";
  return refused('CONTRACT_INPUT_INVALID', detail, errors);
}

/** Without a key, the same intent within five minutes of its first submit is the same submit. */
async function keyFor(engine: Engine, request: SubmitRequest): Promise<string> {
  const { claims, clock } = engine.ports;
  const intent = intentHash(request.callerId, request.workflowType, request.input);
  return derivedKey(intent, await claims.claim(intent, clock.now(), LIMITS.keylessWindowMs));
}

function unknownWorkflow(engine: Engine, request: SubmitRequest): SubmitResult {
  const known = [...new Set(engine.plans.list().map((plan) => plan.type))];
  const typeIsKnown = known.includes(request.workflowType);
  const detail = typeIsKnown
    ? `workflow ${request.workflowType} has no version ${request.version}`
    : `there is no workflow of this type: known are ${known.join(', ')}`;
  return refused('ORCH_UNKNOWN_WORKFLOW', detail);
}

function refused(code: ErrorCode, detail: string, errors: readonly FieldError[] = []): SubmitResult {
  return { kind: 'refused', code, detail, errors, jobId: null };
}
