/**
 * Performs what follows from a job's history: dead-letter record, outcome events, alerts. Each has an id made from its
 * history entry, so a crash here costs a repetition and nothing else; one write then advances the cursor.
 */

import { busEventsOf, transitionedEvent } from '../contract/wire-event.ts';
import { deadLetterOf } from '../contract/wire-quarantine.ts';
import type { Job } from '../core/job.ts';
import { lastEntry } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import { approvalNews, consequencesOf } from '../core/outbox.ts';
import { isUnpublished } from '../core/schedule.ts';
import { isTerminal } from '../core/states.ts';
import { apply } from './apply.ts';
import { auditOf } from './audit.ts';
import { type Engine, planFor } from './engine.ts';
import { followUp } from './follow-up.ts';
import { wholeHistory } from './whole-history.ts';

/** News go out when a job stops; a job that runs long also publishes now and then, so that its item stays small. */
export function publishIsDue(job: Job): boolean {
  if (!isUnpublished(job)) return false;
  const stopped = isTerminal(job.state) || job.state === 'NEEDS_REVIEW';
  const isUrgent = job.history.some(
    (entry) =>
      entry.seq > Math.max(0, job.publishedSeq) &&
      (entry.actor.startsWith('operator:') || approvalNews(entry) !== null),
  );
  return stopped || isUrgent || lastEntry(job).seq - job.publishedSeq >= LIMITS.publishBatch;
}

/** @param job with its values loaded */
export async function publish(engine: Engine, job: Job): Promise<void> {
  const { audit, bus, deadLetters } = engine.ports;
  const plan = planFor(engine.plans, job);
  if (plan === undefined) return;
  const history = await wholeHistory(engine, job);
  const due = consequencesOf(job, history, job.publishedSeq);
  for (const { entry } of due.filter((one) => one.record)) {
    await deadLetters.put(deadLetterOf(job, plan, history, entry));
  }
  for (const { entry } of due.filter((one) => one.audit)) await audit.put(auditOf(job, entry));
  const news = history.filter(({ seq }) => seq > job.publishedSeq);
  const transitions = engine.lifecycleEvents === true ? news.map((entry) => transitionedEvent(job, entry)) : [];
  const events = [...transitions, ...due.flatMap((one) => busEventsOf(job, plan, one))];
  if (events.length > 0) await bus.publish(events);
  await followUp(engine, job, plan);
  const upTo = lastEntry(job).seq;
  const trimTo = await storeChunk(engine, job, upTo);
  await apply(engine, job.jobId, () => ({ type: 'published', upTo, trimTo }), job);
}

/** Moves one full chunk out of the item when enough published entries lie beyond the newest; answers the new first seq. */
async function storeChunk(engine: Engine, job: Job, publishedUpTo: number): Promise<number> {
  const first = job.history[0]?.seq ?? 0;
  const movable = Math.min(publishedUpTo + 1, lastEntry(job).seq + 1 - LIMITS.historyInline) - first;
  if (movable < LIMITS.historyChunk) return first;
  const entries = job.history.slice(0, LIMITS.historyChunk);
  await engine.ports.jobs.putHistoryChunk(job.jobId, first / LIMITS.historyChunk, entries);
  return first + LIMITS.historyChunk;
}
