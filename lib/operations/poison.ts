/**
 * Records a message that cannot become a job: a readable job in quarantine, its dead letter, and the `:failed` event.
 * The message itself is the outbox: whoever holds it lets go only after all three are there, and each is put under an
 * id made from the message's own, so doing it again is harmless.
 */

import { busEventsOf } from '../contract/wire-event.ts';
import { deadLetterOf } from '../contract/wire-quarantine.ts';
import { type Job, lastEntry, type TraceContext } from '../core/job.ts';
import { consequencesOf } from '../core/outbox.ts';
import { type PoisonMessage, poisonJob, poisonPlan } from '../core/poison-job.ts';
import { contextOf, type Engine } from './engine.ts';
import { loadValues, storeValues } from './values.ts';

export type Poison = Omit<PoisonMessage, 'trace'> & { readonly trace: TraceContext | null };

/** @returns the record, values loaded */
export async function poison(engine: Engine, message: Poison): Promise<Job> {
  const { ports, plans } = engine;
  const trace = message.trace ?? { traceparent: ports.ids.traceparent(), tracestate: null };
  const fresh = poisonJob({ ...message, trace }, contextOf(engine));
  const stored = await storeValues(ports, fresh);
  const created = await ports.jobs.create(stored);
  // A repetition tells the first one's times, so that its events are the same ones.
  const job = created.created ? stored : await loadValues(ports, created.existing);
  const plan = poisonPlan(job.workflowType, plans.find(job.workflowType, null));
  await ports.deadLetters.put(deadLetterOf(job, plan, job.history, lastEntry(job)));
  await ports.bus.publish(consequencesOf(job, job.history, -1).flatMap((due) => busEventsOf(job, plan, due)));
  ports.log.write('warn', 'poison_message', { job_id: job.jobId, source: job.source, error_code: message.code });
  return job;
}
