/**
 * The only code that changes an existing job: read, decide, write if nobody else has, else read again and decide anew.
 * Invariant: a job in the store is always the outcome of `decide` on the job before it.
 */
import { decide } from '../core/decide.ts';
import type { Call, Decision, Ignored, JobEvent, Rules } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import type { FieldError, WorkflowPlan } from '../core/plan.ts';
import { poisonPlan } from '../core/poison-job.ts';
import { contextOf, type Engine, planFor, sleep } from './engine.ts';
import { withPlaces } from './places.ts';
import { loadValues, storeValues } from './values.ts';

export type Applied =
  | {
      readonly status: 'changed';
      readonly job: Job;
      readonly calls: readonly Call[];
      readonly full?: readonly string[];
    }
  | { readonly status: 'ignored'; readonly reason: Ignored; readonly job: Job; readonly full?: readonly string[] }
  | {
      readonly status: 'refused';
      readonly code: string;
      readonly detail: string;
      readonly errors?: readonly FieldError[];
      readonly job: Job;
    }
  | { readonly status: 'missing' };

/** Others kept winning. What is in hand has to go another way; nothing was written. */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
}

/** Losers wait up to this long before they look again: about the time a winner needs for its write. */
const CONTENTION_DELAY_MS = 20;

/**
 * @param eventOf made for each try, since what a driver can still do changes with time
 * @param known the job as this caller last wrote it, values loaded; spares the first read
 * @throws ContentionError after `LIMITS.applyAttemptsMax` lost races
 */
export async function apply(engine: Engine, jobId: JobId, eventOf: () => JobEvent, known?: Job): Promise<Applied> {
  const { ports } = engine;
  let job = known ?? (await readLoaded(engine, jobId));
  for (let tries = 0; tries < LIMITS.applyAttemptsMax; tries += 1) {
    if (job === null) return { status: 'missing' };
    const plan = planFor(engine.plans, job);
    const event = eventOf();
    if (plan === undefined && event.type !== 'linked') return { status: 'ignored', reason: 'unknown_version', job };
    // What ties ended jobs together needs nothing of their definition.
    const its = plan ?? poisonPlan(job.workflowType, undefined);
    const before = job;
    const decideBy = (rules: Rules) => decided(engine, before, event, its, rules);
    const { decision, full, places } = await withPlaces(engine, job, decideBy);
    if (decision.status === 'ignored') return { ...decision, job, full };
    if (decision.status !== 'changed') return { ...decision, job };
    const written = await stored(engine, decision.job, job.revision).catch((error: unknown) => {
      places.giveBack();
      throw error;
    });
    if (written.stored) return { status: 'changed', job: written.job, calls: decision.calls, full };
    places.giveBack();
    if (tries > 0) await sleep(engine, ports.ids.random() * CONTENTION_DELAY_MS);
    job = written.current === null ? null : await loadValues(ports, written.current);
  }
  throw new ContentionError(`job ${jobId} was changed by others ${LIMITS.applyAttemptsMax} times in a row`);
}

/**
 * Where what is stored contradicts the rules, the job stops and asks for a person; the message that showed it fails as
 * it would have, so that an answer it carries is not lost.
 */
async function decided(engine: Engine, job: Job, event: JobEvent, plan: WorkflowPlan, rules: Rules): Promise<Decision> {
  try {
    return decide(job, event, plan, { ...contextOf(engine), rules });
  } catch (error) {
    const byDriver = event.type === 'turn' || event.type === 'results';
    if (byDriver) await stopBroken(engine, job, plan, error instanceof Error ? error.message : String(error));
    throw error;
  }
}

async function stopBroken(engine: Engine, job: Job, plan: WorkflowPlan, message: string): Promise<void> {
  const { jobs, log } = engine.ports;
  log.write('error', 'invariant_broken', { job_id: job.jobId, state: job.state });
  const decision = decide(job, { type: 'broken', message }, plan, contextOf(engine));
  if (decision.status === 'changed') await jobs.update(await storeValues(engine.ports, decision.job), job.revision);
}

async function stored({ ports }: Engine, job: Job, expectedRevision: number) {
  const next = await storeValues(ports, job);
  const written = await ports.jobs.update(next, expectedRevision);
  return written.stored ? ({ stored: true, job: next } as const) : written;
}

/** The job as it is stored, with every value that a decision may need. */
export async function readLoaded(engine: Engine, jobId: JobId): Promise<Job | null> {
  const job = await engine.ports.jobs.read(jobId);
  return job === null ? null : loadValues(engine.ports, job);
}
