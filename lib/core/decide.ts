/**
 * The one place where a job's next state is decided: a pure function of the job, what happened, and the facts given.
 * Same arguments, same answer, for ever; no clock, no chance, no waiting. Every state answers every event: it changes
 * the job, or ignores the event with a reason, or refuses it with one.
 */

import { breakOff } from './broken.ts';
import { takeCallback } from './callbacks.ts';
import { cancelJob, stopUnbegun } from './cancel.ts';
import { foldChildrenDone, foldReports } from './children.ts';
import { type Draft, draftOf, moveJob } from './draft.ts';
import { isAlive } from './effects.ts';
import { ended, leaveOut, remind } from './ends.ts';
import type { Context, Decision, Driver, Ignored, JobEvent, Result } from './events.ts';
import { expire } from './expire.ts';
import { foldForward } from './fold-forward.ts';
import { foldQuery } from './fold-query.ts';
import { foldUndo } from './fold-undo.ts';
import { goForward } from './forward.ts';
import { dataOf, type Job, type Lease, lastEntry } from './job.ts';
import { LIMITS } from './limits.ts';
import { migrateJob } from './migrate.ts';
import { operate } from './operate.ts';
import { tellsOnlyItsParent } from './outbox.ts';
import { gateOf, release } from './park.ts';
import { topicsOf, type WorkflowPlan } from './plan.ts';
import { recover } from './recover.ts';
import { forgetEffect } from './recovery.ts';
import { bucketOf, fileUnder, nextActionAt, owesNews, workDueAt } from './schedule.ts';
import { takeSignal } from './signals.ts';
import { isTerminal, type JobState, type StepStatus } from './states.ts';

export function decide(job: Job, event: JobEvent, plan: WorkflowPlan, context: Context): Decision {
  switch (event.type) {
    case 'turn':
      return turn(draftOf(job, plan, context, event.driver));
    case 'results':
      return fold(draftOf(job, plan, context, event.driver), event.results);
    case 'callback':
      return takenIn(draftOf(job, plan, context, null), (draft) => takeCallback(draft, event));
    case 'signal':
      return takenIn(draftOf(job, plan, context, null), (draft) => takeSignal(draft, event));
    case 'cancel': {
      const draft = draftOf(job, plan, context, null);
      const refusal = cancelJob(draft, event);
      if (refusal !== null) return refusal;
      advance(draft);
      return close(draft, false);
    }
    case 'operate': {
      const draft = draftOf(job, plan, context, null);
      const refusal = operate(draft, event);
      if (refusal !== null) return refusal;
      if (!isTerminal(draft.job.state)) advance(draft);
      return close(draft, false);
    }
    case 'reports':
    case 'children':
      return foldChildren(draftOf(job, plan, context, event.driver), event);
    case 'undone': {
      const draft = draftOf(job, plan, context, null);
      if (job.lineage.undoneBy !== undefined) return { status: 'ignored', reason: 'duplicate' };
      draft.job.lineage = { ...job.lineage, undoneBy: event.by };
      return close(draft, false);
    }
    case 'published':
      return published(draftOf(job, plan, context, null), event.upTo, event.trimTo);
    case 'linked':
      return link(draftOf(job, plan, context, null), event.replayedBy);
    case 'recovered': {
      const draft = draftOf(job, plan, context, null);
      return forgetEffect(draft, event) ? close(draft, false) : { status: 'ignored', reason: 'duplicate' };
    }
    case 'broken': {
      const draft = draftOf(job, plan, context, null);
      return breakOff(draft, event.message) ? close(draft, false) : { status: 'ignored', reason: 'nothing_due' };
    }
    case 'released': {
      const draft = draftOf(job, plan, context, null);
      if (!release(draft, event.gate, event.startAt)) return { status: 'ignored', reason: 'nothing_due' };
      advance(draft);
      return close(draft, false);
    }
    case 'migrate': {
      if (job.workflowVersion === event.to.version) return { status: 'ignored', reason: 'duplicate' };
      const draft = draftOf(job, event.to, context, null);
      const refusal = migrateJob(draft, plan, event);
      return refusal ?? close(draft, true);
    }
    case 'refile':
      return refile(draftOf(job, plan, context, null));
  }
}

/** Something was said from outside: it counts whole or not at all, and the job goes on from there. */
function takenIn(draft: Draft, take: (draft: Draft) => Exclude<Decision, { status: 'changed' }> | null): Decision {
  const not = take(draft);
  if (not !== null) return not;
  if (!isTerminal(draft.job.state)) advance(draft);
  return close(draft, false);
}

function turn(draft: Draft): Decision {
  if (isTerminal(draft.job.state)) return { status: 'ignored', reason: 'terminal' };
  advance(draft);
  if (draft.changed) return close(draft, false);
  return { status: 'ignored', reason: isHeld(draft) ? 'leased' : 'nothing_due' };
}

function foldChildren(draft: Draft, event: Extract<JobEvent, { type: 'reports' | 'children' }>): Decision {
  if (isTerminal(draft.job.state)) return { status: 'ignored', reason: 'terminal' };
  if (event.type === 'reports') foldReports(draft, event.reports);
  else {
    const ignored = foldChildrenDone(draft, event.step, event.round, event.done);
    if (ignored !== null) draft.ignored.push(ignored);
  }
  advance(draft);
  if (draft.changed) return close(draft, false);
  return { status: 'ignored', reason: draft.ignored[0] ?? 'nothing_due' };
}

function isHeld({ job, context }: Draft): boolean {
  const { livingOwners } = context.rules;
  const isLive = (lease: Lease | null): boolean => isAlive(lease, context.now, livingOwners);
  return job.steps.some((step) => isLive(step.lease) || isLive(step.undo?.lease ?? null));
}

function fold(draft: Draft, results: readonly Result[]): Decision {
  for (const result of results) {
    const ignored = foldOne(draft, result);
    if (ignored !== null) draft.ignored.push(ignored);
  }
  if (!isTerminal(draft.job.state)) advance(draft);
  if (draft.changed) return close(draft, false);
  return { status: 'ignored', reason: draft.ignored[0] ?? 'nothing_due' };
}

function foldOne(draft: Draft, result: Result): Ignored | null {
  const step = draft.job.steps.find((one) => one.name === result.step);
  if (step === undefined) return 'unknown_operation';
  // A complete job has nothing open, but an earlier round of it may have left an operation behind.
  if (draft.job.state === 'COMPLETED' && draft.job.past.length === 0) return 'terminal';
  switch (result.direction) {
    case 'do':
      return foldForward(draft, step, result);
    case 'undo':
      return foldUndo(draft, step, result);
    case 'query':
      return foldQuery(draft, step, result);
  }
}

/**
 * Goes on until nothing more can be done in this write. Each round either moves the job or a step along its table, and
 * neither table has a loop that turns without a call, so a handful of rounds is enough; more is a bug.
 */
function advance(draft: Draft): void {
  const roundsMax = draft.job.steps.length * 4 + 16;
  for (let round = 0; round < roundsMax; round += 1) {
    const before = fingerprintOf(draft);
    expire(draft);
    step(draft);
    if (fingerprintOf(draft) === before) return;
  }
  throw new Error(`job ${draft.job.jobId} does not come to rest in ${draft.job.state}`);
}

/** States and statuses say whether a round moved anything; other fields only follow them. */
function fingerprintOf(draft: Draft): string {
  return `${draft.job.state} ${draft.job.steps.map((one) => `${one.status}${one.settleBy ?? ''}`).join(' ')}`;
}

function step(draft: Draft): void {
  const { state } = draft.job;
  switch (state) {
    case 'PENDING':
      if (draft.driver !== null) begin(draft, draft.driver);
      return;
    case 'VALIDATING':
      validate(draft);
      return;
    case 'PROCESSING':
    case 'RETRY_SCHEDULED':
      goForward(draft);
      return;
    case 'COMPENSATING':
      recover(draft);
      return;
    case 'NEEDS_REVIEW':
      if (reminderIsDue(draft)) remind(draft);
      return;
    case 'COMPLETED':
    case 'CANCELLED':
    case 'FAILED':
    case 'DEAD_LETTERED':
      return;
  }
}

/** A child asks its parent first. Its time may be over before its turn comes. */
function begin(draft: Draft, { admission }: Driver): void {
  const { job, context } = draft;
  const { child } = job.lineage;
  const goes = child === undefined || admission === 'start' || context.now >= job.deadlineAt;
  if (admission === 'stop') {
    stopUnbegun(draft, { reason: 'cancel_requested: its parent does not want it any more', actor: context.actor });
  } else if (goes) {
    moveJob(draft, 'dispatched', null);
  } else if (child.held !== true && admission === 'wait') {
    job.lineage = { ...job.lineage, child: { ...child, held: true } };
    draft.changed = true;
  }
}

function reminderIsDue(draft: Draft): boolean {
  const due = workDueAt(draft.job, draft.plan, draft.context.rules, draft.context.now);
  return draft.driver !== null && due !== null && due <= draft.context.now;
}

/** Input and routes are looked at once, before the first effect. */
function validate(draft: Draft): void {
  const { job, plan, context } = draft;
  const checked = plan.checkInput(dataOf(job.input));
  const unrouted = topicsOf(plan).find((topic) => context.rules.route(topic) === undefined);
  if (checked.ok && unrouted === undefined) {
    moveJob(draft, 'accepted', null);
    return;
  }
  const code = checked.ok ? 'ORCH_UNROUTED_TOPIC' : 'CONTRACT_INPUT_INVALID';
  job.lastErrorCode = code;
  job.stoppedReason = code;
  job.lastErrorMessage = checked.ok
    ? `topic ${unrouted ?? ''} has no route`
    : checked.errors.map((error) => `${error.path}: ${error.message}`).join('; ');
  leaveOut(draft);
  moveJob(draft, 'rejected', null, { errorCode: code });
  ended(draft);
}

function published(draft: Draft, upTo: number, trimTo: number): Decision {
  const { job } = draft;
  const first = job.history[0]?.seq ?? 0;
  if (upTo <= job.publishedSeq && trimTo <= first) return { status: 'ignored', reason: 'already_published' };
  const last = lastEntry(job).seq;
  job.publishedSeq = Math.max(job.publishedSeq, Math.min(upTo, last));
  job.history = job.history.filter(({ seq }) => seq >= trimTo || seq > job.publishedSeq || seq === last);
  return close(draft, true);
}

function link(draft: Draft, replayedBy: string): Decision {
  const { job } = draft;
  const known = job.lineage.replayedBy ?? [];
  if (known.includes(replayedBy)) return { status: 'ignored', reason: 'duplicate' };
  job.lineage = { ...job.lineage, replayedBy: [...known, replayedBy] };
  return close(draft, false);
}

function refile(draft: Draft): Decision {
  const { job, context } = draft;
  // Whoever owes news stays where the watchdog looks, however far its next action is.
  const stays = job.nextActionAt === null || job.nextActionAt <= context.now || owesNews(job);
  if (stays || bucketOf(job.nextActionAt ?? 0) <= (job.bucket ?? 0))
    return { status: 'ignored', reason: 'nothing_due' };
  return close(draft, true);
}

/** Seals the copy: times, bucket, revision and the mark of the write that stores it. */
function close(draft: Draft, mayMoveLater: boolean): Decision {
  const { job, plan, context } = draft;
  // Clocks of different machines differ; a later write never looks older.
  job.updatedAt = Math.max(job.updatedAt, context.now);
  job.parkedOn = gateOf(job);
  job.nextActionAt = nextActionAt(job, plan, context.rules, context.now);
  const parks = draft.calls.length === 0 && (job.nextActionAt ?? 0) - context.now >= LIMITS.parkThresholdMs;
  if (tellsOnlyItsParent(job)) job.publishedSeq = lastEntry(job).seq;
  const held = job.state === 'PENDING' && job.lineage.child?.held === true;
  job.bucket = fileUnder(job, mayMoveLater || held || (parks && waitsOutside(draft)), context.now);
  job.revision += 1;
  job.writeId = context.writeId;
  return { status: 'changed', job, calls: draft.calls };
}

/** Its next driver is not on the way yet: a timer will send one, or whoever the job waits for. */
function waitsOutside(draft: Draft): boolean {
  const { state, steps } = draft.job;
  return WAITING.has(state) || (state === 'PROCESSING' && !isHeld(draft) && steps.some(isWaiting));
}

const isWaiting = ({ status }: { readonly status: StepStatus }): boolean => status === 'waiting';

/** States in which a job without calls rests. */
const WAITING: ReadonlySet<JobState> = new Set(['RETRY_SCHEDULED', 'COMPENSATING', 'NEEDS_REVIEW']);
