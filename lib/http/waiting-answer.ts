/**
 * What a caller is told who waited for a job, whatever door or duplicate brought it: the result, the error of the
 * step that made it fail, or that it is still running. Read from the stored job alone, so that every repetition of the
 * question gets the same answer.
 */
import { type Problem, problemOf, titleOf } from '../contract/problem.ts';
import { type WireJob, wireJob, wireOpenEffects } from '../contract/wire-job.ts';
import type { Job } from '../core/job.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { isTerminal } from '../core/states.ts';

type Plan = WorkflowPlan | undefined;

export type WaitingAnswer =
  | { readonly kind: 'job'; readonly status: 201 | 202; readonly job: WireJob }
  | { readonly kind: 'problem'; readonly problem: Problem };

export function waitingAnswer(job: Job, plan: Plan): WaitingAnswer {
  switch (job.state) {
    case 'COMPLETED':
      return { kind: 'job', status: 201, job: wireJob(job, plan) };
    case 'NEEDS_REVIEW':
      return { kind: 'problem', problem: reviewProblem(job, plan) };
    case 'CANCELLED':
      return { kind: 'problem', problem: endProblem(job, plan, 'ORCH_CANCELLED') };
    case 'FAILED':
    case 'DEAD_LETTERED':
      return { kind: 'problem', problem: endProblem(job, plan, causeOf(job)) };
    case 'PENDING':
    case 'VALIDATING':
    case 'PROCESSING':
    case 'RETRY_SCHEDULED':
    case 'COMPENSATING':
      return { kind: 'job', status: 202, job: wireJob(job, plan) };
  }
}

/** The job is stored and goes on by itself; who waits is told so at once, for that is not now. */
export function unavailable(job: Job): Problem {
  const detail = `${job.lastErrorMessage ?? 'its dependency is not available'}: job ${job.jobId} is accepted and goes on when it is back. Ask for it, cancel it, or submit again under the same key after Retry-After`;
  return problemOf('ORCH_DEPENDENCY_UNAVAILABLE', detail, { jobId: job.jobId });
}

/** Ended, or stopped until a person acts: waiting longer would change nothing. */
export function isSettled(job: Job): boolean {
  return isTerminal(job.state) || job.state === 'NEEDS_REVIEW';
}

/**
 * The error that decides the status. Time that ran out is its own cause; retries that ran out are told by the error
 * that was retried, which says more than that there were too many of it.
 */
function causeOf(job: Job): string {
  if (job.turnBack?.cause === 'deadline' || job.stoppedReason === 'ORCH_DEADLINE_EXCEEDED')
    return 'ORCH_DEADLINE_EXCEEDED';
  return job.lastErrorCode ?? job.stoppedReason ?? 'ORCH_STATE_MACHINE_INVARIANT_BROKEN';
}

function endProblem(job: Job, plan: Plan, code: string): Problem {
  const openEffects = wireOpenEffects(job, plan);
  const left = openEffects.length === 0 ? 'nothing of it remains' : 'some effects may remain, see open_effects';
  const why = code === job.lastErrorCode ? (job.lastErrorMessage ?? titleOf(code)) : titleOf(code);
  return problemOf(code, `${why} (job ${job.state}, ${left})`, { jobId: job.jobId, openEffects });
}

function reviewProblem(job: Job, plan: Plan): Problem {
  const code = job.stoppedReason ?? job.lastErrorCode ?? 'ORCH_OUTCOME_UNKNOWN';
  const detail = `${titleOf(code)}: the job waits for a person to settle its open effects`;
  return problemOf(code, detail, { jobId: job.jobId, openEffects: wireOpenEffects(job, plan), status: 500 });
}
