/**
 * An answer that comes with a token: the token is the authority, whoever brings it. It is looked at before anything is
 * read or stored; a refused one leaves no trace but the refusal.
 */
import type { Answer } from '../core/answers.ts';
import { openTo } from '../core/callbacks.ts';
import { type ErrorCode, isErrorCode } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { FieldError, StepPlan } from '../core/plan.ts';
import { driverKindOf } from '../core/schedule.ts';
import { queueOf } from '../ports.ts';
import { apply } from './apply.ts';
import { type Engine, planFor } from './engine.ts';
import { belongsTo, readToken, type Token } from './tokens.ts';
import { loadValues } from './values.ts';

export interface TokenRefusal {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

/** What a token is for, as long as it is good. */
export interface OpenToken {
  readonly kind: 'open';
  readonly token: Token;
  readonly job: Job;
  readonly plan: StepPlan;
}

const NO_TOKEN: TokenRefusal = {
  kind: 'refused',
  code: 'ORCH_TOKEN_INVALID',
  detail: 'this is no token of ours: send the one that came with the call, whole and unchanged',
};
const NOT_HERE: TokenRefusal = {
  kind: 'refused',
  code: 'ORCH_RETRYABLE_STORE',
  detail: "this deployment does not have the job's version: send it again later",
};

/** Whether the token is good now; nothing is changed by asking. */
export async function openToken(engine: Engine, text: string): Promise<OpenToken | TokenRefusal> {
  const token = await readToken(engine.ports.signer, text);
  const job = token === null ? null : await engine.ports.jobs.read(token.jobId);
  if (token === null || job === null || !belongsTo(token, job)) return NO_TOKEN;
  const plan = planFor(engine.plans, job)?.steps.find(({ name }) => name === token.ref.step);
  if (plan === undefined) return NOT_HERE;
  const known = openTo(job, token.ref, engine.ports.clock.now());
  return 'status' in known ? refusalOf(known) : { kind: 'open', token, job, plan };
}

/** @param answer null: only a heartbeat */
export async function callBack(
  engine: Engine,
  { token, job }: OpenToken,
  answer: Answer | null,
): Promise<{ readonly kind: 'taken' } | TokenRefusal> {
  const event = () => ({ type: 'callback', token: token.ref, answer }) as const;
  const applied = await apply(engine, token.jobId, event, await loadValues(engine.ports, job));
  switch (applied.status) {
    case 'changed':
      await wake(engine, applied.job);
      return { kind: 'taken' };
    case 'ignored':
      return applied.reason === 'unknown_version' ? NOT_HERE : { kind: 'taken' };
    case 'refused':
      return refusalOf(applied);
    case 'missing':
      return NO_TOKEN;
  }
}

function refusalOf({
  code,
  detail,
  errors,
}: {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}): TokenRefusal {
  const known = isErrorCode(code) ? code : 'ORCH_INVALID_STATE_TRANSITION';
  return { kind: 'refused', code: known, detail, ...(errors === undefined ? {} : { errors }) };
}

/** Only makes it soon: what follows is due by itself. A driver also publishes what an ended job has to tell. */
async function wake({ ports }: Engine, job: Job): Promise<void> {
  try {
    const hint = { kind: 'hint', jobId: job.jobId, revision: job.revision, hops: 0 } as const;
    await ports.queue.send(queueOf(driverKindOf(job)), hint, 0);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    ports.log.write('warn', 'follow_up_delayed', { job_id: job.jobId, error: name });
  }
}
