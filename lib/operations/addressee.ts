/**
 * Whose answer a result is, when the job that its operation is named after does not know it: an undo after that job's
 * end is called by a recovery job, or by a replay of one, under the name that it would have had in the job itself.
 */
import type { Result } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import { forwardOperationId, type Job } from '../core/job.ts';
import { readOperationId } from '../core/operation-id.ts';
import { recoveryIdsOf } from '../core/recovery.ts';
import { isTerminal } from '../core/states.ts';
import type { Engine } from './engine.ts';

export interface Addressed {
  readonly jobId: JobId;
  readonly result: Result;
}

/** An operation has a handful of generations and replays; a name that claims more was made up. */
const GENERATIONS_MAX = 100;

/** @param origin the job that the operation is named after; null: nobody else knows it either */
export async function addressee({ ports }: Engine, origin: Job, result: Result): Promise<Addressed | null> {
  const name = readOperationId(result.operationId);
  if (name === null || name.generation === null || name.generation > GENERATIONS_MAX) return null;
  const undone = { ...name, generation: name.generation };
  const callers: { readonly job: Job; readonly step: string }[] = [];
  const open: string[] = recoveryIdsOf(origin.workflowType, undone);
  for (const jobId of open) {
    const job = await ports.jobs.read(jobId as JobId);
    if (job === null) continue;
    open.push(...(job.lineage.replayedBy ?? []));
    const step = job.steps.find((one) => forwardOperationId(job, one) === result.operationId);
    if (step !== undefined) callers.push({ job, step: step.name });
  }
  // A replay may undo under the same name as the job before it: who still waits is who hears.
  const found = callers.find(({ job }) => !isTerminal(job.state)) ?? callers.at(-1);
  if (found === undefined) return null;
  return { jobId: found.job.jobId, result: { ...result, step: found.step, direction: 'do' } };
}
