/**
 * The one loop that moves a job: decide, write, call, fold the answers in, decide again, until it must wait. Before it
 * lets go it makes sure that somebody will come back: a hint, a timer, or another driver's lease.
 */
import { type Chore, choreOf } from '../core/child-set.ts';
import type { ChildReport, Driver, DriverKind, JobEvent, Result } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import { NewerSchemaError } from '../core/newer-schema.ts';
import { outlook } from '../core/outlook.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { driverKindOf, workDueAt } from '../core/schedule.ts';
import { queueOf } from '../ports.ts';
import { type Addressed, addressee } from './addressee.ts';
import { type Applied, apply, readLoaded } from './apply.ts';
import { performChore, wake } from './chores.ts';
import { type Engine, planFor, sleep } from './engine.ts';
import { admissionOf, tellParent } from './family.ts';
import { hintFor } from './hint.ts';
import { sendResult, unpacked } from './parcels.ts';
import { type Flight, flight } from './perform.ts';
import { probeByJob } from './probe.ts';
import { publish, publishIsDue } from './publish.ts';

export interface DriveRequest {
  readonly jobId: JobId;
  readonly kind: DriverKind;
  remainingMs(): number;
  /** Hand-overs behind this one. */
  readonly hops: number;
  /** Answers that came by message; they are folded in first. */
  readonly results?: readonly Result[];
  /** Ends of children that came by message. */
  readonly reports?: readonly ChildReport[];
}

export interface DriveReport {
  readonly end: 'ended' | 'parked' | 'queued' | 'handed_over' | 'left' | 'missing' | 'unknown_version' | 'newer_schema';
}

/** More hand-overs than the longest saga with every retry makes: beyond it only the watchdog goes on, once a minute. */
const HOPS_MAX = 2_000;

export async function drive(engine: Engine, request: DriveRequest): Promise<DriveReport> {
  try {
    return await run(engine, request);
  } catch (error) {
    if (!(error instanceof NewerSchemaError)) throw error;
    engine.ports.log.write('error', 'newer_schema', { job_id: request.jobId, schema: error.schema });
    return { end: 'newer_schema' };
  }
}

async function run(engine: Engine, request: DriveRequest): Promise<DriveReport> {
  const owner = engine.ports.ids.owner();
  const known = await readLoaded(engine, request.jobId);
  if (known === null) return { end: 'missing' };
  const admission = known.lineage.child === undefined ? undefined : await admissionOf(engine, known);
  const asked = admission === undefined ? {} : { admission };
  const driver = (): Driver => ({ kind: request.kind, owner, remainingMs: request.remainingMs(), ...asked });
  const results = await unpacked(engine, request.jobId, request.results ?? []);
  const { reports = [] } = request;
  let applied = await apply(engine, request.jobId, () => firstEvent(results, reports, driver()), known);
  const elsewhere = await forward(engine, applied, results);
  if (elsewhere !== null) return run(engine, { ...request, jobId: elsewhere.jobId, results: [elsewhere.result] });
  const out = flight(engine);
  for (;;) {
    if (applied.status === 'missing') return { end: 'missing' };
    if (applied.status === 'ignored' && applied.reason === 'unknown_version')
      return unknownVersion(engine, applied.job);
    if (applied.status === 'changed') out.start(applied.job, applied.calls);
    if (applied.status === 'changed' && applied.released.length > 0) await wake(engine, applied);
    const { job } = applied;
    const chore = out.hasArrived ? null : choreFor(engine, job, driver());
    if (chore !== null) {
      applied = await performChore(engine, job, chore.plan, chore, driver);
      continue;
    }
    const full = 'full' in applied ? (applied.full ?? []) : [];
    if (out.size > 0) {
      applied = await foldNext(engine, job, out, driver, full.length > 0);
      continue;
    }
    if (full[0] !== undefined && engine.limits !== undefined) {
      if (publishIsDue(job)) await publish(engine, job);
      engine.limits.comeBack(job, full[0], request.kind);
      return { end: 'queued' };
    }
    const done = await rest(engine, request, job, driver());
    if (done !== null) return done;
    applied = await apply(engine, job.jobId, () => ({ type: 'turn', driver: driver() }), job);
  }
}

/** A result that its job does not know may be another job's: messages bring one at a time. */
async function forward(engine: Engine, applied: Applied, results: readonly Result[]): Promise<Addressed | null> {
  const [result] = results;
  if (result === undefined || applied.status !== 'ignored' || applied.reason !== 'unknown_operation') return null;
  const found = await addressee(engine, applied.job, result);
  return found === null || found.jobId === applied.job.jobId ? null : found;
}

/** What came by message is folded in first. */
function firstEvent(results: readonly Result[], reports: readonly ChildReport[], driver: Driver): JobEvent {
  if (results.length > 0) return { type: 'results', results, driver };
  return reports.length > 0 ? { type: 'reports', reports, driver } : { type: 'turn', driver };
}

/** A piece of work on children that this driver can do now, and has the time for. */
function choreFor(
  { plans, ports }: Engine,
  job: Job,
  driver: Driver,
): (Chore & { readonly plan: WorkflowPlan }) | null {
  const plan = planFor(plans, job);
  if (plan === undefined || driverKindOf(job) !== driver.kind || driver.remainingMs < LIMITS.choreMarginMs) return null;
  const chore = choreOf(job, plan, ports.clock.now());
  return chore === null ? null : { ...chore, plan };
}

/** Waits for answers, or for the next thing that falls due meanwhile: a sibling's retry, the job's deadline. */
async function foldNext(
  engine: Engine,
  job: Job,
  out: Flight,
  driver: () => Driver,
  waitsForRoom: boolean,
): Promise<Applied> {
  const { clock } = engine.ports;
  const plan = planFor(engine.plans, job);
  const now = clock.now();
  const due = plan === undefined ? null : workDueAt(job, plan, engine.rules, now);
  const until = due !== null && due > now ? due : now + NOTHING_DUE_MS;
  const results = await out.arrivals(waitsForRoom ? Math.min(until, now + ASK_FOR_ROOM_MS) : until);
  if (results.length === 0) return apply(engine, job.jobId, () => ({ type: 'turn', driver: driver() }), job);
  try {
    return await apply(engine, job.jobId, () => ({ type: 'results', results, driver: driver() }), job);
  } catch (error) {
    // An answer in hand is never dropped: it goes to the queue and is folded in from there.
    // One that cannot be sent keeps no other from its way.
    const sent = await Promise.allSettled(results.map((result) => sendResult(engine, job.jobId, result)));
    for (const one of sent) if (one.status === 'rejected') lost(engine, job, one.reason);
    throw error;
  }
}

/** Its lease will run out, and what became of it is then established as for any lost answer. */
function lost(engine: Engine, job: Job, error: unknown): void {
  const name = error instanceof Error ? error.name : 'unknown';
  engine.ports.log.write('warn', 'answer_not_sent', { job_id: job.jobId, error: name });
}

/** How long to listen for answers when the job itself has nothing due: every call ends by its own timeout anyway. */
const NOTHING_DUE_MS = 60_000;
/** How soon to ask again for a step whose dependency is full, while its siblings are out. */
const ASK_FOR_ROOM_MS = 250;

/** Nothing is out: sleep a moment (null), or let go of the job with a report. */
async function rest(engine: Engine, request: DriveRequest, job: Job, driver: Driver): Promise<DriveReport | null> {
  const { clock, queue, timers } = engine.ports;
  const plan = planFor(engine.plans, job);
  if (plan === undefined) return unknownVersion(engine, job);
  if (publishIsDue(job)) await publish(engine, job);
  const next = outlook(job, plan, engine.rules, driver, clock.now());
  switch (next.next) {
    case 'ended':
      await tellParent(engine, job);
      return { end: 'ended' };
    case 'leave':
      return { end: 'left' };
    case 'sleep':
      await sleep(engine, next.until - clock.now());
      return null;
    case 'hand_over': {
      if (request.hops >= HOPS_MAX) {
        engine.ports.log.write('error', 'hop_limit', { job_id: job.jobId, hops: request.hops });
        return { end: 'left' };
      }
      await queue.send(queueOf(next.to), hintFor(job, request.hops + 1), 0);
      return { end: 'handed_over' };
    }
    // The watchdog looks for its gate and for its deadline: thousands of held jobs leave no timers behind.
    case 'held':
      return (await probeByJob(engine, job, next.by)) ? null : { end: 'parked' };
    case 'park': {
      const name = `${job.jobId}-${job.revision}`;
      await timers.arm({ name, at: next.until, queue: queueOf(next.to), message: hintFor(job) });
      return { end: 'parked' };
    }
  }
}

/** Another deployment has this definition: the message comes back later, the job is left alone. */
function unknownVersion(engine: Engine, job: Job): DriveReport {
  const { workflowType, workflowVersion } = job;
  const fields = { job_id: job.jobId, workflow_type: workflowType, workflow_version: workflowVersion };
  engine.ports.log.write('error', 'unknown_version', fields);
  return { end: 'unknown_version' };
}
