/**
 * Embedded mode: a server that outlives the process lives behind it. A restart ends one life as a kill would, with
 * every waiting connection broken, and begins the next on the same file; requests that come meanwhile wait for it.
 */
import { join } from 'node:path';
import { NO_WAYS } from '../contract/local-ways.ts';
import { NO_POLICIES, type PolicySettings } from '../core/policy-settings.ts';
import type { Log } from '../ports.ts';
import { beginLife, type Others } from './life.ts';
import { localApp } from './local-routes.ts';
import { localRoutes } from './routes.ts';
import { startServer } from './server.ts';

export interface RuntimeOptions extends Others {
  /** 0: any free one. */
  readonly port: number;
  /** Of the file; made when it is missing. */
  readonly directory: string;
  readonly log: Log;
  /** The file could not be opened again: there is nothing left to serve. */
  readonly onFatal: (error: unknown) => void;
  /** How errors are retried, where that is told from outside the code. */
  readonly policies?: PolicySettings;
  /** Tell of every transition on the bus, not only of outcomes. */
  readonly lifecycleEvents?: boolean;
}

export interface Runtime {
  readonly port: number;
  close(): Promise<void>;
}

const FILE = 'dacapo.sqlite';
/** Of the five seconds that an end may take: answers under way get two, the rest is for the file. */
const CLOSE_GRACE_MS = 2_000;

export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { port, directory, log, onFatal, policies = NO_POLICIES } = options;
  const { topics } = localRoutes(options.world?.ways ?? NO_WAYS);
  const path = join(directory, FILE);
  const begin = () => beginLife(path, log, policies, options);
  let life = await begin();
  let restarting: Promise<void> | null = null;

  const renew = async (): Promise<void> => {
    life.end();
    try {
      life = await begin();
    } catch (error) {
      onFatal(error);
      throw error;
    }
    restarting = null;
  };
  const local = localApp({
    life: () => life,
    topics,
    restart: async (request) => {
      server.dropWaiting(request);
      restarting ??= renew();
      await restarting;
    },
  });
  const answerNow = (request: Request, drop: () => void): Promise<Response> | Response =>
    isLocal(request.url) ? local.fetch(request) : life.answer(request, drop);

  const server = await startServer(port, (request, drop) =>
    restarting === null ? answerNow(request, drop) : restarting.then(() => answerNow(request, drop)),
  ).catch((error: unknown) => {
    life.end();
    throw error;
  });
  return {
    port: server.port,
    close: async () => {
      await server.close(CLOSE_GRACE_MS);
      life.end();
    },
  };
}

/** The host was checked before, so the first slash after it begins the path. */
function isLocal(url: string): boolean {
  return url.startsWith('/local/', url.indexOf('/', url.indexOf('//') + 2));
}
