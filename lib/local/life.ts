/**
 * One life of the process, from start to kill: an engine on its foundation, and what keeps jobs moving. `end` is a
 * kill: nothing that was under way goes on, and whoever comes next finds only what is in the file.
 */

import { NO_WAYS } from '../contract/local-ways.ts';
import type { PolicyOverrides } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { PolicySettings } from '../core/policy-settings.ts';
import type { Engine, PlanCatalog } from '../operations/engine.ts';
import { gatesOn } from '../operations/gates.ts';
import { withPolicies } from '../operations/policies.ts';
import { type RetryTokens, retryTokens } from '../operations/retry-tokens.ts';
import type { Family, Log, Participants } from '../ports.ts';
import { type Bounds, type CallSlots, callSlots } from './call-slots.ts';
import { type Conductor, conductor, type WatchedTimers } from './conductor.ts';
import type { WatchedQueue } from './consumer.ts';
import { localDoor } from './door.ts';
import { tellingEndings } from './endings.ts';
import { type Foundation, openFoundation } from './foundation.ts';
import { functions } from './functions.ts';
import { localIds, newBoot, ownerPrefix } from './ids.ts';
import { methodsOf, mortal, whileAlive } from './mortal.ts';
import type { World } from './outside.ts';
import { quiet } from './quiet.ts';
import { report } from './report.ts';
import { type LocalRoutes, localRoutes, plans } from './routes.ts';
import type { Answer } from './server.ts';

export interface ProcessLife {
  readonly answer: Answer;
  readonly foundation: Foundation;
  /** Moves the clock; resolves when what became due has been started. */
  advance(ms: number): Promise<void>;
  unexpected(error: unknown): void;
  end(): void;
}

/** In real time, whatever the clock was moved to. */
const LOOK_EVERY_MS = 1_000;
const TIDY_EVERY_MS = 60_000;

/** What may stand in the place of what is ours. */
export interface Others {
  /** Who serves the topics; the example services when it is left out. */
  readonly participants?: Participants;
  /** The retry budget of each dependency. */
  readonly tokens?: RetryTokens;
  readonly lifecycleEvents?: boolean;
  /** Which participants are reached by another way than in the process. */
  readonly world?: World;
  /** How many calls each dependency may have; LIMITS where nothing is said. */
  readonly bounds?: (target: string) => Bounds;
}

const ALL_INSIDE: World = { ways: NO_WAYS, secrets: new Map() };

export async function beginLife(
  path: string,
  log: Log,
  policies: PolicySettings,
  others: Others = {},
): Promise<ProcessLife> {
  const catalog = withPolicies(plans, policies);
  const { world = ALL_INSIDE } = others;
  const { route, dependencies } = localRoutes(world.ways);
  const foundation = await openFoundation(path, log, world);
  const { life, clock, faults } = foundation;
  const slots = callSlots(clock, (target) => others.bounds?.(target) ?? {});
  const family: Family = {
    start: async (callerId, jobIds) => {
      for (const jobId of jobIds) moving.start({ jobId, callerId });
    },
    report: async (parent, told) => moving.report(parent, told),
  };
  const engine = engineOn(foundation, slots, catalog, policies.all, family, { ...others, route, dependencies });
  const invocations = functions(engine, faults);
  const moving: Conductor = conductor({
    engine,
    functions: invocations,
    slots,
    reader: readerOn(foundation),
    timers: timersOn(foundation),
  });
  foundation.listen(moving);
  const unexpected = (error: unknown): void => report(engine, 'local_failed', error);
  const stopTicking = tick(foundation, moving, unexpected);
  void moving.recover().catch(unexpected);
  return {
    answer: localDoor(engine, moving, invocations, faults),
    foundation,
    advance: (ms) =>
      whileAlive(life, async () => {
        await quiet(life);
        await clock.advance(ms);
        await moving.lookAround();
      }),
    unexpected,
    end: () => {
      stopTicking();
      foundation.end();
    },
  };
}

/** Owners carry the name of this life, so that the leases of earlier ones are known to be dead. */
function engineOn(
  { life, clock, log, stores, participants: own }: Foundation,
  slots: CallSlots,
  catalog: PlanCatalog,
  policies: PolicyOverrides,
  family: Family,
  {
    participants = own,
    tokens = retryTokens(),
    lifecycleEvents = false,
    route,
    dependencies,
  }: Others & Pick<LocalRoutes, 'route' | 'dependencies'>,
): Engine {
  const boot = newBoot();
  const ids = localIds(boot);
  const ports = mortal({ ...stores, ...tellingEndings(stores, clock), participants, family, clock, log, ids }, life);
  const gates = gatesOn(ports);
  return {
    ports,
    gates,
    dependencies,
    plans: catalog,
    rules: {
      route,
      policies,
      hintGraceMs: LIMITS.hintGraceMsEmbedded,
      gate: gates.gate,
      retryPenaltyMs: (topic) => tokens.penaltyMs(route(topic)?.target ?? topic),
      livingOwners: ownerPrefix(boot),
    },
    actor: 'orchestrator:operate',
    lifecycleEvents,
    tokens,
    limits: slots,
  };
}

function readerOn({ life, stores }: Foundation): WatchedQueue {
  const { receive, remove, takeDeadLetters, nextVisibleAt } = stores.queue;
  return { ...methodsOf({ receive, remove, takeDeadLetters }, life), nextVisibleAt };
}

function timersOn({ life, stores }: Foundation): WatchedTimers {
  const { takeDue, nextDueAt } = stores.timers;
  return { ...methodsOf({ takeDue }, life), nextDueAt };
}

function tick({ life, clock, stores }: Foundation, moving: Conductor, failed: (error: unknown) => void): () => void {
  const tidy = async (): Promise<void> => {
    while ((await whileAlive(life, () => stores.purge(clock.now()))) > 0);
  };
  const looking = setInterval(() => void moving.lookAround().catch(failed), LOOK_EVERY_MS);
  const tidying = setInterval(() => void tidy().catch(failed), TIDY_EVERY_MS);
  return () => {
    clearInterval(looking);
    clearInterval(tidying);
  };
}
