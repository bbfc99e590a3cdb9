/**
 * A job at its first moment: `PENDING`, one history entry, due soon, so that even its first hint may be lost.
 */
import type { Context } from './events.ts';
import type { EpochMs, JobId } from './ids.ts';
import { JOB_SCHEMA, type Job, type JobSource, newStep, newValue, type TraceContext } from './job.ts';
import type { Json } from './json.ts';
import { markOf } from './own-write.ts';
import type { WorkflowPlan } from './plan.ts';
import type { Lineage } from './relations.ts';
import { bucketOf } from './schedule.ts';

export interface Submission {
  readonly jobId: JobId;
  readonly correlationId: string;
  readonly idempotencyKey: string;
  readonly inputFingerprint: string;
  readonly callerId: string;
  readonly source: JobSource;
  readonly trace: TraceContext;
  readonly lineage: Lineage;
  readonly input: Json;
  /** What else there is to know about how it came to be; null: nothing. */
  readonly note: string | null;
  /** Who made it and why, when it was not its caller's own submit. */
  readonly by?: { readonly actor: string; readonly reason: string };
  /** A child has the time that its parent has. */
  readonly deadlineAt?: EpochMs;
}

export function newJob(submission: Submission, plan: WorkflowPlan, context: Context): Job {
  const { input, note, by, deadlineAt = context.now + plan.deadlineMs, ...identity } = submission;
  const { now } = context;
  // A child that may not begin yet is woken by its parent, so the watchdog need not look at it.
  const dueAt = submission.lineage.child?.held === true ? deadlineAt : now + context.rules.hintGraceMs;
  return {
    ...identity,
    schema: JOB_SCHEMA,
    workflowType: plan.type,
    workflowVersion: plan.version,
    state: 'PENDING',
    outcome: null,
    createdAt: now,
    updatedAt: now,
    deadlineAt,
    nextActionAt: dueAt,
    bucket: bucketOf(dueAt),
    retryCount: 0,
    maxRetries: plan.maxRetries,
    lastErrorCode: null,
    lastErrorMessage: null,
    stoppedReason: null,
    input: newValue(input),
    output: null,
    turnBack: null,
    sagaRound: 0,
    past: [],
    steps: plan.steps.map((step) => newStep(step.name)),
    parkedOn: null,
    errorLog: [],
    history: [
      {
        seq: 0,
        from: null,
        to: 'PENDING',
        reason: by?.reason ?? 'submitted',
        at: now,
        actor: by?.actor ?? `caller:${submission.callerId}`,
        errorCode: null,
        step: null,
        evidence: note,
        mark: markOf(context.writeId),
      },
    ],
    publishedSeq: -1,
    revision: 0,
    writeId: context.writeId,
  };
}
