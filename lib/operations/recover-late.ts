/**
 * What follows beyond an ended job itself: recovery jobs for effects that came to light late, and, when such a job is
 * done, the word to the job whose effect it undid. Ids are derived, so each happens once however often it is repeated.
 */
import type { Job } from '../core/job.ts';
import { newJob } from '../core/new-job.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { isRecovery, recoveriesOf, recoveryPlan } from '../core/recovery.ts';
import { apply } from './apply.ts';
import { contextOf, type Engine } from './engine.ts';
import { storeValues } from './values.ts';

export async function followUp(engine: Engine, job: Job, plan: WorkflowPlan): Promise<void> {
  const context = contextOf(engine);
  for (const submission of recoveriesOf(job, plan, context)) {
    const { undoes } = submission.lineage;
    if (undoes === undefined) continue;
    const recovery = newJob(submission, recoveryPlan(plan, undoes), contextOf(engine));
    await engine.ports.jobs.create(await storeValues(engine.ports, recovery));
    const hint = { kind: 'hint', jobId: recovery.jobId, revision: recovery.revision, hops: 0 } as const;
    await engine.ports.queue.send('dispatch', hint, 0);
  }
  if (isRecovery(job) && job.state === 'COMPLETED') {
    const { jobId, step, round } = job.lineage.undoes;
    await apply(engine, jobId, () => ({ type: 'recovered', step, round, by: job.jobId }));
  }
}
