/**
 * A simulated world whose stores, queues and ways to participants are the adapters for AWS, on engines that speak the real
 * protocols, with faults at every HTTP attempt. Functions, people, participants and rules are the simulation's own.
 */
import type { AwsPorts } from '../../../../lib/adapters/aws/ports.ts';
import { seededIds, seededRandom } from '../../../../lib/adapters/memory/ids.ts';
import { type Engine, planFor } from '../../../../lib/operations/engine.ts';
import type { BusEvent, CallEnvelope, Ports } from '../../../../lib/ports.ts';
import { chanceFrom, mixed } from '../../../../lib/testing/simulation/chance.ts';
import { brokenByChange } from '../../../../lib/testing/simulation/change-rules.ts';
import { functions, starter } from '../../../../lib/testing/simulation/functions.ts';
import { type Invocation, runLater } from '../../../../lib/testing/simulation/invocation.ts';
import { type JobIndex, jobIndex } from '../../../../lib/testing/simulation/job-index.ts';
import { runRecord } from '../../../../lib/testing/simulation/record.ts';
import type { Timeline } from '../../../../lib/testing/simulation/timeline.ts';
import { watchdog } from '../../../../lib/testing/simulation/watchdog.ts';
import { jobWatch } from '../../../../lib/testing/simulation/watched-jobs.ts';
import { type Witness, witness } from '../../../../lib/testing/simulation/witness.ts';
import {
  logTo,
  rulesOf,
  WORLD_START,
  type World,
  type WorldOptions,
} from '../../../../lib/testing/simulation/world.ts';
import { deploy, type Engines, sendTo } from './engines.ts';
import { queueMail } from './queue-mail.ts';
import { busStandIn, functionsStandIn, schedulerStandIn } from './stand-ins.ts';
import { realTimeline, running } from './time.ts';
import { wireGate } from './wire-gate.ts';
import { putUp } from './wires.ts';

export interface FireWorld extends World {
  /** Gives clock and timers of this process back. */
  close(): void;
}

export async function fireWorld(engines: Engines, options: WorldOptions): Promise<FireWorld> {
  const { seed, plans } = options;
  const deployment = await deploy(engines);
  const { clients, queues, ports } = deployment;
  const time = realTimeline(WORLD_START);
  const release = time.rule(mixed(seed, 21));
  const record = runRecord({ now: time.now, start: WORLD_START, traced: options.traced ?? false });
  const luck = chanceFrom(mixed(seed, 11));
  const index = jobIndex(time.now);
  const watch = jobWatch((before, after) => {
    index.put(after, time.now());
    for (const rule of brokenByChange(before, after, planFor(plans, after))) record.breaks(rule);
    dog.expect(index.actionableAt(after.jobId));
  });
  const failed = (error: unknown): void => record.breaks(`the engine failed: ${String(error)}`);
  const letters = queueMail({
    time,
    queues,
    send: ports.queue.send,
    deliver: (queue, received) =>
      runs.deliver(queue, received, () => {
        if (!luck.often(options.comesAgain ?? 0)) letters.remove(queue, received.receipt);
      }),
    died: (queue, message) => runs.bury(queue, message),
    failed,
  });
  const seen = witness({ record, time, jobs: watch.jobs, plans });
  const rules = rulesOf(options);
  const called = functionsStandIn((envelope) => {
    const landed = seen.sent(envelope);
    return new Promise((resolve) => {
      // It is at work in a time of its own.
      time.soon(1, () => {
        landed();
        void seen.heard(envelope, () => participants(envelope)).then(resolve);
      });
    });
  });
  const published: BusEvent[] = [];
  putUp({
    clients,
    time,
    gate: wireGate({ time, record, faults: options.faults({ time }), chance: chanceFrom(mixed(seed, 13)) }),
    bus: busStandIn(published, time.now),
    scheduler: schedulerStandIn(time, sendTo(clients.sqs, queues)),
    functions: called.deliver,
    stored: (job) => watch.took(watch.jobs.get(job.jobId) ?? null, job),
    taken: letters.taken,
  });
  const ids = seededIds(seededRandom(mixed(seed, 12)));
  const inside = { ports: { ...ports, ids, log: logTo(record) }, time, index, seen, expect: called.expect };
  const start = starter({
    time,
    record,
    skewMs: () => (options.skews === undefined ? 0 : luck.pick(options.skews)),
    engineFor: (by) => {
      const known = options.oldPlans !== undefined && luck.often(0.5) ? options.oldPlans : plans;
      return { ports: portsOf(by, inside), plans: known, rules, actor: `orchestrator:${by.name}` };
    },
  });
  const runs = functions(time, start);
  const dog = watchdog(time, () => Math.min(...[...watch.jobs.keys()].map(index.actionableAt)), runs.watch);
  const onlooker: Engine = {
    ports: { ...inside.ports, clock: time },
    plans,
    rules,
    actor: 'orchestrator:onlooker',
  };
  const self: FireWorld = {
    time,
    start,
    mail: letters,
    record,
    rules,
    plans,
    jobs: watch.jobs,
    bus: { published, publish: ports.bus.publish },
    witness: seen,
    stores: ports,
    onlooker,
    untilQuiet: (withinMs) => {
      const rests = (): boolean => time.busy() === 0 && watch.restless() === 0 && letters.isEmpty();
      return time.advanceUntil(() => record.broken.length > 0 || rests(), withinMs);
    },
    close: () => {
      release();
      for (const client of Object.values(clients)) client.destroy();
    },
  };
  const participants = options.participants(self);
  return self;
}

interface Inside {
  readonly ports: AwsPorts;
  readonly time: Timeline;
  readonly index: JobIndex;
  readonly seen: Witness;
  expect(envelope: CallEnvelope): void;
}

/** The ports of one function: what it calls is called on its behalf, and when it is dead it hears of nothing. */
function portsOf(by: Invocation, { ports, time, index, seen, expect }: Inside): Ports {
  const own = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: readonly unknown[]) => {
          seen.touched(by, aboutOf(given[0]));
          return onBehalfOf(by, () => member.apply(target, given));
        };
      },
    });
  const every = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, own(port)])) as unknown as Ports;
  const { jobs } = every;
  return {
    ...every,
    jobs: {
      ...jobs,
      // Most shards are empty, and looking at those decides nothing.
      due: async (query) => (index.isEmpty(query.shard) ? { items: [], next: null } : jobs.due(query)),
    },
    participants: {
      call: async (envelope) => {
        if (by.alive) {
          seen.calling(by, envelope);
          expect(envelope);
        }
        const answer = await onBehalfOf(by, () => ports.participants.call(envelope));
        seen.answered(envelope);
        return answer;
      },
    },
    changes: { next: () => Promise.reject(new Error('nobody waits in a simulation')) },
    clock: { now: () => time.now() + by.skewMs, after: (ms, action) => runLater(time, by, Math.ceil(ms), action) },
    ids: ports.ids,
    log: { write: (level, event, fields) => (by.alive ? ports.log.write(level, event, fields) : undefined) },
  };
}

function onBehalfOf<T>(by: Invocation, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (!by.alive) return;
    running.run(by, work).then(
      (value) => (by.alive ? resolve(value) : undefined),
      (error: unknown) => (by.alive ? reject(error) : undefined),
    );
  });
}

function aboutOf(given: unknown): string | null {
  const text = typeof given === 'object' && given !== null && 'jobId' in given ? given.jobId : given;
  return typeof text === 'string' ? (/j[a-z2-7]{26}/.exec(text)?.[0] ?? null) : null;
}
