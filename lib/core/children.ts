/**
 * A step that waits for jobs of its own. What there is to know of them is a few numbers and two sets in the step:
 * how many exist, how many may run, who has ended and who has failed. Reports only add to the sets, so they may come
 * twice, late, in any order, or not at all: then the parent finds out by looking.
 * Invariant: no child starts before all exist, none is left running when its parent ends, and each is merged once.
 */
import { bitsWith, countBits, membership, NO_BITS } from './bits.ts';
import { allEnded, hasChildrenOut, isAcceptable, type WithChildren, workOf } from './child-set.ts';
import { type Draft, goesForward, logError, mappingContext, moveStep, setStep, stepPlan } from './draft.ts';
import type { ChildReport, ChildrenDone, Ignored } from './events.ts';
import { confirmUndo, giveUpUndo } from './fold-undo.ts';
import type { Job, StepState } from './job.ts';
import { newValue } from './job.ts';
import type { Json } from './json.ts';
import { LIMITS } from './limits.ts';
import type { ChildrenWork, StepPlan } from './plan.ts';
import type { ChildSet } from './relations.ts';

/** Plans the children, or fails the step when that cannot be done. None at all is a result at once. */
export function beginChildren(draft: Draft, step: StepState): void {
  const plan = stepPlan(draft, step);
  const work = workOf(plan);
  const planned = planChildren(draft, plan, work);
  if (typeof planned === 'string') {
    logError(draft, { ...aboutStep(step), errorCode: MAPPING_FAILED, message: planned });
    moveStep(draft, step, 'not_callable', { errorCode: MAPPING_FAILED, errorMessage: planned, nextAttemptAt: null });
    return;
  }
  const { now } = draft.context;
  const waiting = moveStep(draft, step, 'wait_started', {
    startedAt: now,
    nextAttemptAt: null,
    children: newSet(planned.total, now + draft.context.rules.hintGraceMs),
  });
  if (planned.total === 0) endWithChildren(draft, waiting, emptyOutput(planned.initial));
}

const MAPPING_FAILED = 'ORCH_MAPPING_FAILED';

function planChildren(draft: Draft, plan: StepPlan, work: ChildrenWork): { total: number; initial: Json } | string {
  try {
    const seen = mappingContext(draft, plan.stage);
    const total = work.items(seen).length;
    if (total > LIMITS.childrenMax) {
      return `${total} children were asked for and a step has at most ${LIMITS.childrenMax}: group the items`;
    }
    return { total, initial: total === 0 ? work.result(work.initial(seen)) : null };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function newSet(total: number, lookAt: number): ChildSet {
  const counts = { total, created: 0, releasedTo: 0, stoppedTo: null, mergedTo: 0 };
  return { ...counts, ended: NO_BITS, failed: NO_BITS, failures: [], lookAt };
}

export function emptyOutput(initial: Json): Json {
  return { result: initial, failed_children: [] };
}

/** What a driver has done about the children of a step. */
export function foldChildrenDone(draft: Draft, name: string, round: number, done: ChildrenDone): Ignored | null {
  const step = childrenAt(draft.job, name, round);
  if (step === null) return 'late';
  const { children } = step;
  switch (done.what) {
    case 'created':
      if (children.stoppedTo !== null) return 'late';
      if (done.upTo <= children.created) return 'duplicate';
      change(draft, step, { created: done.upTo });
      return null;
    case 'stopped':
      if (children.stoppedTo === null || done.upTo <= children.stoppedTo) return 'duplicate';
      change(draft, step, { stoppedTo: done.upTo });
      return null;
    case 'looked':
      looked(draft, step);
      return null;
    case 'merged':
      return merged(draft, step, done.upTo, done.output);
    case 'unmergeable':
      if (!hasChildrenOut(step)) return 'late';
      failWithChildren(draft, step, MAPPING_FAILED, done.message);
      return null;
  }
}

/** A lost report costs at most an eighth of what the step has taken so far, and looking costs less the longer it takes. */
function looked(draft: Draft, step: WithChildren): void {
  const { now, rules } = draft.context;
  const took = now - ((step.status === 'compensating' ? step.undo?.startedAt : step.startedAt) ?? now);
  const lookAt = now + Math.min(LIMITS.childrenLookMsMax, Math.max(rules.hintGraceMs, took / 8));
  if (step.status === 'compensating' && step.undo !== null) {
    setStep(draft, step, { undo: { ...step.undo, nextAttemptAt: Math.ceil(lookAt) } });
  } else change(draft, step, { lookAt: Math.ceil(lookAt) });
}

function merged(draft: Draft, step: WithChildren, upTo: number, output: Json): Ignored | null {
  if (!hasChildrenOut(step) || step.children.stoppedTo !== null || !goesForward(draft)) return 'late';
  if (upTo <= step.children.mergedTo) return 'duplicate';
  if (upTo < step.children.total) {
    setStep(draft, step, { output: newValue(output), children: { ...step.children, mergedTo: upTo } });
    return null;
  }
  endWithChildren(draft, { ...step, children: { ...step.children, mergedTo: upTo } }, output);
  return null;
}

/** A report adds to what is known; whatever the parent's state, it can do no harm. */
export function foldReports(draft: Draft, reports: readonly ChildReport[]): void {
  const news = new Map<string, { ended: number[]; failures: [number, string][] }>();
  for (const report of reports) {
    const step = childrenAt(draft.job, report.step, report.round);
    if (step === null) draft.ignored.push('late');
    else if (report.what === 'undo') foldUndoReport(draft, step, report);
    else if (report.index >= step.children.total) draft.ignored.push('unknown_operation');
    else {
      const of = news.get(step.name) ?? { ended: [], failures: [] };
      news.set(step.name, of);
      of.ended.push(report.index);
      if (!report.ok) of.failures.push([report.index, report.errorCode ?? 'ORCH_OUTCOME_UNKNOWN']);
    }
  }
  for (const [name, { ended, failures }] of news) addEnded(draft, name, ended, failures);
}

function addEnded(draft: Draft, name: string, ended: readonly number[], failures: readonly [number, string][]): void {
  const step = draft.job.steps.find((one) => one.name === name);
  if (step === undefined || step.children === null) return;
  const { children } = step;
  const isKnown = membership(children.ended);
  const fresh = ended.filter((index) => !isKnown(index));
  if (fresh.length === 0) {
    draft.ignored.push('duplicate');
    return;
  }
  const told = new Map(failures.filter(([index]) => !isKnown(index)));
  setStep(draft, step, {
    children: {
      ...children,
      ended: bitsWith(children.ended, fresh),
      failed: told.size === 0 ? children.failed : bitsWith(children.failed, told.keys()),
      failures: [...children.failures, ...told].slice(0, LIMITS.failedChildrenInline),
      lookAt: draft.context.now + draft.context.rules.hintGraceMs,
    },
  });
}

/** The job that takes all of them back has ended: that is the end of the step's undo. */
function foldUndoReport(draft: Draft, step: WithChildren, report: ChildReport & { readonly what: 'undo' }): void {
  const { undo } = step;
  if (undo === null || report.attempt > undo.attempts) {
    draft.ignored.push('late');
    return;
  }
  if (report.ok) {
    if (step.status === 'compensating' || step.status === 'compensation_failed') {
      confirmUndo(draft, step, undo, null, draft.context.now);
    } else draft.ignored.push('duplicate');
    return;
  }
  if (step.status !== 'compensating' || report.attempt < undo.attempts) draft.ignored.push('stale_attempt');
  else giveUpUndo(draft, step, report.errorCode ?? 'ORCH_COMPENSATION_FAILED', 'a child could not be taken back');
}

function childrenAt(job: Pick<Job, 'steps'>, name: string, round: number): WithChildren | null {
  const step = job.steps.find((one) => one.name === name && one.round === round);
  return step === undefined || step.children === null ? null : (step as WithChildren);
}

/** On the way forward: who may run next, who is told to stop, and what it comes to when all have ended. */
export function tendChildren(draft: Draft): void {
  for (const step of draft.job.steps.filter(hasChildrenOut)) {
    const work = workOf(stepPlan(draft, step));
    const { children } = step;
    if (allEnded(children)) settleChildren(draft, step, work);
    else if (work.policy.type === 'cancel' && children.failed !== NO_BITS && children.stoppedTo === null) {
      change(draft, step, { stoppedTo: 0 });
    } else if (children.stoppedTo === null && children.created >= children.total) release(draft, step, work);
  }
}

function release(draft: Draft, step: WithChildren, { concurrency }: ChildrenWork): void {
  const { total, releasedTo, ended } = step.children;
  const upTo = Math.min(total, countBits(ended) + concurrency);
  if (upTo > releasedTo) change(draft, step, { releasedTo: upTo });
}

function settleChildren(draft: Draft, step: WithChildren, work: ChildrenWork): void {
  const { children } = step;
  if (children.stoppedTo !== null || !isAcceptable(children, work.policy)) {
    const [index, code] = firstFailure(children) ?? [0, 'ORCH_CANCELLED'];
    const failures = countBits(children.failed);
    const told = work.single
      ? 'the child failed'
      : `${failures} of ${children.total} children failed, first number ${index}`;
    failWithChildren(draft, step, code, told);
  } else if (work.child.kind === 'undo') endWithChildren(draft, step, emptyOutput(null));
}

function firstFailure({ failures }: ChildSet): readonly [number, string] | undefined {
  return [...failures].sort(([a], [b]) => a - b)[0];
}

/** On the way back: tells children to stop, and lets go of the step when all have ended. True: some have not. */
export function waitForChildren(draft: Draft): boolean {
  let out = false;
  for (const step of draft.job.steps.filter(hasChildrenOut)) {
    if (step.children.stoppedTo === null) stopChildren(draft, step);
    else if (allEnded(step.children)) letGo(draft, step);
    else {
      out = true;
      continue;
    }
    out ||= draft.job.steps.some((one) => one.name === step.name && hasChildrenOut(one));
  }
  return out;
}

export function stopChildren(draft: Draft, step: WithChildren): void {
  if (step.children.stoppedTo === null)
    change(draft, step, { stoppedTo: 0, lookAt: draft.context.now + draft.context.rules.hintGraceMs });
}

function letGo(draft: Draft, step: WithChildren): void {
  const [, code] = firstFailure(step.children) ?? [0, 'ORCH_CANCELLED'];
  if (standing(draft, step)) failWithChildren(draft, step, code, 'the job turned back');
  else moveStep(draft, step, 'left_out', { deadlineAt: null });
}

/** Children that did something, and were not taken back yet. */
function standing(draft: Draft, { children, name }: WithChildren): boolean {
  const { kind } = draft.plan.steps.find((one) => one.name === name) ?? { kind: 'readOnly' };
  return kind !== 'readOnly' && countBits(children.ended) > countBits(children.failed);
}

function failWithChildren(draft: Draft, step: WithChildren, errorCode: string, errorMessage: string): void {
  const stands = standing(draft, step);
  logError(draft, { ...aboutStep(step), errorCode, message: errorMessage });
  if (goesForward(draft)) {
    draft.job.lastErrorCode = errorCode;
    draft.job.lastErrorMessage = errorMessage;
  }
  moveStep(draft, step, 'refused', {
    deadlineAt: null,
    errorCode,
    errorMessage,
    mayHaveApplied: stands,
    completedAt: stands ? draft.context.now : null,
  });
}

function endWithChildren(draft: Draft, step: StepState, output: Json): void {
  moveStep(draft, step, 'succeeded', {
    deadlineAt: null,
    completedAt: draft.context.now,
    output: newValue(output),
    children: step.children,
  });
}

function aboutStep(step: StepState) {
  return { step: step.name, attempt: step.attempts, nextAttemptAt: null };
}

function change(draft: Draft, step: WithChildren, also: Partial<ChildSet>): void {
  setStep(draft, step, { children: { ...step.children, ...also } });
}
