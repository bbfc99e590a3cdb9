/**
 * How a job that was just stored gets its first run. A submit that waits invokes the driver itself and looks again as
 * soon as that has returned; any other sends a hint. The wait's end is the invoke's end too: a promise that lived on
 * would go on in somebody else's invocation. The driver runs to its end all the same.
 */
import { readDoorEnvironment } from '../../lib/contract/door-environment.ts';
import type { JobId } from '../../lib/core/ids.ts';
import type { Job } from '../../lib/core/job.ts';
import type { Door } from '../../lib/http/parts.ts';
import { type Engine, sleep } from '../../lib/operations/engine.ts';
import { hintFor } from '../../lib/operations/hint.ts';

/** Runs a driver for the job and resolves when it has returned. */
export type Invoke = (functionName: string, jobId: JobId, until: AbortSignal) => Promise<void>;

export interface FirstRun {
  readonly door: Door;
  /** The engine for this request: its waits end early when the driver has returned. */
  readonly engine: Engine;
  end(): void;
}

const { dispatchFunction } = readDoorEnvironment();

export function firstRun(engine: Engine, invoke: Invoke, functionName = dispatchFunction): FirstRun {
  const { queue, log } = engine.ports;
  const over = new AbortController();
  let run: Promise<void> | null = null;

  const hint = (job: Job): Promise<void> => queue.send('dispatch', hintFor(job), 0);

  const drive = async (name: string, job: Job): Promise<void> => {
    try {
      await invoke(name, job.jobId, over.signal);
    } catch (error) {
      if (over.signal.aborted) return;
      log.write('warn', 'invoke_failed', { job_id: job.jobId, error: error instanceof Error ? error.name : 'unknown' });
      await hint(job);
    }
  };

  const next = async (_: JobId, withinMs: number): Promise<void> => {
    const running = run;
    if (running === null) return sleep(engine, withinMs);
    await Promise.race([running, sleep(engine, withinMs)]);
  };

  return {
    engine: { ...engine, ports: { ...engine.ports, changes: { next } } },
    door: {
      started: async (job, waited) => {
        if (!waited || functionName === null) return hint(job);
        run = drive(functionName, job).finally(() => {
          run = null;
        });
        run.catch(() => undefined);
      },
    },
    end: () => over.abort(),
  };
}
