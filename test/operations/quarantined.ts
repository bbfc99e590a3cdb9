/** A world with one signup in quarantine, its dead letter published, and what to look at when it is settled. */
import { wireDeadLetter } from '../../lib/contract/wire-dead-letter.ts';
import { failure } from '../../lib/core/answers.ts';
import { deadLetterIdOf, jobIdOf } from '../../lib/core/ids.ts';
import type { Job } from '../../lib/core/job.ts';
import type { Json } from '../../lib/core/json.ts';
import type { Viewer } from '../../lib/operations/inspect.ts';
import type { SubmitRequest } from '../../lib/operations/submit.ts';
import { readJob, type World, type WorldOptions, world } from './world.ts';

export const SIGNUP = { company: 'Acme', email: 'ada@acme.example', plan: 'free' };
export const TRACE = {
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate: 'vendor=1',
};
export const SUBMIT = {
  callerId: 'caller',
  source: 'api',
  workflowType: 'signup',
  version: null,
  input: SIGNUP,
  idempotencyKey: 'key',
  correlationId: 'corr',
  trace: TRACE,
} as const satisfies SubmitRequest;
export const jobId = jobIdOf('caller', 'signup', 'key');
export const deadLetterId = deadLetterIdOf(jobId);
export const ann: Viewer = { callerId: 'ann', role: 'operator' };
export const bob: Viewer = { callerId: 'bob', role: 'operator' };
export const DAY = 86_400_000;

/** Its user service is broken in an unknown way for the first call, and works from then on. */
export async function quarantined(options: WorldOptions = {}, input: Json = SIGNUP): Promise<World> {
  let broken = true;
  const where = world({
    ...options,
    between: async ({ call }, deliver) => {
      if (call.topic !== 'user:create' || !broken) return deliver();
      broken = false;
      return failure('SURPRISE', 'nobody knows this', false);
    },
  });
  await where.submit({ ...SUBMIT, input });
  if (!(await where.untilQuiet(jobId, DAY))) throw new Error('the signup does not come to rest');
  return where;
}

export async function record(where: World): Promise<Record<string, unknown>> {
  const found = await where.ports.deadLetters.get(deadLetterId);
  if (found === null) throw new Error('no dead letter');
  return wireDeadLetter(found);
}

export async function auditOf(where: World) {
  const { items } = await where.ports.audit.list({ jobId, actor: null, limit: 100, after: null });
  return items.map(({ actor, action, result, reason }) => `${actor} ${action} ${result}: ${reason}`);
}

/** Every job but the quarantined one. */
export async function others(where: World): Promise<Job[]> {
  const all = { callerId: null, state: null, workflowType: null, correlationId: null, from: null, to: null };
  const { items } = await where.ports.jobs.list({ ...all, limit: 100, after: null });
  return Promise.all(items.filter((job) => job.jobId !== jobId).map((job) => readJob(where, job.jobId)));
}
