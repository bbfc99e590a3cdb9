/**
 * Runs what a seed stands for, and holds it against every rule: at each step, when the trouble is over and everything
 * has come to rest, after a person has settled what waited for one, and after every message has come once more.
 */
import { jobToJson } from '../../contract/stored-job.ts';
import type { Job } from '../../core/job.ts';
import { isTerminal } from '../../core/states.ts';
import { supportView } from '../../core/support.ts';
import { contextOf, planFor } from '../../operations/engine.ts';
import { type Chance, chanceFrom, mixed } from './chance.ts';
import { brokenAnswers, brokenOrigins, placeOrder, type Told } from './client.ts';
import { type Fault, type FaultPlan, randomFaults, theseFaults, withOutage } from './faults.ts';
import { type Ledger, ledger } from './ledger.ts';
import { type Person, person } from './people.ts';
import { brokenDeeds } from './people-rules.ts';
import { catalogOf, type Program } from './program.ts';
import { reader } from './reader.ts';
import type { FiredFault, RunRecord } from './record.ts';
import { brokenAtRest } from './rest-rules.ts';
import { resultMessage } from './result-message.ts';
import { type Serve, service } from './service.ts';
import { WORLD_START, type World, type WorldOptions, world } from './world.ts';

export interface RunOptions {
  readonly traced?: boolean;
  /** Instead of the program's own trouble: exactly these faults. */
  readonly faults?: ReadonlyMap<number, Fault>;
}

export type MakeWorld = (options: WorldOptions) => World | Promise<World>;

export interface Report {
  readonly broken: readonly string[];
  readonly fired: readonly FiredFault[];
  readonly calls: number;
  readonly virtualMs: number;
  readonly jobs: readonly Job[];
  readonly record: RunRecord;
  /** Everything there is after the run: equal texts, equal runs. */
  digest(): string;
}

/** An outage, a deadline, a promise, a rollback and a recovery of a day each, and some more. */
const PATIENCE_MS = 7 * 86_400_000;

/** Long enough that its history is stored apart in part, which happens from some fifty entries on. */
const MONTHS_MS = 75 * 86_400_000;
const LATEST_NEWS_MS = 3_600_000;

/** @param make another world to run it in */
export async function run(program: Program, options: RunOptions = {}, make: MakeWorld = world): Promise<Report> {
  const effects = ledger();
  const told: Told[] = [];
  let phase: 'trouble' | 'cooperative' = 'trouble';
  const stage = await make(stageOf(program, options, effects, () => phase === 'cooperative'));
  const chance = chanceFrom(mixed(program.seed, 3));
  const ada = person({ name: 'ada', world: stage, ledger: effects, chance, knows: false, intrudes: 0.1, stale: 0.1 });
  for (const { atMs, order } of program.orders) stage.time.soon(atMs, () => placeOrder(stage, order, told));
  for (const { atMs, deed, which } of program.deeds) {
    stage.time.soon(atMs, () => {
      const jobs = [...stage.jobs.values()];
      const job = jobs[which % Math.max(1, jobs.length)];
      if (job !== undefined) ada.act(job, deed);
    });
  }
  const onlooker = reader(stage);
  for (const { atMs, look, which } of program.looks) {
    stage.time.soon(atMs, () => {
      const jobs = [...stage.jobs.values()];
      const job = jobs[which % Math.max(1, jobs.length)];
      if (job !== undefined) onlooker.look(job, look);
    });
  }
  await rest(stage, effects, 'after the trouble');
  // Nobody is at work on what waits for a person while nothing answers.
  const outMs = WORLD_START + (program.outage?.untilMs ?? 0) - stage.time.now();
  if (outMs > 0) {
    await stage.time.advanceAsync(outMs);
    await rest(stage, effects, 'after the outage');
  }
  const fine = (): boolean => stage.record.broken.length === 0;
  const helper = person({ name: 'bea', world: stage, ledger: effects, chance, knows: true, intrudes: 0, stale: 0 });
  if (program.ages && fine()) {
    await stage.time.advanceAsync(MONTHS_MS);
    await rest(stage, effects, 'after months');
  }
  if (program.settles && fine()) {
    phase = 'cooperative';
    await settleAll(stage, helper, chance);
    await rest(stage, effects, 'after a person had settled everything');
  }
  if ((program.settles || program.repeats) && fine()) {
    // Some tell very late what they did; nobody waits for that, and all the same it is heard.
    await stage.time.advanceAsync(LATEST_NEWS_MS);
    await rest(stage, effects, 'after late news');
  }
  if (program.repeats && fine()) await repeatAll(stage, effects);
  const deeds = [...ada.done, ...helper.done];
  for (const rule of [
    ...brokenAnswers(stage, told),
    ...brokenOrigins(stage, program.orders),
    ...brokenDeeds(stage, deeds),
  ])
    stage.record.breaks(rule);
  return reportOf(stage, effects);
}

function stageOf(program: Program, options: RunOptions, effects: Ledger, isCooperative: () => boolean): WorldOptions {
  const calmAt = WORLD_START + Math.max(program.calmAtMs, program.outage?.untilMs ?? 0);
  const isCalm = (now: number): boolean => now >= calmAt || isCooperative();
  const plans = catalogOf(program.plans);
  const serving = new Map<string, Serve>();
  return {
    seed: program.seed,
    plans,
    faults: ({ time }) => faultsOf(program, options, time.now, isCalm),
    route: (topic) => {
      const spec = program.services.get(nameIn(topic));
      return spec && { target: spec.name, fencing: spec.kind === 'fencing', maxRunMs: spec.maxRunMs };
    },
    participants: ({ time, mail, witness }) => {
      for (const spec of program.services.values()) {
        const { seed } = program;
        const tell: Parameters<typeof service>[1]['tell'] = (envelope, answer) => {
          // Its end is told: whoever still listens to the call itself hears nothing that counts.
          witness.answered(envelope);
          void mail.send('dispatch', resultMessage(envelope, answer, time.now()), 0);
        };
        serving.set(
          spec.name,
          service(spec, { time, ledger: effects, seed, isCalm: () => isCalm(time.now()), isCooperative, tell }),
        );
      }
      return (envelope) => {
        const { topic } = envelope.call;
        const serve = serving.get(nameIn(topic));
        if (serve === undefined) throw new Error(`nobody serves ${topic}`);
        return serve(envelope, topic.endsWith(':do') ? 'do' : topic.endsWith(':find') ? 'query' : 'undo');
      };
    },
    skews: program.skews,
    comesAgain: program.comesAgain,
    ...(program.deploys ? { oldPlans: catalogOf(program.plans.filter(({ version }) => version === 1)) } : {}),
    traced: options.traced ?? false,
  };
}

function faultsOf(
  { seed, trouble, outage }: Program,
  { faults }: RunOptions,
  now: () => number,
  isCalm: (now: number) => boolean,
): FaultPlan {
  // Told by its faults alone, a run has its outage among them.
  if (faults !== undefined) return theseFaults(faults);
  const byChance = randomFaults(chanceFrom(mixed(seed, 2)), { ...trouble, stillOn: () => !isCalm(now()) });
  if (outage === null) return byChance;
  const [from, until] = [WORLD_START + outage.fromMs, WORLD_START + outage.untilMs];
  return withOutage(() => now() >= from && now() < until, byChance);
}

function nameIn(topic: string): string {
  return topic.slice(0, topic.indexOf(':'));
}

/** Runs on until nothing moves, and looks at what there is. */
async function rest(stage: World, effects: Ledger, moment: string): Promise<void> {
  if (!(await stage.untilQuiet(PATIENCE_MS))) {
    const going = [...stage.jobs.values()].map(({ jobId, state }) => `${jobId} ${state}`).join(', ');
    stage.record.breaks(`I10 ${moment}: does not come to rest: ${going}`);
  }
  if (stage.record.broken.length > 0) return;
  for (const rule of await brokenAtRest(stage, effects.all())) stage.record.breaks(`${moment}: ${rule}`);
}

/** More turns than there are things to settle in the largest job. */
const TURNS_MAX = 40;

/** Every job that waits for a person can be brought to an end by one, without leaving anything behind. */
async function settleAll(stage: World, helper: Person, chance: Chance): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const waiting = [...stage.jobs.values()].filter((job) => !isTerminal(job.state));
    if (waiting.length === 0) return;
    for (const job of waiting) helper.act(job, nextDeed(stage, job, turn, chance));
    if (!(await stage.untilQuiet(PATIENCE_MS))) break;
  }
  for (const job of stage.jobs.values()) {
    if (!isTerminal(job.state)) stage.record.breaks(`I10 no person can bring ${job.jobId} to an end`);
  }
}

function nextDeed(
  stage: World,
  job: Job,
  turn: number,
  chance: Chance,
): 'retry_compensation' | 'close' | 'resolve' | 'resume' {
  const plan = planFor(stage.plans, job);
  if (plan === undefined) return 'close';
  const safe = supportView(job, plan, contextOf(stage.onlooker)).safeActions.map(({ action }) => action);
  if (safe.includes('close') && chance.often(0.7)) return 'close';
  if (turn < 6 && safe.includes('resume') && chance.often(0.4)) return 'resume';
  if (turn < 10 && safe.includes('retry_compensation') && chance.often(0.6)) return 'retry_compensation';
  return safe.includes('resolve') ? 'resolve' : 'close';
}

/** What a job is; how often it was brought to mind meanwhile is not. */
function whatItIs({ jobId, state, outcome, steps }: Job): unknown {
  return [jobId, state, outcome, steps.map(({ lease, nextAttemptAt, ...step }) => step)];
}

/**
 * Every answer and every message comes once more. An answer that nobody had heard is news, and leads to what is right
 * at last; after that, the whole again moves nothing: whatever has ended ends the same.
 */
async function repeatAll(stage: World, effects: Ledger): Promise<void> {
  const snapshot = (): string =>
    JSON.stringify([
      [...stage.jobs.values()].map(whatItIs),
      effects.all().map(({ operationId, standing }) => [operationId, standing]),
    ]);
  const sendAll = async (): Promise<void> => {
    const { mail, witness } = stage;
    const answers = witness.answers.map((message) => ['dispatch', message] as const);
    for (const [queue, message] of [...mail.dealtWith.values(), ...answers]) await mail.send(queue, message, 0);
  };
  await sendAll();
  await rest(stage, effects, 'after every answer had been told');
  if (stage.record.broken.length > 0) return;
  const before = snapshot();
  await sendAll();
  await rest(stage, effects, 'after every message had come again');
  if (stage.record.broken.length === 0 && snapshot() !== before) {
    stage.record.breaks(`I5 messages that came again moved something: ${before} → ${snapshot()}`);
  }
}

function reportOf(stage: World, effects: Ledger): Report {
  const jobs = [...stage.jobs.values()];
  return {
    broken: stage.record.broken,
    fired: stage.record.fired,
    calls: stage.record.calls,
    virtualMs: stage.time.now() - WORLD_START,
    jobs,
    record: stage.record,
    digest: () =>
      JSON.stringify([jobs.map(jobToJson), effects.all(), stage.bus.published, stage.mail.counts, stage.time.now()]),
  };
}
