/**
 * A whole deployment in one thread: the real operations on memory ports, the example participants on memory stores,
 * queues, timers and a watchdog on one virtual clock. Every run of a function is an invocation that can be killed at
 * any of its outside calls; what it held comes back as it would on AWS, by redelivery or by the watchdog.
 */

import { crashable } from '../../lib/adapters/crashable.ts';
import { type MemoryPorts, memoryPorts } from '../../lib/adapters/memory/ports.ts';
import { answerOf, requestOf } from '../../lib/contract/envelope.ts';
import type { Answer } from '../../lib/core/answers.ts';
import type { Rules } from '../../lib/core/events.ts';
import { FREE } from '../../lib/core/gates.ts';
import type { JobId } from '../../lib/core/ids.ts';
import type { Job } from '../../lib/core/job.ts';
import type { JsonObject } from '../../lib/core/json.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { isOver } from '../../lib/operations/await-end.ts';
import { drive } from '../../lib/operations/drive.ts';
import type { Engine, PlanCatalog } from '../../lib/operations/engine.ts';
import { hintFor } from '../../lib/operations/hint.ts';
import { type SubmitRequest, type SubmitResult, submit } from '../../lib/operations/submit.ts';
import { sweep } from '../../lib/operations/sweep.ts';
import { EXAMPLE_SERVICES } from '../../lib/participants/index.ts';
import type { CallEnvelope, Ports, QueueName, Received } from '../../lib/ports.ts';
import { host, memoryOperations, type OperationView } from '../../lib/worker/index.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { type Interrupt, interrupted } from './interrupt.ts';

/** Which invocation dies, counted over the whole run, at which of its outside calls. */
export interface Kill {
  readonly invocation: number;
  readonly atCall: number;
  readonly mode: 'before' | 'after';
}

/** What lies between the orchestrator and a participant; `deliver` makes the call for real. */
export type Between = (envelope: CallEnvelope, deliver: () => Promise<Answer>) => Promise<Answer>;

export interface WorldOptions {
  readonly kill?: Kill;
  /** What happens meanwhile, counted over all outside calls of the run. */
  readonly meanwhile?: Omit<Interrupt, 'action'> & { readonly action: (world: World) => Promise<void> };
  readonly between?: Between;
  readonly plans?: PlanCatalog;
  /** In place of the example participants. */
  readonly serve?: (envelope: CallEnvelope) => Promise<Answer>;
  readonly fencing?: boolean;
  readonly seed?: number;
}

export interface Invocation {
  readonly name: string;
  readonly calls: readonly string[];
}

export interface World {
  readonly ports: MemoryPorts;
  readonly invocations: readonly Invocation[];
  /** Outside calls of the whole run, in order. */
  outsideCalls(): readonly string[];
  killed(): boolean;
  engine(name: string): Engine;
  /** One run of a function that can be killed as any other; null when it was. */
  attempt<T>(name: string, work: (engine: Engine) => Promise<T>): Promise<T | null>;
  /** Submits and sends the first hint; null when the submit died. */
  submit(request: SubmitRequest): Promise<SubmitResult | null>;
  /** Runs everything until the job has stopped and all its consequences are out; false when time is up first. */
  untilQuiet(jobId: JobId, withinMs: number): Promise<boolean>;
  /** Operations whose effect stands, over all participants. */
  standing(): Promise<readonly { operationId: string; record: JsonObject | null }[]>;
  calls(): Promise<readonly { topic: string; operationId: string; attempt: number; result: string }[]>;
}

const MINUTE = 60_000;
/** A dead function's message comes back after its visibility: longer than the function can run. */
const VISIBILITY_MS = LIMITS.dispatchTimeoutMs + 10_000;

export function world(options: WorldOptions = {}): World {
  const stores: OperationView[] = [];
  const participants = { call: (envelope: CallEnvelope) => between(envelope, () => deliver(envelope)) };
  const ports = memoryPorts({ seed: options.seed ?? 1, participants });
  const between: Between = options.between ?? ((_envelope, run) => run());
  const deliver = options.serve ?? participantsOn(stores, () => ports.clock.now());
  const rules = routesTo(options.plans ?? examples, options.fencing ?? true);
  const invocations: Invocation[] = [];
  let killed = false;
  const { meanwhile } = options;
  const seen = interrupted(
    ports,
    meanwhile === undefined ? null : { ...meanwhile, action: () => meanwhile.action(self) },
  );
  const shared: Ports = seen.ports;

  /** Starts one run of a function; the promise of a killed one never settles. */
  const invoke = <T>(name: string, work: (engine: Engine) => Promise<T>): Promise<T> => {
    const kill = options.kill?.invocation === invocations.length ? options.kill : null;
    const onCrash = () => {
      killed = true;
    };
    const mortal = crashable(shared, {
      atCall: kill?.atCall ?? Number.POSITIVE_INFINITY,
      mode: kill?.mode ?? 'before',
      onCrash,
    });
    invocations.push({
      name,
      get calls() {
        return mortal.calls();
      },
    });
    return work({ ports: mortal.ports, plans: options.plans ?? examples, rules, actor: `orchestrator:${name}` });
  };
  const runs = functionsOf(ports, invoke);

  const self: World = {
    ports,
    invocations,
    outsideCalls: seen.calls,
    killed: () => killed,
    engine: (name) => ({ ports, plans: options.plans ?? examples, rules, actor: `orchestrator:${name}` }),
    async attempt<T>(name: string, work: (engine: Engine) => Promise<T>) {
      let result: T | null = null;
      void invoke(name, async (engine) => {
        result = await work(engine);
      });
      await ports.clock.settle();
      return result;
    },
    submit: (request) =>
      self.attempt('submit', async (engine) => {
        const answer = await submit(engine, request);
        if (answer.kind !== 'refused') {
          const hint = { kind: 'hint', jobId: answer.job.jobId, revision: answer.job.revision, hops: 0 } as const;
          await engine.ports.queue.send('dispatch', hint, 0);
        }
        return answer;
      }),
    untilQuiet: (jobId, withinMs) => run(ports, runs, jobId, withinMs),
    async standing() {
      const all = await Promise.all(stores.map((store) => store.operations()));
      return all
        .flat()
        .filter(({ operation }) => operation.effect === 'applied')
        .map(({ operationId, operation }) => ({ operationId, record: operation.record }));
    },
    calls: async () => (await Promise.all(stores.map((store) => store.calls()))).flat(),
  };
  return self;
}

function participantsOn(stores: OperationView[], now: () => number): (envelope: CallEnvelope) => Promise<Answer> {
  const byTopic = new Map<string, ReturnType<typeof host>>();
  for (const service of EXAMPLE_SERVICES) {
    const store = memoryOperations();
    stores.push(store);
    const serve = host(service, { store, now });
    for (const topic of service.topics.keys()) byTopic.set(topic, serve);
  }
  return async (envelope) => {
    const serve = byTopic.get(envelope.call.topic);
    if (serve === undefined) throw new Error(`no participant serves ${envelope.call.topic}`);
    return answerOf(await serve(requestOf(envelope)));
  };
}

function routesTo(plans: PlanCatalog, fencing: boolean): Rules {
  const topics = new Set(
    plans
      .list()
      .flatMap((plan) =>
        plan.steps.flatMap((step) => [
          step.topic,
          ...(step.query === null ? [] : [step.query.topic]),
          ...(step.undo === null || 'none' in step.undo ? [] : step.undo.topics),
        ]),
      ),
  );
  const route = { target: 'memory', fencing, maxRunMs: MINUTE };
  return {
    route: (topic) => (topics.has(topic) ? route : undefined),
    policies: {},
    gate: () => FREE,
    retryPenaltyMs: () => 0,
    hintGraceMs: LIMITS.hintGraceMs,
    livingOwners: null,
  };
}

interface Functions {
  deliver(queue: QueueName, received: Received): void;
  watch(): void;
}

type Invoke = <T>(name: string, work: (engine: Engine) => Promise<T>) => Promise<T>;

function functionsOf(ports: MemoryPorts, invoke: Invoke): Functions {
  return {
    deliver(queue, { message, receipt }) {
      const kind = queue === 'dispatch' ? 'forward' : 'recovery';
      const endsAt = ports.clock.now() + LIMITS.dispatchTimeoutMs;
      const results = message.kind === 'result' ? { results: [message.result] } : {};
      const hops = message.kind === 'hint' ? message.hops : 0;
      const remainingMs = () => Math.max(0, endsAt - ports.clock.now());
      const work = invoke(queue, (engine) =>
        drive(engine, { jobId: message.jobId, kind, remainingMs, hops, ...results }),
      );
      // A failed run leaves its message to be delivered again.
      void work.then(() => ports.queue.remove(queue, receipt)).catch(() => undefined);
    },
    watch() {
      void invoke('watchdog', (engine) =>
        sweep(engine, async (job, kind) => {
          const queue = kind === 'forward' ? 'dispatch' : 'compensate';
          await engine.ports.queue.send(queue, hintFor(job), 0);
        }),
      ).catch(() => undefined);
    },
  };
}

async function run(ports: MemoryPorts, functions: Functions, jobId: JobId, withinMs: number): Promise<boolean> {
  const { clock, queue } = ports;
  const end = clock.now() + withinMs;
  let sweepAt = clock.now() + MINUTE;
  for (;;) {
    await clock.settle();
    if (await isQuiet(ports, jobId)) return true;
    let delivered = false;
    for (const name of ['dispatch', 'compensate'] as const) {
      for (const received of await queue.receive(name, 10, VISIBILITY_MS)) {
        functions.deliver(name, received);
        delivered = true;
      }
    }
    if (delivered) continue;
    const times = [clock.nextAt(), queue.nextVisibleAt('dispatch'), queue.nextVisibleAt('compensate'), sweepAt];
    const next = Math.min(...times.map((at) => at ?? Number.POSITIVE_INFINITY));
    if (next > end) return false;
    await clock.advanceAsync(Math.max(0, next - clock.now()));
    if (clock.now() >= sweepAt) {
      sweepAt = clock.now() + MINUTE;
      functions.watch();
    }
  }
}

/** Stopped, published, and no message left that could still say something. */
async function isQuiet(ports: MemoryPorts, jobId: JobId): Promise<boolean> {
  const job = await ports.jobs.read(jobId);
  if (job === null || !isOver(job) || job.publishedSeq < (job.history.at(-1)?.seq ?? 0)) return false;
  return (['dispatch', 'compensate'] as const).every((name) => ports.queue.nextVisibleAt(name) === null);
}

export async function readJob(world: World, jobId: JobId): Promise<Job> {
  const job = await world.ports.jobs.read(jobId);
  if (job === null) throw new Error(`job ${jobId} is gone`);
  return job;
}
