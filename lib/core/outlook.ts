/**
 * What a driver does when it has nothing in flight: go on, sleep a moment, hand over, park, or leave. Read off the job
 * alone, so a driver that lost its way finds it again after any write.
 */
import { childrenDueAt } from './child-set.ts';
import { isAlive } from './effects.ts';
import type { Driver, DriverKind, Rules } from './events.ts';
import type { EpochMs, GateId } from './ids.ts';
import type { Job, StepState } from './job.ts';
import { LIMITS } from './limits.ts';
import type { WorkflowPlan } from './plan.ts';
import { driverKindOf, heldUntil, workDueAt } from './schedule.ts';
import { isTerminal } from './states.ts';

export type Outlook =
  | { readonly next: 'ended' }
  /** Another driver holds a lease and goes on by itself. */
  | { readonly next: 'leave' }
  | { readonly next: 'sleep'; readonly until: EpochMs }
  | { readonly next: 'hand_over'; readonly to: DriverKind }
  | { readonly next: 'park'; readonly until: EpochMs; readonly to: DriverKind }
  /** A gate holds all that is left: whoever opens it, or the deadline, brings the job back. */
  | { readonly next: 'held'; readonly by: GateId };

export function outlook(job: Job, plan: WorkflowPlan, rules: Rules, driver: Driver, now: EpochMs): Outlook {
  if (isTerminal(job.state)) return { next: 'ended' };
  const due = workDueAt(job, plan, rules, now);
  if (due === null) return { next: 'ended' };
  const to = driverKindOf(job);
  if (leasedByOthers(job, rules, driver, now) && due > now) return { next: 'leave' };
  if (due <= now) return { next: 'hand_over', to };
  // Children tell of their ends; looking after them is the watchdog's, and needs no timer.
  if (job.steps.some((step) => looksAfter(step) === due)) return { next: 'leave' };
  const waitMs = due - now;
  const held = heldUntil(job, plan);
  if (job.parkedOn !== null && held !== null && due >= held) return { next: 'held', by: job.parkedOn };
  const mine = to === driver.kind && job.state !== 'NEEDS_REVIEW';
  const short = waitMs < LIMITS.parkThresholdMs && driver.remainingMs > waitMs + LIMITS.callMarginMs;
  return mine && short ? { next: 'sleep', until: due } : { next: 'park', until: due, to };
}

function looksAfter(step: StepState): EpochMs | null {
  if (step.children === null) return null;
  return step.status === 'compensating' ? (step.undo?.nextAttemptAt ?? null) : childrenDueAt(step);
}

function leasedByOthers(job: Job, rules: Rules, driver: Driver, now: EpochMs): boolean {
  return job.steps.some((step) =>
    [step.lease, step.undo?.lease ?? null].some(
      (lease) => isAlive(lease, now, rules.livingOwners) && lease.owner !== driver.owner,
    ),
  );
}
