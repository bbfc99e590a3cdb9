/**
 * When a job wants attention next, and under which bucket the watchdog finds it. Invariant: every job that is not at
 * its end has a next action, and its bucket never starts later than that.
 */
import { childrenDueAt, choreOf, hasChildrenOut } from './child-set.ts';
import { isAlive, pivot } from './effects.ts';
import type { DriverKind, Rules } from './events.ts';
import { currentStage } from './forward.ts';
import type { EpochMs } from './ids.ts';
import { type Job, lastEntry } from './job.ts';
import { LIMITS } from './limits.ts';
import { parkedUntil } from './park.ts';
import type { WorkflowPlan } from './plan.ts';
import { undoWork } from './recover.ts';
import { isTerminal } from './states.ts';

/** Which kind of driver the job needs now. */
export function driverKindOf(job: Job): DriverKind {
  return job.state === 'COMPENSATING' ? 'recovery' : 'forward';
}

/** The earliest time at which a driver finds something to do; `now` when it is already there, null at the end. */
export function workDueAt(job: Job, plan: WorkflowPlan, rules: Rules, now: EpochMs): EpochMs | null {
  switch (job.state) {
    case 'PENDING':
      return job.lineage.child?.held === true ? job.deadlineAt : now;
    case 'VALIDATING':
      return now;
    case 'PROCESSING':
    case 'RETRY_SCHEDULED':
      return choreOf(job, plan, now) === null ? Math.min(...forwardTimes(job, plan, rules, now)) : now;
    case 'COMPENSATING':
      return choreOf(job, plan, now) === null ? Math.min(...recoveryTimes(job, plan, rules, now)) : now;
    case 'NEEDS_REVIEW':
      return lastReviewAt(job) + LIMITS.reviewReminderMs;
    case 'COMPLETED':
    case 'CANCELLED':
    case 'FAILED':
    case 'DEAD_LETTERED':
      return null;
  }
}

/** The earliest time at which a parked step comes to its end unopened; null when none is parked. */
export function heldUntil(job: Job, plan: WorkflowPlan): EpochMs | null {
  const ends = job.steps.flatMap((step) => (step.parkedOn === null ? [] : [parkedUntil(job, plan, step)]));
  return ends.length === 0 ? null : Math.min(...ends);
}

function lastReviewAt(job: Job): EpochMs {
  return job.history.findLast((entry) => entry.to === 'NEEDS_REVIEW')?.at ?? lastEntry(job).at;
}

function forwardTimes(job: Job, plan: WorkflowPlan, rules: Rules, now: EpochMs): EpochMs[] {
  const times: EpochMs[] = pivot(job, plan) === 'open' ? [] : [job.deadlineAt];
  const leases = leaseEnds(job, rules, now);
  // Before a person is asked, what is in flight comes in; nothing else is begun meanwhile.
  const asksForReview = job.steps.some((step) => step.status === 'unknown' && step.settleBy === 'review');
  if (asksForReview && leases.length > 0) return [...times, ...leases];
  for (const step of currentStage({ job: { ...job, steps: [...job.steps], history: [], errorLog: [] }, plan })) {
    if (isAlive(step.lease, now, rules.livingOwners)) times.push(step.lease.until);
    else if (hasChildrenOut(step)) times.push(step.children.lookAt);
    else if (step.status === 'waiting')
      times.push(step.deadlineAt ?? now, step.nextAttemptAt ?? Number.POSITIVE_INFINITY);
    else times.push(step.parkedOn === null ? (step.nextAttemptAt ?? now) : parkedUntil(job, plan, step));
  }
  return times;
}

function recoveryTimes(job: Job, plan: WorkflowPlan, rules: Rules, now: EpochMs): EpochMs[] {
  const out = [...leaseEnds(job, rules, now), ...job.steps.flatMap((step) => childrenDueAt(step) ?? [])];
  if (out.length > 0) return out;
  const work = undoWork(job, plan, rules, now).map((piece) => piece.at);
  return work.length > 0 ? work : [now];
}

function leaseEnds(job: Job, rules: Rules, now: EpochMs): EpochMs[] {
  return job.steps.flatMap((step) => (isAlive(step.lease, now, rules.livingOwners) ? [step.lease.until] : []));
}

/** What is due now has a hint on its way; the watchdog looks again when that had time to arrive. */
export function nextActionAt(job: Job, plan: WorkflowPlan, rules: Rules, now: EpochMs): EpochMs | null {
  const due = workDueAt(job, plan, rules, now);
  if (due === null) return null;
  return due <= now ? now + rules.hintGraceMs : due;
}

export function bucketOf(at: EpochMs): EpochMs {
  return at - (at % LIMITS.bucketMs);
}

export function isUnpublished(job: Job): boolean {
  return lastEntry(job).seq > job.publishedSeq;
}

/** A stopped job tells nobody anything more by itself: what it has not told yet, the watchdog has to see to. */
export function owesNews(job: Job): boolean {
  return (isTerminal(job.state) || job.state === 'NEEDS_REVIEW') && isUnpublished(job);
}

/**
 * The bucket to file the job under. An earlier one is taken at once; a later one only when the job parks or the
 * watchdog asks, so that a short job touches the index twice. A stopped job with news to publish stays due.
 */
export function fileUnder(job: Job, mayMoveLater: boolean, now: EpochMs): EpochMs | null {
  const owes = owesNews(job);
  if (job.nextActionAt === null && !owes) return null;
  const wanted = bucketOf(owes ? Math.min(now, job.nextActionAt ?? now) : (job.nextActionAt ?? now));
  if (job.bucket === null || wanted < job.bucket || mayMoveLater) return wanted;
  return job.bucket;
}
