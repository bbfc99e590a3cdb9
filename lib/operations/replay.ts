/**
 * Makes a new job of a dead letter: the original envelope and trace, the original input or an edited one, linked both
 * ways. Its id follows from the dead letter, so a second replay answers the first one's job, and finishes what that one
 * may have died over.
 */
import type { JobId } from '../core/ids.ts';
import { dataOf, type Job } from '../core/job.ts';
import { differingPaths, fingerprint, type Json } from '../core/json.ts';
import { newJob, type Submission } from '../core/new-job.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { isRecovery, recoveryPlan, undoneAgain } from '../core/recovery.ts';
import { isTerminal } from '../core/states.ts';
import type { DeadLetter } from '../ports.ts';
import { apply } from './apply.ts';
import { contextOf, type Engine } from './engine.ts';
import { goOn } from './go-on.ts';
import { link, settlementOf } from './link-replay.ts';
import { findDeadLetter, quarantinedJob } from './quarantine.ts';
import {
  audited,
  notOperator,
  type Refused,
  refused,
  replayIdOf,
  type SettleRequest,
  underReview,
  unknownRecord,
  wasDiscarded,
  wasReplayed,
} from './settle-dead-letter.ts';
import { loadValues, storeValues } from './values.ts';

export interface ReplayRequest extends SettleRequest {
  /** undefined: the original input. */
  readonly input: Json | undefined;
}

export interface Replayed {
  readonly kind: 'done';
  readonly job: Job;
}

export async function replay(engine: Engine, request: ReplayRequest): Promise<Replayed | Refused> {
  return audited(engine, 'replay', request, await tryReplay(engine, request));
}

async function tryReplay(engine: Engine, request: ReplayRequest): Promise<Replayed | Refused> {
  const { viewer, deadLetterId } = request;
  if (viewer.role !== 'operator') return notOperator;
  const record = await findDeadLetter(engine, deadLetterId);
  if (record === null) return (await quarantinedJob(engine, deadLetterId)) === null ? unknownRecord : notQuarantined;
  const first = await engine.ports.jobs.read(replayIdOf(record));
  if (first === null && record.settlement !== null)
    return record.settlement.status === 'discarded' ? wasDiscarded : wasReplayed;
  const made = first === null ? await create(engine, request, record) : await loadValues(engine.ports, first);
  if (!('jobId' in made)) return made;
  const settlement = settlementOf(made);
  const settled = settlement === null ? record : await link(engine, record, settlement);
  if (settled?.settlement?.status === 'discarded') {
    // Somebody discarded it while the job was made: it has not begun, and will not.
    await withdraw(engine, made.jobId, viewer.callerId);
    return wasDiscarded;
  }
  await goOn(engine, made);
  return { kind: 'done', job: made };
}

async function withdraw(engine: Engine, jobId: JobId, by: string): Promise<void> {
  const reason = 'its dead letter was discarded meanwhile';
  const event = { type: 'cancel', actor: `operator:${by}`, reason, expectedRevision: null } as const;
  const applied = await apply(engine, jobId, () => event);
  if (applied.status === 'changed') await goOn(engine, applied.job);
}

async function create(engine: Engine, request: ReplayRequest, record: DeadLetter): Promise<Job | Refused> {
  const job = await engine.ports.jobs.read(record.jobId);
  if (job === null) return contextMissing;
  if (!isTerminal(job.state)) return underReview(job);
  const original = await loadValues(engine.ports, job).catch(() => null);
  if (original === null || original.trace.traceparent === '') return contextMissing;
  const plan =
    engine.plans.find(original.workflowType, original.workflowVersion) ??
    engine.plans.find(original.workflowType, null);
  if (plan === undefined)
    return refused('ORCH_UNKNOWN_WORKFLOW', `this deployment has no workflow ${original.workflowType}`);
  const input = request.input === undefined ? dataOf(original.input) : request.input;
  if (original.lineage.parentJobId !== undefined && original.lineage.child?.call !== undefined) return partOfAnother;
  if (original.lineage.takesBack !== undefined) return partOfAnother;
  const { lineage, source, by } = sameAgain(original, plan);
  const checked = by.checkInput(input);
  if (!checked.ok) {
    const detail = "the input does not fit the workflow's schema: correct it";
    return refused('CONTRACT_INPUT_INVALID', detail, checked.errors);
  }
  const submission: Submission = {
    jobId: replayIdOf(record),
    correlationId: original.correlationId,
    idempotencyKey: `replay:${record.deadLetterId}`,
    inputFingerprint: fingerprint(input),
    callerId: original.callerId,
    source,
    trace: original.trace,
    lineage,
    input,
    note: noteOf(original, input),
    by: { actor: `operator:${request.viewer.callerId}`, reason: `replay: ${request.reason}` },
  };
  const fresh = await storeValues(engine.ports, newJob(submission, by, contextOf(engine)));
  const created = await engine.ports.jobs.create(fresh);
  return created.created ? fresh : loadValues(engine.ports, created.existing);
}

/** What the new job is: the same workflow again, or, of a recovery job, the same undo again. */
function sameAgain(original: Job, plan: WorkflowPlan): Pick<Submission, 'lineage' | 'source'> & { by: WorkflowPlan } {
  if (!isRecovery(original)) return { lineage: { replayOf: original.jobId }, source: 'replay', by: plan };
  const undoes = undoneAgain(original, original.lineage.undoes);
  const lineage = { ...original.lineage, undoes, replayOf: original.jobId };
  return { lineage, source: 'recovery', by: recoveryPlan(plan, undoes) };
}

function noteOf(original: Job, input: Json): string {
  const edited = differingPaths(dataOf(original.input), input);
  const what = edited.length === 0 ? 'same input' : `input edited at ${edited.join(', ')}`;
  return `replay of ${original.jobId}: ${what}`;
}

const notQuarantined = refused(
  'ORCH_DEAD_LETTER_REQUIRED',
  'the job is not dead-lettered: only quarantined jobs are replayed',
);
const partOfAnother = refused(
  'ORCH_REPLAY_CONTEXT_MISSING',
  'the job is a part of its parent and means nothing without it: replay the parent',
);
const contextMissing = refused(
  'ORCH_REPLAY_CONTEXT_MISSING',
  'the original input or trace context is gone: submit a new job instead',
);
