/**
 * The two ways in which a request fails: the server said no, in a problem document, or nobody knows what the server
 * said. Branch on `code`; people read the message.
 */
import type { Problem } from '../contract/problem.ts';

export class ProblemError extends Error {
  readonly code: string;
  readonly status: number;
  readonly problem: Problem;
  /** Of a job that ended badly, or that the refusal is about. */
  readonly jobId: string | null;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'ProblemError';
    this.code = problem.code;
    this.status = problem.status;
    this.problem = problem;
    this.jobId = problem.job_id ?? null;
  }
}

/** No answer that says anything, after as many attempts as were allowed. What was asked for may have been done. */
export class UnreachableError extends Error {
  /** Of a submit: repeat it with this key, and nothing happens twice. */
  readonly idempotencyKey: string | null;

  constructor(message: string, options: { readonly idempotencyKey: string | null; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'UnreachableError';
    this.idempotencyKey = options.idempotencyKey;
  }
}

/** The job has not come to an end in the time that was given; it goes on. */
export class StillRunningError extends Error {
  readonly jobId: string;

  constructor(jobId: string) {
    super(`job ${jobId} is still running: wait for it, or look at it later`);
    this.name = 'StillRunningError';
    this.jobId = jobId;
  }
}
