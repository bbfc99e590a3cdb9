/**
 * One life of the process, from start to kill: an engine on its foundation, and what keeps jobs moving. `end` is a
 * kill: nothing that was under way goes on, and whoever comes next finds only what is in the file.
 */
import { LIMITS } from '../core/limits.ts';
import type { Engine } from '../operations/engine.ts';
import type { Log } from '../ports.ts';
import { type Conductor, type ConductorParts, conductor, report } from './conductor.ts';
import { localDoor } from './door.ts';
import { tellingEndings } from './endings.ts';
import { type Foundation, openFoundation } from './foundation.ts';
import { functions } from './functions.ts';
import { localIds, newBoot, ownerPrefix } from './ids.ts';
import { methodsOf, mortal, whileAlive } from './mortal.ts';
import { plans, route } from './routes.ts';
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
const WATCH_EVERY_MS = 1_000;
const TIDY_EVERY_MS = 60_000;

export async function beginLife(path: string, log: Log): Promise<ProcessLife> {
  const foundation = await openFoundation(path, log);
  const { life, clock, faults } = foundation;
  const engine = engineOn(foundation);
  const invocations = functions(engine, faults);
  const moving = conductor({ engine, functions: invocations, ...queuesOf(foundation) });
  foundation.listen(moving);
  const unexpected = (error: unknown): void => report(engine, 'local_failed', error, null);
  const stopTicking = tick(moving, unexpected);
  void moving.recover().catch(unexpected);
  return {
    answer: localDoor(engine, moving, invocations, faults),
    foundation,
    advance: (ms) =>
      whileAlive(life, async () => {
        await clock.advance(ms);
        await moving.watch();
      }),
    unexpected,
    end: () => {
      stopTicking();
      foundation.end();
    },
  };
}

/** Owners carry the name of this life, so that the leases of earlier ones are known to be dead. */
function engineOn({ life, clock, log, stores, participants }: Foundation): Engine {
  const boot = newBoot();
  return {
    ports: mortal({ ...stores, ...tellingEndings(stores, clock), participants, clock, log, ids: localIds(boot) }, life),
    plans,
    rules: {
      route,
      policies: {},
      hintGraceMs: LIMITS.hintGraceMsEmbedded,
      retryPenaltyMs: () => 0,
      livingOwners: ownerPrefix(boot),
    },
    actor: 'orchestrator:operate',
  };
}

function queuesOf({ life, stores }: Foundation): Pick<ConductorParts, 'reader' | 'timers' | 'purge'> {
  const { queue, timers, purge } = stores;
  const { receive, remove, takeDeadLetters, nextVisibleAt } = queue;
  return {
    reader: { ...methodsOf({ receive, remove, takeDeadLetters }, life), nextVisibleAt },
    timers: { ...methodsOf({ takeDue: timers.takeDue }, life), nextDueAt: timers.nextDueAt },
    purge: (now) => whileAlive(life, () => purge(now)),
  };
}

function tick(moving: Conductor, failed: (error: unknown) => void): () => void {
  const watching = setInterval(() => void moving.watch(), WATCH_EVERY_MS);
  const tidying = setInterval(() => void moving.tidy().catch(failed), TIDY_EVERY_MS);
  return () => {
    clearInterval(watching);
    clearInterval(tidying);
  };
}
