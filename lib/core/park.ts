/**
 * Waiting for a gate. A parked step has made no call and spends no attempt and no budget; it is due again when its gate
 * is released, and comes to its end at the deadline that it would have had anyway.
 */
import { undoRequest } from './calls.ts';
import { type Draft, goesForward, logError, moveJob, setStep, stepPlan } from './draft.ts';
import type { Direction } from './events.ts';
import { dependencyOf, describeGate } from './gates.ts';
import type { EpochMs, GateId } from './ids.ts';
import type { Job, StepState } from './job.ts';
import type { WorkflowPlan } from './plan.ts';
import { type OpenWay, wayOf } from './routing.ts';

const UNAVAILABLE = 'ORCH_DEPENDENCY_UNAVAILABLE';

/** The way of a call that is due; null when it is held, and the step is parked by that, or when it has to wait for room. */
export function wayOrPark(draft: Draft, step: StepState, topic: string, direction: Direction): OpenWay | null {
  const way = wayOf(draft, step, topic, direction);
  if (!way.held) {
    const full = draft.context.rules.full?.(way.target) ?? null;
    if (full === null) return way;
    if (full.until !== null) setStep(draft, step, laterThan(step, full.until));
    return null;
  }
  park(draft, step, way.by, direction);
  return null;
}

function park(draft: Draft, step: StepState, gate: GateId, direction: Direction): void {
  const { job } = draft;
  const message = describeGate(gate);
  if (job.state === 'RETRY_SCHEDULED') moveJob(draft, 'due', null, { step: step.name });
  if (goesForward(draft) && dependencyOf(gate) !== null) {
    job.lastErrorCode = UNAVAILABLE;
    job.lastErrorMessage = message;
  }
  logError(draft, {
    step: step.name,
    attempt: direction === 'undo' ? (step.undo?.attempts ?? 0) : step.attempts,
    errorCode: UNAVAILABLE,
    message: `${direction === 'do' ? '' : `${direction}: `}${message}`,
    nextAttemptAt: null,
  });
  // Nobody was to come for it meanwhile, so the time until its release is no outage of ours.
  const undo = step.undo === null ? null : { ...step.undo, nextAttemptAt: null };
  setStep(draft, step, { parkedOn: gate, nextAttemptAt: null, undo });
}

/** Lets go what this gate holds and nothing else holds now, from `startAt` on; answers whether anything changed. */
export function release(draft: Draft, gate: GateId, startAt: EpochMs): boolean {
  let released = false;
  for (const step of draft.job.steps) {
    if (step.parkedOn !== gate) continue;
    const call = nextCallOf(draft, step);
    const way = call === null ? null : wayOf(draft, step, call.topic, call.direction);
    const holds = way?.held === true ? way.by : null;
    if (holds === gate) continue;
    released = true;
    setStep(draft, step, holds === null ? dueFrom(step, startAt) : { parkedOn: holds });
  }
  return released;
}

/** Not called before then; nothing is spent, for nothing was tried. */
function laterThan(step: StepState, at: EpochMs): Partial<StepState> {
  const { undo } = step;
  return step.status === 'compensating' && undo !== null
    ? { undo: { ...undo, nextAttemptAt: at } }
    : { nextAttemptAt: at };
}

function dueFrom(step: StepState, startAt: EpochMs): Partial<StepState> {
  const { undo } = step;
  return step.status === 'compensating' && undo !== null
    ? { parkedOn: null, undo: { ...undo, nextAttemptAt: startAt } }
    : { parkedOn: null, nextAttemptAt: startAt };
}

/** What the step is parked before; null when it cannot say, which comes out when it is called. */
function nextCallOf(draft: Draft, step: StepState): { topic: string; direction: Direction } | null {
  const plan = stepPlan(draft, step);
  if (step.status === 'unknown' && step.settleBy === 'query' && plan.query !== null) {
    return { topic: plan.query.topic, direction: 'query' };
  }
  if (goesForward(draft)) return plan.topic === null ? null : { topic: plan.topic, direction: 'do' };
  const request = undoRequest(draft, step, plan);
  return request.ok ? { topic: request.topic, direction: 'undo' } : null;
}

/** Until when a step of this job stays parked if its gate does not open before. */
export function parkedUntil(job: Job, plan: WorkflowPlan, step: StepState): EpochMs {
  if (job.state !== 'COMPENSATING') return job.deadlineAt;
  return (step.undo?.startedAt ?? turnedBackAt(job)) + (step.undo?.idleMs ?? 0) + plan.undoDeadlineMs;
}

function turnedBackAt(job: Job): EpochMs {
  const turned = job.history.findLast(({ from, to }) => to === 'COMPENSATING' && from !== to);
  return Math.max(turned?.at ?? 0, job.turnBack?.at ?? 0);
}

/** The gate under which the job is found; a job that stopped is held by nothing. */
export function gateOf(job: Pick<Job, 'state' | 'steps'>): GateId | null {
  switch (job.state) {
    case 'PROCESSING':
    case 'RETRY_SCHEDULED':
    case 'COMPENSATING':
      return job.steps.find(({ parkedOn }) => parkedOn !== null)?.parkedOn ?? null;
    case 'PENDING':
    case 'VALIDATING':
    case 'NEEDS_REVIEW':
    case 'COMPLETED':
    case 'CANCELLED':
    case 'FAILED':
    case 'DEAD_LETTERED':
      return null;
  }
}
