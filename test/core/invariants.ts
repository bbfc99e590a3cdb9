/**
 * What holds for every single decision, whatever was asked. Complaints are sentences: a failing run prints which rule
 * it broke, and fast-check the shortest way there.
 */
import { isAlive } from '../../lib/core/effects.ts';
import type { Call, Decision, JobEvent, Rules } from '../../lib/core/events.ts';
import { type Job, lastEntry, type StepState, stepOf } from '../../lib/core/job.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { hasUndo, type WorkflowPlan } from '../../lib/core/plan.ts';
import { isUnpublished } from '../../lib/core/schedule.ts';
import { isTerminal } from '../../lib/core/states.ts';
import { addedEntries, brokenHistory, isReachable } from '../../lib/testing/simulation/table-rules.ts';

export interface Change {
  readonly before: Job;
  readonly after: Job;
  readonly calls: readonly Call[];
  readonly event: JobEvent;
  readonly plan: WorkflowPlan;
  readonly rules: Rules;
  readonly now: number;
  readonly writeId: string;
}

/** Every rule that this decision breaks. */
export function complaints(change: Change): string[] {
  return [
    ...sealed(change),
    ...history(change),
    ...ends(change),
    ...tables(change),
    ...doubts(change),
    ...leases(change),
    ...wakeUps(change),
    ...calls(change),
    ...waits(change),
  ];
}

const when = (broken: boolean, complaint: string): string[] => (broken ? [complaint] : []);

const FIXED = [
  'schema',
  'jobId',
  'correlationId',
  'idempotencyKey',
  'inputFingerprint',
  'callerId',
  'source',
  'workflowType',
  'workflowVersion',
  'createdAt',
  'trace',
  'lineage',
  'input',
] as const satisfies readonly (keyof Job)[];

function sealed({ before, after, event, writeId }: Change): string[] {
  return [
    ...when(after.revision !== before.revision + 1, `revision went from ${before.revision} to ${after.revision}`),
    ...when(after.updatedAt < before.updatedAt, 'updatedAt went back'),
    ...when(after.writeId !== writeId, 'the write id is not the one given'),
    ...FIXED.filter((member) => after[member] !== before[member]).map((member) => `${member} changed`),
    ...when(event.type !== 'operate' && after.deadlineAt !== before.deadlineAt, 'the deadline moved'),
    ...when(
      event.type !== 'operate' && after.maxRetries !== before.maxRetries && after.sagaRound === before.sagaRound,
      'the budget changed',
    ),
    ...when(after.retryCount < before.retryCount || after.retryCount > after.maxRetries, 'retryCount out of bounds'),
    ...when(after.errorLog.length > LIMITS.errorLogInline, 'the error log is longer than allowed'),
    ...when(after.steps.map((one) => one.name).join() !== before.steps.map((one) => one.name).join(), 'steps changed'),
  ];
}

function history({ before, after, writeId, now }: Change): string[] {
  const marked = addedEntries(before, after).every(
    (entry) => entry.at === now && writeId.startsWith(entry.mark) && entry.mark.length === 8,
  );
  return [
    ...brokenHistory(before, after),
    ...when(!marked, 'a wrong mark'),
    ...when(after.publishedSeq > lastEntry(after).seq, 'the cursor is off'),
  ];
}

function ends({ before, after, calls: made }: Change): string[] {
  const ended = isTerminal(before.state);
  return [
    ...when(ended && after.state !== before.state, `the end ${before.state} was left`),
    ...when(ended && after.outcome !== before.outcome, 'the outcome of an ended job changed'),
    ...when(ended && made.length > 0, 'an ended job made calls'),
    ...when(isTerminal(after.state) && after.outcome === null, 'an end without an outcome'),
    ...when((after.state === 'COMPLETED') !== (after.outcome === 'succeeded'), 'succeeded means completed'),
    ...when(after.state !== 'COMPLETED' && after.output !== null, 'an output without completion'),
    ...when(after.state === 'FAILED' && lastEntry(after).to !== 'FAILED', 'a false end'),
    // A person who force-closes a job does not wait for what is out.
    ...when(
      !ended && isTerminal(after.state) && !wasForced(after) && after.steps.some(holdsLease),
      'ended under a lease',
    ),
  ];
}

function wasForced(job: Job): boolean {
  return job.history.some((entry) => entry.from === 'NEEDS_REVIEW' && entry.to === 'DEAD_LETTERED');
}

function holdsLease(step: StepState): boolean {
  return step.lease !== null || (step.undo?.lease ?? null) !== null;
}

function tables({ before, after, plan }: Change): string[] {
  return after.steps.flatMap((step, index) => {
    // A new round begins at the beginning, wherever the last one got to.
    const sameRound = before.steps[index]?.round === step.round;
    const was = sameRound ? (before.steps[index]?.status ?? 'pending') : 'pending';
    const readOnly = plan.steps[index]?.kind === 'readOnly';
    return [
      ...when(!isReachable(was, step.status), `${step.name}: no way from ${was} to ${step.status}`),
      ...when(
        readOnly && ['unknown', 'reconciling', 'compensating'].includes(step.status),
        `${step.name} only reads and is ${step.status}`,
      ),
      ...when(readOnly && step.mayHaveApplied, `${step.name} only reads and may have applied`),
    ];
  });
}

function doubts({ before, after, event }: Change): string[] {
  return after.steps.flatMap((step, index) => {
    const was = before.steps[index]?.round === step.round ? before.steps[index] : undefined;
    // A success takes the doubt away, and may be undone in the same write.
    const settled = ['succeeded', 'compensating', 'compensated', 'failed'].includes(step.status);
    const silent = event.type !== 'results' && event.type !== 'callback';
    return [
      ...when(step.status === 'unknown' && !step.mayHaveApplied, `${step.name} is unknown, yet did surely not apply`),
      ...when(
        was?.mayHaveApplied === true && !step.mayHaveApplied && (silent || !settled) && event.type !== 'operate',
        `${step.name}: doubt vanished`,
      ),
      ...when(step.status === 'pending' && step.attempts > step.attemptsBefore, `${step.name} is pending after a call`),
      ...when(step.status === 'skipped' && step.undo !== null, `${step.name} was skipped and undone`),
      ...(isTerminal(after.state) ? [] : goesOn(step)),
    ];
  });
}

/** Whoever waits for something knows for what, and until when. */
function goesOn(step: StepState): string[] {
  const settles = step.settleBy !== null;
  return [
    ...when((step.status === 'unknown') !== settles, `${step.name} is ${step.status}, settled by ${step.settleBy}`),
    ...when(step.status === 'waiting' && step.deadlineAt === null, `${step.name} waits for ever`),
    ...when(step.status === 'retry_scheduled' && step.nextAttemptAt === null && !step.mayHaveApplied, 'a retry never'),
  ];
}

function leases({ after, plan, rules, now }: Change): string[] {
  const undoing = after.steps.filter((step) => isAlive(step.undo?.lease ?? null, now, rules.livingOwners));
  return [
    ...after.steps.flatMap((step) => [
      ...when(
        step.lease !== null && step.status !== 'dispatched' && step.status !== 'reconciling',
        `${step.name} is ${step.status} under a lease`,
      ),
      ...when(
        (step.undo?.lease ?? null) !== null && step.status !== 'compensating',
        `${step.name} is ${step.status} under an undo lease`,
      ),
    ]),
    ...when(!plan.concurrentUndo && undoing.length > 1, 'two undos are out at once'),
  ];
}

function wakeUps({ after, now }: Change): string[] {
  const ended = isTerminal(after.state);
  const owesNews = (ended || after.state === 'NEEDS_REVIEW') && isUnpublished(after);
  return [
    ...when(ended !== (after.nextActionAt === null), 'a living job without a next action, or an ended one with it'),
    ...when(after.nextActionAt !== null && after.nextActionAt <= now, 'the next action is not ahead'),
    ...when(
      after.nextActionAt !== null && (after.bucket === null || after.bucket > after.nextActionAt),
      'filed too late',
    ),
    ...when(owesNews && (after.bucket === null || after.bucket > now), 'news are owed and nobody will look'),
    ...when(ended && !owesNews && after.bucket !== null, 'an ended job stays in the index'),
    ...when(
      after.bucket !== null && after.bucket % LIMITS.bucketMs !== 0,
      'the bucket does not start where buckets start',
    ),
  ];
}

/** A wait has one end, set when it begins, and is not sat out longer; a token is good for one answer. */
function waits({ before, after, plan, event, now }: Change): string[] {
  const isLookedAt = event.type === 'turn' && event.driver.kind === 'forward' && event.driver.remainingMs > 100_000;
  return after.steps.flatMap((step, index) => {
    const was = before.steps[index];
    const stepPlan = plan.steps[index];
    const isTimed = stepPlan?.work.type === 'timer' || stepPlan?.work.type === 'signal';
    const stayed = was?.status === 'waiting' && step.status === 'waiting' && was.round === step.round;
    const sameToken = was?.callback != null && was.callback.salt === step.callback?.salt;
    const isOver = step.status === 'waiting' && (step.deadlineAt ?? 0) <= now;
    return [
      ...when(stayed && isTimed && was.deadlineAt !== step.deadlineAt, `${step.name}: the end of its wait moved`),
      ...when(sameToken && was.callback?.used === true && !step.callback?.used, `${step.name}: a token came back`),
      ...when(sameToken && was.callback?.expiresAt !== step.callback?.expiresAt, `${step.name}: a token got longer`),
      ...when(isOver && isLookedAt && after.state === 'PROCESSING', `${step.name} waits past its time`),
      ...when(step.status === 'skipped' && step.lease !== null, `${step.name} was left out while it is called`),
    ];
  });
}

function calls(change: Change): string[] {
  return change.calls.flatMap((call) => [
    ...anyCall(change, call),
    ...(call.direction === 'undo' ? undoCall(change, call) : stepCall(change, call)),
  ]);
}

function anyCall({ event, now, after }: Change, call: Call): string[] {
  const driver = event.type === 'turn' || event.type === 'results' ? event.driver : null;
  const step = stepOf(after, call.step);
  const lease = call.direction === 'undo' ? (step.undo?.lease ?? null) : step.lease;
  const kind = call.direction === 'undo' || call.fence ? 'recovery' : 'forward';
  return [
    ...when(driver === null, 'a call without a driver'),
    ...when(driver?.kind !== kind, `${call.step}: a ${driver?.kind} driver made a call of ${kind}`),
    ...when(
      driver !== null && driver.remainingMs <= call.timeoutMs + LIMITS.callMarginMs,
      `${call.step}: no time was left`,
    ),
    ...when(lease?.owner !== driver?.owner, `${call.step}: the lease is not its driver's`),
    ...when((lease?.until ?? 0) < now + call.timeoutMs, `${call.step}: the lease ends before the call`),
    ...when(call.lastStartAt + call.timeoutMs > (lease?.until ?? 0), `${call.step}: may start too late`),
  ];
}

function stepCall({ before, after, event, rules, now }: Change, call: Call): string[] {
  const forward = after.state === 'PROCESSING' && after.turnBack === null;
  const held = isAlive(stepOf(before, call.step).lease, now, rules.livingOwners);
  const answered = event.type === 'results' && event.results.some((result) => result.step === call.step);
  return [
    ...when(call.direction === 'do' && !forward, `${call.step} was called although the job is ${after.state}`),
    ...when(
      call.direction === 'query' && call.fence !== (after.state === 'COMPENSATING'),
      `${call.step}: a wrong fence`,
    ),
    ...when(held && !answered, `${call.step} was called under a living lease`),
  ];
}

function undoCall({ after, plan, rules, now }: Change, call: Call): string[] {
  const stepPlan = plan.steps.find((one) => one.name === call.step);
  const forwardOut = after.steps.filter((step) => isAlive(step.lease, now, rules.livingOwners));
  return [
    ...when(after.state !== 'COMPENSATING', `${call.step} was undone although the job is ${after.state}`),
    ...when(stepPlan === undefined || !hasUndo(stepPlan), `${call.step} has no undo`),
    ...when(forwardOut.length > 0, `${call.step} was undone while ${forwardOut[0]?.name} is out`),
  ];
}

/** Refusals and ignored events carry nothing but their reason. */
export function unchangedIsSilent(decision: Decision): boolean {
  return decision.status === 'changed' || !('calls' in decision || 'job' in decision);
}
