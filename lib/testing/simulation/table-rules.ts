/**
 * What the two tables and the append-only history demand of any change of a job, told by the documents alone. Held
 * against every decision of the core, and against every write of a simulated deployment.
 */
import { type Job, lastEntry } from '../../core/job.ts';
import type { StepStatus } from '../../core/states.ts';
import { STEP_TRANSITIONS } from '../../core/step-transitions.ts';
import { JOB_TRANSITIONS } from '../../core/transitions.ts';

const EDGES = new Set(JOB_TRANSITIONS.map(({ from, to }) => `${from} ${to}`));

/** History only grows, each entry follows the last along the table, and nothing unpublished is cut off. */
export function brokenHistory(before: Job, after: Job): string[] {
  const first = after.history[0]?.seq ?? 0;
  const kept = before.history.filter(({ seq }) => seq >= first);
  const found: string[] = [];
  for (const [index, entry] of kept.entries()) {
    const now = after.history[index];
    if (now?.mark !== entry.mark || now.seq !== entry.seq || now.to !== entry.to)
      found.push('I6 history was rewritten');
  }
  let last = lastEntry(before);
  for (const entry of addedEntries(before, after)) {
    if (entry.seq !== last.seq + 1 || entry.from !== last.to) found.push(`I6 entry ${entry.seq} does not follow`);
    if (!EDGES.has(`${entry.from} ${entry.to}`)) found.push(`I6 ${entry.from} → ${entry.to} is not in the table`);
    if (entry.reason === '') found.push('I6 an entry without a reason');
    last = entry;
  }
  if (last.to !== after.state) found.push(`I6 is ${after.state}, and its history says ${last.to}`);
  if (after.publishedSeq < before.publishedSeq) found.push('I8 unpublished what was published');
  if (before.history.some(({ seq }) => seq < first && seq > after.publishedSeq))
    found.push('I8 lost entries before they were published');
  return found;
}

/** The entries that this change made: all behind those that were there. */
export function addedEntries(before: Job, after: Job): Job['history'] {
  const first = after.history[0]?.seq ?? 0;
  return after.history.slice(before.history.filter(({ seq }) => seq >= first).length);
}

const REACHABLE = reachable();

/** One change may take several edges of the step table; there must be a way through it. */
export function isReachable(from: StepStatus, to: StepStatus): boolean {
  return from === to || (REACHABLE.get(from)?.has(to) ?? false);
}

function reachable(): Map<StepStatus, ReadonlySet<StepStatus>> {
  const map = new Map<StepStatus, ReadonlySet<StepStatus>>();
  const from = (status: StepStatus): ReadonlySet<StepStatus> => map.get(status) ?? new Set([status]);
  const withinARound = STEP_TRANSITIONS.filter(({ on }) => on !== 'new_round');
  for (let turns = 0; turns < 12; turns += 1) {
    for (const { from: at, to } of withinARound) map.set(at, new Set([...from(at), ...from(to)]));
  }
  return map;
}
