/**
 * A whole deployment in one thread: the real operations on memory stores, their functions, queues, timers and watchdog,
 * and participants, on one time and one seed. Everything that happens is an event on that time; between two events
 * every promise comes to rest, so the same options give the same run.
 */
import { hmacSigner, KEY_BYTES } from '../../adapters/hmac-signer.ts';
import { memoryDependencies } from '../../adapters/memory/dependencies.ts';
import { queueFamily } from '../../adapters/memory/family.ts';
import { seededIds, seededRandom } from '../../adapters/memory/ids.ts';
import { type Documents, jobsKeptAs } from '../../adapters/memory/jobs.ts';
import { memoryPauses } from '../../adapters/memory/pauses.ts';
import { type RecordingBus, recordingBus } from '../../adapters/memory/recorders.ts';
import { memoryAudit, memoryClaims, memoryDeadLetters, memoryValues } from '../../adapters/memory/records.ts';
import { memorySchedules, noWakeups } from '../../adapters/memory/schedules.ts';
import { decodeJob, encodeJob, type StoredJob } from '../../contract/stored-job.ts';
import type { Answer } from '../../core/answers.ts';
import type { Rules } from '../../core/events.ts';
import { FREE } from '../../core/gates.ts';
import type { EpochMs } from '../../core/ids.ts';
import type { Job } from '../../core/job.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Route } from '../../core/plan.ts';
import { type Engine, type PlanCatalog, planFor } from '../../operations/engine.ts';
import type { AuditStore, CallEnvelope, DeadLetterStore, JobStore, Log } from '../../ports.ts';
import type { Behind } from './behind.ts';
import { type Chance, chanceFrom, mixed } from './chance.ts';
import { brokenByChange } from './change-rules.ts';
import type { FaultPlan } from './faults.ts';
import { functions, type Start, starter } from './functions.ts';
import { gated } from './gate.ts';
import type { Invocation } from './invocation.ts';
import { jobIndex } from './job-index.ts';
import { type Mail, mail } from './mail.ts';
import { type RunRecord, runRecord } from './record.ts';
import { type Timeline, timeline } from './timeline.ts';
import { watchdog } from './watchdog.ts';
import { watchedJobs } from './watched-jobs.ts';
import { type Witness, witness } from './witness.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly plans: PlanCatalog;
  readonly faults: (world: Pick<World, 'time'>) => FaultPlan;
  route(topic: string): Route | undefined;
  /** The participants; time is theirs to take. */
  readonly participants: (world: World) => (envelope: CallEnvelope) => Promise<Answer>;
  /** By how much clocks may be off; drawn from for each invocation. */
  readonly skews?: readonly number[];
  /** What half of the functions still run on, where a deployment is under way. */
  readonly oldPlans?: PlanCatalog;
  /** Share of messages that are dealt with and come again all the same. */
  readonly comesAgain?: number;
  readonly traced?: boolean;
}

export interface World {
  readonly time: Timeline;
  readonly start: Start;
  readonly mail: Mail;
  readonly record: RunRecord;
  readonly rules: Rules;
  readonly plans: PlanCatalog;
  /** Every job as it was stored last. */
  readonly jobs: ReadonlyMap<string, Job>;
  readonly bus: RecordingBus;
  readonly witness: Witness;
  readonly stores: { readonly jobs: JobStore; readonly deadLetters: DeadLetterStore; readonly audit: AuditStore };
  /** An engine of nobody's: for looking at things after the run. */
  readonly onlooker: Engine;
  /** Runs until nothing is going on any more: no message, no function, no job that would do something by itself. */
  untilQuiet(withinMs: number): Promise<boolean>;
}

/** Any fixed time does; this one makes dates in traces recognisable. */
export const WORLD_START: EpochMs = Date.UTC(2030, 0, 1);
/** Far more than any saga needs with every retry: what is still busy then goes round in circles. */
const CALLS_MAX = 20_000;

export function world(options: WorldOptions): World {
  const { seed, plans } = options;
  const time = timeline(WORLD_START);
  const record = runRecord({ now: time.now, start: WORLD_START, traced: options.traced ?? false });
  const luck = chanceFrom(mixed(seed, 11));
  const index = jobIndex(time.now);
  const kept = watchedJobs(jobsKeptAs(RECORDS, nobody), (before, after) => {
    index.put(after, time.now());
    record.say(() => `    ${after.jobId.slice(0, 6)} ${before?.state ?? '-'} → ${after.state} ${stepsOf(after)}`);
    for (const rule of brokenByChange(before, after, planFor(plans, after))) record.breaks(rule);
    dog.expect(index.actionableAt(after.jobId));
  });
  const rules = rulesOf(options);
  const letters = mail({
    time,
    chance: luck,
    deliver: (queue, received) =>
      runs.deliver(queue, received, () => {
        if (!luck.often(options.comesAgain ?? 0)) letters.remove(queue, received.receipt);
      }),
    died: (queue, message) => runs.bury(queue, message),
  });
  const seen = witness({ record, time, jobs: kept.jobs, plans });
  const stores = storesAround(kept.store);
  const faults = options.faults({ time });
  const deliver: Behind['deliver'] = (envelope) => seen.heard(envelope, () => participants(envelope));
  const behind = behindOf({ time, record, seen, rules, stores, index, faults, mail: letters, deliver }, seed);
  const start = starter({
    time,
    record,
    skewMs: () => (options.skews === undefined ? 0 : luck.pick(options.skews)),
    engineFor: (by) => engineFor(by, behind, options, rules, luck),
  });
  const runs = functions(time, start);
  const dog = watchdog(time, () => Math.min(...[...kept.jobs.keys()].map(index.actionableAt)), runs.watch);

  const self: World = {
    time,
    start,
    mail: letters,
    record,
    rules,
    plans,
    jobs: kept.jobs,
    bus: stores.bus,
    witness: seen,
    stores,
    onlooker: onlooker(behind, rules, plans),
    untilQuiet: (withinMs) => {
      const rests = (): boolean => time.busy() === 0 && kept.restless() === 0 && letters.isEmpty();
      return time.advanceUntil(() => isOverworked(record) || rests(), withinMs);
    },
  };
  const participants = options.participants(self);
  return self;
}

function isOverworked(record: RunRecord): boolean {
  if (record.calls <= CALLS_MAX) return false;
  record.breaks(`I14 goes round in circles: ${record.calls} calls and no rest`);
  return true;
}

const nobody = (): void => {};

/** As stored, but for the text: writing and reading that took a sixth of every run, and others test it. */
const RECORDS: Documents<StoredJob> = { of: encodeJob, jobIn: decodeJob, jobsIn: (all) => all.map(decodeJob) };

function storesAround(jobs: JobStore) {
  return {
    jobs,
    values: memoryValues(),
    claims: memoryClaims(),
    dependencies: memoryDependencies(),
    deadLetters: memoryDeadLetters(),
    audit: memoryAudit(),
    pauses: memoryPauses(),
    schedules: memorySchedules(),
    bus: recordingBus(),
    signer: hmacSigner(Buffer.alloc(KEY_BYTES, 1)),
    changes: { next: () => Promise.reject(new Error('nobody waits in a simulation')) },
  };
}

type Parts = Pick<Behind, 'time' | 'index' | 'mail' | 'faults' | 'deliver'> & {
  readonly record: RunRecord;
  readonly seen: Witness;
  readonly rules: Rules;
  readonly stores: ReturnType<typeof storesAround>;
};

function behindOf({ record, seen, rules, ...parts }: Parts, seed: number): Behind {
  return {
    ...parts,
    ids: seededIds(seededRandom(mixed(seed, 12))),
    log: logTo(record),
    chance: chanceFrom(mixed(seed, 13)),
    transitMsMax: ({ call }) => (rules.route(call.topic)?.fencing === true ? Number.POSITIVE_INFINITY : TRANSIT_MS_MAX),
    calling: seen.calling,
    answered: seen.answered,
    sent: seen.sent,
    called: (by, name, about) => {
      seen.touched(by, about);
      return record.called(by, name, about);
    },
    fired: record.happened,
  };
}

/** To a participant whose promises count from when it is called. */
const TRANSIT_MS_MAX = 20;

function onlooker({ stores, mail: letters, ids, time, log }: Behind, rules: Rules, plans: PlanCatalog): Engine {
  const participants = { call: () => Promise.reject(new Error('an onlooker calls nobody')) };
  const timers = { arm: () => Promise.reject(new Error('an onlooker arms nothing')) };
  const messengers = { queue: letters, family: queueFamily(letters), wakeups: noWakeups(), timers, participants };
  const ports = { ...stores, ...messengers, clock: time, ids, log };
  return { ports, plans, rules, actor: 'orchestrator:onlooker' };
}

function engineFor(by: Invocation, behind: Behind, options: WorldOptions, rules: Rules, luck: Chance): Engine {
  const { plans, oldPlans } = options;
  const known = oldPlans !== undefined && luck.often(0.5) ? oldPlans : plans;
  return { ports: gated(behind, by), plans: known, rules, actor: `orchestrator:${by.name}` };
}

export function rulesOf({ route }: WorldOptions): Rules {
  return {
    route,
    policies: {},
    gate: () => FREE,
    retryPenaltyMs: () => 0,
    hintGraceMs: LIMITS.hintGraceMs,
    livingOwners: null,
  };
}

/** Words that say that something is wrong with us. A definition or an item of other code is not, while one deploys. */
const HARMLESS = ['unknown_version', 'sweep_item_failed', 'tick_failed', 'newer_schema'];

export function logTo(record: RunRecord): Log {
  return {
    write: (level, event, fields) => {
      record.say(() => `    ${level} ${event} ${JSON.stringify(fields)}`);
      if (level === 'error' && !HARMLESS.includes(event)) record.breaks(`logged ${event} ${JSON.stringify(fields)}`);
    },
  };
}

function stepsOf(job: Job): string {
  return job.steps.map(({ name, status, mayHaveApplied }) => `${name}:${status}${mayHaveApplied ? '?' : ''}`).join(' ');
}
