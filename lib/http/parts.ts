/**
 * What the router is given by whoever hosts it, a Lambda or the embedded server: the engine to act with, who calls, and
 * how a job that was just stored gets its first run. Nothing here knows of sockets or of functions.
 */
import type { ApiDocuments } from '../contract/api-documents.ts';
import type { Job } from '../core/job.ts';
import type { Engine } from '../operations/engine.ts';
import type { Viewer } from '../operations/inspect.ts';

/** Who calls, as far as the host could verify it. Throws a `Refusal` when nobody is known. */
export type ReadCaller = (request: Request) => Viewer;

export interface Door {
  /**
   * A job was stored and should run now; `waited` when its caller waits for the end. A hint only: when it fails or is
   * lost, the job is due by itself a moment later, so its failure never changes the answer.
   */
  started(job: Job, waited: boolean): Promise<void> | void;
  /** Asks a dependency how it is, where this function may not call it itself; resolves when that is on record. */
  probe?(dependencyId: string, callerId: string): Promise<void>;
}

export interface AppParts {
  readonly engine: Engine;
  readonly caller: ReadCaller;
  readonly door: Door;
  readonly documents: ApiDocuments;
}
