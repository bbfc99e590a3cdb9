/**
 * A dependency that is down for a while under a load of orders, on a virtual clock: the real operations on memory ports,
 * drivers that are containers of their own, the watchdog and the probe each minute. What it answers is what happened.
 */
import { memoryPorts } from '../../lib/adapters/memory/ports.ts';
import { answerOf, requestOf } from '../../lib/contract/envelope.ts';
import { failure } from '../../lib/core/answers.ts';
import type { JobId } from '../../lib/core/ids.ts';
import type { Job } from '../../lib/core/job.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { HEALTH_TOPIC, type Route } from '../../lib/core/plan.ts';
import { isTerminal } from '../../lib/core/states.ts';
import { dependenciesOf } from '../../lib/operations/dependencies.ts';
import { drive } from '../../lib/operations/drive.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { gatesOn } from '../../lib/operations/gates.ts';
import { hintFor } from '../../lib/operations/hint.ts';
import type { HintAt } from '../../lib/operations/release.ts';
import { submit } from '../../lib/operations/submit.ts';
import { sweep } from '../../lib/operations/sweep.ts';
import { askAll, tend } from '../../lib/operations/tend.ts';
import { EXAMPLE_SERVICES } from '../../lib/participants/index.ts';
import { type CallEnvelope, type Ports, type QueueName, queueOf } from '../../lib/ports.ts';
import { host, memoryOperations } from '../../lib/worker/index.ts';
import { examples } from '../../lib/workflows/examples.ts';

export interface OutageOptions {
  readonly jobs: number;
  /** Submits are spread evenly over this time. */
  readonly submitMs: number;
  readonly downFromMs: number;
  readonly downForMs: number;
  readonly withinMs: number;
  readonly releasePerSecond?: number;
  readonly drivers?: number;
  readonly seed?: number;
}

/** Times in milliseconds from the start of the run. */
export interface OutageRun {
  /** Calls of the dependency that is down for a while, health checks left out. */
  readonly calls: readonly { readonly at: number; readonly answered: boolean }[];
  readonly parked: readonly { readonly at: number; readonly jobs: number }[];
  readonly jobs: readonly Job[];
  readonly events: readonly { readonly at: number; readonly type: string }[];
  readonly endedAt: number;
}

export const DOWN = 'payment';
const CALL_MS = 40;
const MINUTE = 60_000;
const LOOK_MS = 5_000;

export async function runOutage(options: OutageOptions): Promise<OutageRun> {
  const { downFromMs, downForMs, withinMs, drivers = 40, seed = 1 } = options;
  const calls: { at: number; answered: boolean }[] = [];
  const parked: { at: number; jobs: number }[] = [];
  const serve = services();
  const sinceStart = (): number => ports.clock.now() - start;
  const call = async (envelope: CallEnvelope) => {
    await new Promise<void>((resolve) => void ports.clock.after(CALL_MS, resolve));
    const { target, topic } = envelope.call;
    const isDown = target === DOWN && sinceStart() >= downFromMs && sinceStart() < downFromMs + downForMs;
    if (target === DOWN && topic !== HEALTH_TOPIC) calls.push({ at: sinceStart(), answered: !isDown });
    return isDown
      ? failure('EXT_UNAVAILABLE', 'connection refused', false)
      : answerOf(await serve(envelope, ports.clock.now()));
  };
  const ports = memoryPorts({ seed, participants: { call } });
  const start = ports.clock.now();
  const { engineOf, idsOf } = deployment(ports, options.releasePerSecond);
  const ids: JobId[] = await spread(ports, engineOf('submit'), options);
  work(
    ports,
    Array.from({ length: drivers }, () => ({ forward: engineOf('dispatch'), recovery: engineOf('compensate') })),
  );
  each(ports, MINUTE, minutely(ports, engineOf('watchdog'), engineOf('probe')));
  each(ports, LOOK_MS, async () => void parked.push({ at: sinceStart(), jobs: await idsOf(DOWN) }));
  const read = () => Promise.all(ids.map((jobId) => ports.jobs.read(jobId)));
  let jobs: Job[] = [];
  while (sinceStart() < withinMs) {
    await ports.clock.advanceAsync(LOOK_MS);
    jobs = (await read()).flatMap((job) => job ?? []);
    if (ids.length === options.jobs && jobs.every(({ state }) => isTerminal(state))) break;
  }
  const events = ports.bus.published
    .filter(({ detailType }) => detailType.startsWith('dependency.'))
    .map(({ time, detailType }) => ({ at: time - start, type: detailType }));
  return { calls, parked, jobs, events, endedAt: sinceStart() };
}

function services() {
  const hosts = new Map<string, ReturnType<typeof host>>();
  let now = 0;
  for (const service of EXAMPLE_SERVICES) {
    hosts.set(service.name, host(service, { store: memoryOperations(), now: () => now }));
  }
  return (envelope: CallEnvelope, at: number) => {
    now = at;
    const found = hosts.get(envelope.call.target);
    if (found === undefined) throw new Error(`no service ${envelope.call.target}`);
    return found(requestOf(envelope));
  };
}

function deployment(ports: ReturnType<typeof memoryPorts>, releasePerSecond: number = LIMITS.releasePerSecond) {
  const routes = new Map<string, Route>(
    EXAMPLE_SERVICES.flatMap(({ name, topics }) =>
      [...topics.keys()].map((topic) => [topic, { target: name, fencing: true, maxRunMs: MINUTE, releasePerSecond }]),
    ),
  );
  const dependencies = dependenciesOf(routes);
  /** Each with what a container of its own knows of dependencies. */
  const engineOf = (name: string): Engine => {
    const gates = gatesOn(ports);
    const rules = {
      route: (topic: string) => routes.get(topic),
      gate: gates.gate,
      policies: {},
      hintGraceMs: LIMITS.hintGraceMs,
      retryPenaltyMs: () => 0,
      livingOwners: null,
    };
    return { ports, plans: examples, rules, gates, dependencies, actor: `orchestrator:${name}` };
  };
  const idsOf = async (target: string): Promise<number> =>
    (await ports.jobs.parked({ gate: `dependency:${target}`, limit: 1_000_000, after: null })).items.length;
  return { engineOf, idsOf };
}

/** Answers the ids as they come to be: a list that grows. */
async function spread(ports: Ports, engine: Engine, { jobs, submitMs }: OutageOptions): Promise<JobId[]> {
  const ids: JobId[] = [];
  const one = async (n: number): Promise<void> => {
    const input = { order_id: `o${n}`, sku: 'sku', quantity: 1, amount: 10, address: 'Main Street 1' };
    const result = await submit(engine, {
      callerId: 'load',
      source: 'api',
      workflowType: 'order',
      version: null,
      input,
      idempotencyKey: `k${n}`,
      correlationId: null,
      trace: null,
    });
    if (result.kind === 'refused') throw new Error(result.detail);
    ids.push(result.job.jobId);
    await ports.queue.send('dispatch', hintFor(result.job), 0);
  };
  for (let n = 0; n < jobs; n += 1) ports.clock.after(Math.floor((n * submitMs) / jobs), () => void one(n));
  return ids;
}

const POLL_MS = 100;
const VISIBILITY_MS = LIMITS.dispatchTimeoutMs * 6;

interface Driver {
  readonly forward: Engine;
  readonly recovery: Engine;
}

function work(ports: ReturnType<typeof memoryPorts>, drivers: readonly Driver[]): void {
  const free = [...drivers];
  const take = async (): Promise<void> => {
    for (const queue of ['compensate', 'dispatch'] as const) {
      for (const { message, receipt } of await ports.queue.receive(queue, free.length, VISIBILITY_MS)) {
        const driver = free.pop();
        if (driver === undefined) return;
        void run(ports, driver, queue, message).then(async () => {
          free.push(driver);
          await ports.queue.remove(queue, receipt);
        });
      }
    }
  };
  each(ports, POLL_MS, take);
}

async function run(ports: Ports, driver: Driver, queue: QueueName, message: Parameters<Ports['queue']['send']>[1]) {
  const endsAt = ports.clock.now() + LIMITS.dispatchTimeoutMs;
  const kind = queue === 'dispatch' ? 'forward' : 'recovery';
  await drive(driver[kind], {
    jobId: message.jobId,
    kind,
    remainingMs: () => Math.max(0, endsAt - ports.clock.now()),
    hops: message.kind === 'hint' ? message.hops : 0,
    results: message.kind === 'result' ? [message.result] : [],
  });
}

function minutely({ queue }: Ports, watchdog: Engine, probe: Engine): () => Promise<void> {
  const hint: HintAt = (job, kind, delayMs) => queue.send(queueOf(kind), hintFor(job), delayMs);
  return async () => {
    await Promise.all([
      sweep(watchdog, (job, kind) => hint(job as Job, kind, 0)),
      tend(watchdog, { horizonMs: LIMITS.releaseHorizonMs, hint, mayCheck: false }),
      askAll(probe, hint),
    ]);
  };
}

function each({ clock }: Ports, ms: number, action: () => Promise<void>): void {
  const again = (): void => {
    void action();
    clock.after(ms, again);
  };
  clock.after(ms, again);
}
