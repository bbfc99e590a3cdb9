/**
 * Ports that count what passes through them: how jobs end, what is left open, how long steps take, how late news leave.
 * Everything is read off what is written anyway; the operations know nothing of it.
 */
import { openEffects } from '../../lib/core/effects.ts';
import type { Job } from '../../lib/core/job.ts';
import { markOf } from '../../lib/core/own-write.ts';
import { isTerminal } from '../../lib/core/states.ts';
import { type PlanCatalog, planFor } from '../../lib/operations/engine.ts';
import type { Ports } from '../../lib/ports.ts';
import { count } from './metrics.ts';

export function metered<P extends Ports>(ports: P, plans: PlanCatalog): P {
  const { jobs, bus, participants, clock } = ports;
  return {
    ...ports,
    jobs: {
      ...jobs,
      create: async (job) => {
        const result = await jobs.create(job);
        if (result.created) countWrite(job, plans);
        return result;
      },
      update: async (job, expectedRevision) => {
        const result = await jobs.update(job, expectedRevision);
        if (result.stored) countWrite(job, plans);
        return result;
      },
    },
    bus: {
      ...bus,
      publish: async (events) => {
        await bus.publish(events);
        const oldest = Math.min(...events.map(({ time }) => time));
        if (events.length > 0) count('PublishLag', Math.max(0, clock.now() - oldest));
      },
    },
    participants: {
      call: async (envelope) => {
        const startedAt = clock.now();
        const answer = await participants.call(envelope);
        count('StepLatency', clock.now() - startedAt, { topic: envelope.call.topic });
        return answer;
      },
    },
  };
}

function countWrite(job: Job, plans: PlanCatalog): void {
  const mark = markOf(job.writeId);
  const entries = job.history.filter((entry) => entry.mark === mark && entry.from !== entry.to);
  const retries = job.errorLog.filter(({ at, nextAttemptAt }) => at === job.updatedAt && nextAttemptAt !== null);
  if (retries.length > 0) count('Retries', retries.length);
  const last = entries.at(-1);
  if (last === undefined) return;
  if (entries.some(({ to }) => to === 'DEAD_LETTERED')) count('DeadLetters');
  if (last.to === 'NEEDS_REVIEW') count('NeedsReview');
  if (last.errorCode === 'ORCH_COMPENSATION_FAILED') count('UndoFailed');
  if (!isTerminal(last.to) && last.to !== 'NEEDS_REVIEW') return;
  const plan = planFor(plans, job);
  if (plan !== undefined && job.state !== 'COMPLETED') count('OpenEffects', openEffects(job, plan).length);
  if (isTerminal(last.to)) count('JobsEnded', 1, { state: last.to, workflow_type: job.workflowType });
}
