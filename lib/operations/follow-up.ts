/**
 * What follows beyond an ended job itself: recovery jobs for effects that came to light late; when such a job is done,
 * the word to the job whose effect it undid; and of a replay, that both jobs know of each other. Ids are derived, so each
 * happens once however often it is repeated.
 */
import type { JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { newJob } from '../core/new-job.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { isRecovery, recoveriesOf, recoveryPlan } from '../core/recovery.ts';
import { isTerminal } from '../core/states.ts';
import { apply } from './apply.ts';
import { contextOf, type Engine } from './engine.ts';
import { hintFor } from './hint.ts';
import { finishLink } from './link-replay.ts';
import { deadLetterOfJob } from './quarantine.ts';
import { stopOrphans } from './stop-children.ts';
import { storeValues } from './values.ts';

export async function followUp(engine: Engine, job: Job, plan: WorkflowPlan): Promise<void> {
  if (!isTerminal(job.state)) return;
  await createRecoveries(engine, job, plan);
  if (isRecovery(job) && job.state === 'COMPLETED') {
    const { jobId, step, round } = job.lineage.undoes;
    await apply(engine, jobId, () => ({ type: 'recovered', step, round, by: job.jobId }));
    await refreshDeadLetter(engine, jobId);
  }
  await tellUndone(engine, job);
  await stopOrphans(engine, job, plan);
  await finishLink(engine, job);
}

/** What a child had done is taken back as a whole: that is written on the child, which stays as it ended. */
async function tellUndone(engine: Engine, { jobId, state, lineage }: Job): Promise<void> {
  const { takesBack, child, recoveryOf } = lineage;
  if (takesBack === undefined || child === undefined || recoveryOf === undefined || state !== 'COMPLETED') return;
  await apply(engine, recoveryOf as JobId, () => ({ type: 'undone', by: jobId }));
}

async function createRecoveries(engine: Engine, job: Job, plan: WorkflowPlan): Promise<void> {
  for (const submission of recoveriesOf(job, plan, contextOf(engine))) {
    const { undoes } = submission.lineage;
    if (undoes === undefined) continue;
    const recovery = newJob(submission, recoveryPlan(plan, undoes), contextOf(engine));
    await engine.ports.jobs.create(await storeValues(engine.ports, recovery));
    await engine.ports.queue.send('dispatch', hintFor(recovery), 0);
  }
}

/** An effect was struck off, which is no entry of the history: the record that names it is written once more. */
async function refreshDeadLetter(engine: Engine, jobId: JobId): Promise<void> {
  const job = await engine.ports.jobs.read(jobId);
  const record = job === null ? null : await deadLetterOfJob(engine, job);
  if (record !== null) await engine.ports.deadLetters.put(record);
}
