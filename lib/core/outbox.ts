/**
 * What must follow from a job's history, read off its entries. History is the outbox: nothing of this kind is written
 * anywhere else, and every consequence has an id made from its entry, so performing it again is harmless.
 */
import type { HistoryEntry, Job } from './job.ts';
import { isPoison } from './poison-job.ts';
import { isTerminal } from './states.ts';

export interface Consequences {
  readonly entry: HistoryEntry;
  /** The outcome event of this entry; null when it has none. */
  readonly outcome: 'completed' | 'failed' | null;
  /** Event id of the outcome this one replaces. */
  readonly supersedes: string | null;
  readonly review: boolean;
  /** News for the job's dead-letter record, and for whoever watches over them. */
  readonly deadLetter: boolean;
  /** The record has to be written: with an alert, or only because the job it tells of has ended since. */
  readonly record: boolean;
  /** A person is asked to approve, or reminded of it. */
  readonly approval: 'requested' | 'reminder' | null;
  /** A person did this: it is listed among the actions of people. */
  readonly audit: boolean;
}

export function outcomeEventId(jobId: string, seq: number): string {
  return `${jobId}.${seq}.outcome`;
}

/**
 * @param history whole, or at least from the first entry that could have told an outcome
 * @param after the last published seq
 */
export function consequencesOf(
  job: Pick<Job, 'jobId' | 'source'>,
  history: readonly HistoryEntry[],
  after: number,
): Consequences[] {
  const due: Consequences[] = [];
  let told: string | null = null;
  let recorded = false;
  for (const [index, entry] of history.entries()) {
    const isLastOfWrite = history[index + 1]?.mark !== entry.mark;
    // A recovery job speaks through the job whose effect it undoes; only its failure is news of its own.
    const outcome = isLastOfWrite && job.source !== 'recovery' ? outcomeOf(entry) : null;
    if (entry.seq > after) {
      const review = entry.to === 'NEEDS_REVIEW' && isLastOfWrite && !isOperators(entry) && !isSaid(entry);
      const approval = approvalNews(entry);
      const deadLetter = quarantines(entry);
      const one = {
        entry,
        outcome,
        supersedes: outcome && told,
        review,
        deadLetter,
        record: deadLetter || (recorded && isEnd(entry)),
        approval,
        audit: isPersons(entry),
      };
      if (outcome !== null || approval !== null || one.review || one.record || one.audit) due.push(one);
    }
    recorded ||= quarantines(entry);
    if (outcome !== null) told = outcomeEventId(job.jobId, entry.seq);
  }
  return due;
}

/** A job's end, or an undo that failed for good, is news for everybody; news after the end is not another end. */
function outcomeOf(entry: HistoryEntry): 'completed' | 'failed' | null {
  if (entry.from === entry.to) return null;
  if (entry.to === 'COMPLETED') return 'completed';
  if (isTerminal(entry.to)) return 'failed';
  return entry.to === 'NEEDS_REVIEW' && entry.errorCode === 'ORCH_COMPENSATION_FAILED' ? 'failed' : null;
}

function isEnd(entry: HistoryEntry): boolean {
  return entry.from !== entry.to && isTerminal(entry.to);
}

/** Quarantine, an undo that failed for good, a broken rule, and an effect that shows up after the job stopped. */
function quarantines(entry: HistoryEntry): boolean {
  if (entry.to === 'DEAD_LETTERED') return true;
  if (isLateEffect(entry)) return true;
  return entry.to === 'NEEDS_REVIEW' && entry.from !== entry.to && WORTH_A_RECORD.includes(entry.errorCode);
}

const BROKEN = 'ORCH_STATE_MACHINE_INVARIANT_BROKEN';
const WORTH_A_RECORD: readonly (string | null)[] = ['ORCH_COMPENSATION_FAILED', BROKEN];

/** A reminder says the same of no step in particular; it is no news. */
function isLateEffect(entry: HistoryEntry): boolean {
  return entry.from === entry.to && entry.errorCode === 'ORCH_OUTCOME_UNKNOWN' && entry.step !== null;
}

/** Submitting is what everybody does; acting on a job afterwards is what an audit asks about. */
function isPersons(entry: HistoryEntry): boolean {
  return (
    entry.from !== null && (!entry.actor.startsWith('orchestrator:') || entry.reason.startsWith('approval_decided'))
  );
}

/** Told at once, not when the job stops: somebody is waited for. */
export function approvalNews(entry: HistoryEntry): 'requested' | 'reminder' | null {
  if (entry.from !== entry.to || entry.step === null) return null;
  if (entry.reason === 'approval_requested') return 'requested';
  return entry.reason === 'approval_reminder' ? 'reminder' : null;
}

/** What was said to a wait of a job that stands still: kept, and no reason to call anybody. */
function isSaid(entry: HistoryEntry): boolean {
  return entry.from === entry.to && /^(signal|approval_decided)\b/.test(entry.reason);
}

/** What a person did just now needs no call for a person. */
function isOperators(entry: HistoryEntry): boolean {
  return entry.from === entry.to && entry.actor.startsWith('operator:');
}

/**
 * Why the job is in quarantine, in the words of the dead-letter record.
 * @param history whole: what once kept the job from a clean end may lie far back
 */
export function quarantineReason(job: Job, history: readonly HistoryEntry[] = job.history): string {
  if (isPoison(job)) return 'poison_message';
  if (job.stoppedReason === BROKEN || history.some((entry) => entry.errorCode === BROKEN)) return 'invariant_broken';
  const undoFailed = history.some((entry) => entry.errorCode === 'ORCH_COMPENSATION_FAILED');
  if (undoFailed || history.some(isLateEffect)) return 'compensation_failed';
  const patience = ['ORCH_RETRY_BUDGET_EXHAUSTED', 'ORCH_DEADLINE_EXCEEDED'].includes(job.stoppedReason ?? '');
  return patience ? 'max_retries_exceeded' : 'unrecoverable_error';
}
