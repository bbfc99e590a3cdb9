/**
 * Effects that come to light after a job has ended. The job stays as it ended; a job of its own, linked to it, undoes
 * the effect under the undo's next id, and when that is done the effect is struck off.
 */
import { undoRequest } from './calls.ts';
import type { Draft } from './draft.ts';
import { draftOf, setStep } from './draft.ts';
import { type OpenEffect, openEffects, planOf } from './effects.ts';
import { type PolicyOverrides, UNDO_POLICY } from './errors.ts';
import type { Context, JobEvent } from './events.ts';
import { type JobId, jobIdOf, operationIdOf } from './ids.ts';
import { type Job, operationOf, type StepState } from './job.ts';
import { fingerprint } from './json.ts';
import type { Submission } from './new-job.ts';
import { CALL, hasUndo, type StepPlan, type WorkflowPlan } from './plan.ts';
import type { Undoes } from './relations.ts';
import { isTerminal } from './states.ts';

/** Recovery jobs belong to nobody who could submit, so no caller can take their ids. */
const RECOVERY_CALLER = 'dacapo:recovery';

/**
 * What has to be submitted so that every effect that came to light late is undone; nothing while the job has not
 * ended, and nothing of what an operator left behind on purpose.
 */
export function recoveriesOf(job: Job, plan: WorkflowPlan, context: Context): Submission[] {
  const leftOnPurpose = job.history.some((entry) => entry.reason.startsWith('force_close'));
  if (!isTerminal(job.state) || takesBack(job) || leftOnPurpose) return [];
  return lateEffects(job, plan).flatMap(({ step, operationId }) => {
    const submission = recoveryFor(job, plan, context, step, operationId);
    return submission === null ? [] : [submission];
  });
}

/** Applied, although the job had counted it as not applied or as undone. */
function lateEffects(job: Job, plan: WorkflowPlan): OpenEffect[] {
  return openEffects(job, plan).filter(({ step, operationId, state }) => {
    const current = job.steps.find((one) => one.name === step && operationOf(job, step, one.round) === operationId);
    const countedOn = current !== undefined && !['failed', 'skipped', 'compensated'].includes(current.status);
    return state === 'applied' && !countedOn;
  });
}

function recoveryFor(
  job: Job,
  plan: WorkflowPlan,
  context: Context,
  name: string,
  operationId: string,
): Submission | null {
  const found = stateAt(job, name, operationId);
  const stepPlan = planOf(plan, name);
  if (found === null || !hasUndo(stepPlan)) return null;
  const { step, generation } = found;
  const request = undoRequest(draftOf(job, plan, context, null), step, stepPlan);
  if (!request.ok) return null;
  const place = step.target === null ? {} : { target: step.target };
  const named = operationId === operationIdOf(job.jobId, name, step.round) ? {} : { operation: operationId };
  const undoes: Undoes = {
    jobId: job.jobId,
    step: name,
    round: step.round,
    generation,
    topic: request.topic,
    ...place,
    ...named,
  };
  const idempotencyKey = `${operationId}#${generation}`;
  return {
    jobId: jobIdOf(RECOVERY_CALLER, job.workflowType, idempotencyKey),
    correlationId: job.correlationId,
    idempotencyKey,
    inputFingerprint: fingerprint(request.body),
    callerId: job.callerId,
    source: 'recovery',
    trace: job.trace,
    lineage: { recoveryOf: job.jobId, undoes },
    input: request.body,
    note: `undoes ${operationId}`,
    by: { actor: context.actor, reason: `late success of ${name} in job ${job.jobId}` },
  };
}

/** The step as it was in the round of this operation, and the first generation of its undo that was never called. */
function stateAt(job: Job, name: string, operationId: string): { step: StepState; generation: number } | null {
  const step = job.steps.find((one) => one.name === name);
  if (step === undefined) return null;
  if (operationOf(job, name, step.round) === operationId) {
    return { step, generation: nextAfter(step.undo?.generation) };
  }
  const past = job.past.find((one) => one.step === name && operationOf(job, name, one.round) === operationId);
  if (past === undefined) return null;
  const { round, output, target } = past;
  return { step: { ...step, round, output, target: target ?? step.target }, generation: nextAfter(past.generation) };
}

/**
 * Under which ids the job may be that undoes an operation of a job which had ended: one for each generation up to this
 * one, since a replay after a refusal undoes under the next.
 */
export function recoveryIdsOf(workflowType: string, { jobId, step, round, generation }: UndoneOperation): JobId[] {
  const operationId = operationIdOf(jobId, step, round);
  const idOf = (nth: number): JobId => jobIdOf(RECOVERY_CALLER, workflowType, `${operationId}#${nth}`);
  return Array.from({ length: generation + 1 }, (_, back) => idOf(generation - back));
}

export type UndoneOperation = Pick<Undoes, 'jobId' | 'step' | 'round' | 'generation'>;

function nextAfter(generation: number | null | undefined): number {
  return generation == null ? 0 : generation + 1;
}

/**
 * What a replay of a recovery job undoes: after a definitive refusal the undo is a new operation, after anything else the
 * same one, for it may have been done and must not be done twice.
 */
export function undoneAgain({ steps, stoppedReason }: Job, undoes: Undoes): Undoes {
  const step = steps.find(({ name }) => name === undoes.step);
  const refused = step?.status === 'failed' && !step.mayHaveApplied && stoppedReason === step.errorCode;
  return refused ? { ...undoes, generation: undoes.generation + 1 } : undoes;
}

/** The step that calls: a workflow's own, or what its children call in its place. */
function callOf(plan: WorkflowPlan, name: string): StepPlan {
  const step = planOf(plan, name);
  return step.work.type === 'children' && step.work.child.kind === 'call' ? step.work.child.call : step;
}

/** The undo of a step as a step of its own, patient like an undo. */
export function recoveryStep(plan: WorkflowPlan, undoes: Undoes): StepPlan {
  const undone = callOf(plan, undoes.step);
  if (!hasUndo(undone)) throw new Error(`step ${undoes.step} of ${plan.type} has no undo`);
  const patient: PolicyOverrides = { EXT_: { ...UNDO_POLICY, ...undone.undo.retry }, ORCH_RETRYABLE_: UNDO_POLICY };
  return {
    name: undoes.step,
    stage: 0,
    kind: 'compensatable',
    work: CALL,
    when: null,
    topic: undoes.topic,
    timeoutMs: undone.undo.timeoutMs,
    retry: patient,
    onUnknown: 'retry',
    query: null,
    undo: { none: 'it is itself an undo' },
    map: ({ input }) => input as ReturnType<typeof undone.map>,
    checkOutput: (body) => ({ ok: true, value: body }),
  };
}

/** The definition of a recovery job: one step, which is the undo; quarantined if it fails. */
export function recoveryPlan(plan: WorkflowPlan, undoes: Undoes): WorkflowPlan {
  const undone = callOf(plan, undoes.step);
  const tries = hasUndo(undone) ? undone.undo.retry.maxAttempts : undefined;
  return {
    ...plan,
    steps: [recoveryStep(plan, undoes)],
    stages: 1,
    recovery: null,
    // It has the time and the tries of an undo, however little of both the workflow gives its own steps.
    deadlineMs: plan.undoDeadlineMs,
    maxRetries: Math.max(plan.maxRetries, tries ?? UNDO_POLICY.maxAttempts),
    retry: {},
    quarantine: 'always',
    sagaRetry: null,
    onFailed: 'return',
    checkInput: (input) => ({ ok: true, value: input }),
    output: () => null,
  };
}

/** Strikes an effect off that a recovery job has undone; false: it was struck off before. */
export function forgetEffect(draft: Draft, event: Extract<JobEvent, { type: 'recovered' }>): boolean {
  const { job } = draft;
  const step = job.steps.find((one) => one.name === event.step && one.round === event.round);
  if (step?.mayHaveApplied === true) setStep(draft, step, { mayHaveApplied: false });
  else if (!forgetPast(draft, event)) return false;
  job.lineage = { ...job.lineage, undoneBy: event.by };
  return true;
}

function forgetPast(draft: Draft, event: { readonly step: string; readonly round: number }): boolean {
  const { job } = draft;
  const isIt = (one: Job['past'][number]) => one.step === event.step && one.round === event.round;
  if (!job.past.some((one) => isIt(one) && one.appliedAt !== null)) return false;
  job.past = job.past.map((one) => (isIt(one) ? { ...one, appliedAt: null } : one));
  draft.changed = true;
  return true;
}

/** It takes back what another job has done: one effect that came to light late, or a whole. */
export function takesBack({ source }: Pick<Job, 'source'>): boolean {
  return source === 'recovery';
}

export function isRecovery(job: Job): job is Job & { readonly lineage: { readonly undoes: Undoes } } {
  return job.lineage.undoes !== undefined;
}
