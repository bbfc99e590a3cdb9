/**
 * After a person changed a job: what follows is on its way already by the job's next action and its unpublished
 * history. This only makes it soon, so a failure here is a delay and no error.
 */
import type { Job } from '../core/job.ts';
import { driverKindOf } from '../core/schedule.ts';
import { isTerminal } from '../core/states.ts';
import { queueOf } from '../ports.ts';
import type { Engine } from './engine.ts';
import { tellParent } from './family.ts';
import { hintFor } from './hint.ts';
import { publish, publishIsDue } from './publish.ts';

export async function goOn(engine: Engine, job: Job): Promise<void> {
  try {
    if (publishIsDue(job)) await publish(engine, job);
    if (isTerminal(job.state)) await tellParent(engine, job);
    if (isTerminal(job.state) || job.state === 'NEEDS_REVIEW') return;
    await engine.ports.queue.send(queueOf(driverKindOf(job)), hintFor(job), 0);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    engine.ports.log.write('warn', 'follow_up_delayed', { job_id: job.jobId, error: name });
  }
}
