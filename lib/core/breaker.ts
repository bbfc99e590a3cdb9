/**
 * The breaker of one dependency as a value, and its life as data. While CLOSED only failures change it, so a success
 * costs nothing. Invariant: HALF_OPEN has exactly one holder of the probe, whose lease ends by itself.
 */
import type { Answer } from './answers.ts';
import type { EpochMs } from './ids.ts';
import { LIMITS } from './limits.ts';

export const BREAKER_STATES = ['CLOSED', 'OPEN', 'HALF_OPEN'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

export interface Breaker {
  readonly state: BreakerState;
  /** Of the last minute, oldest first; empty while it is not CLOSED. */
  readonly failures: readonly EpochMs[];
  readonly openedAt: EpochMs | null;
  /** From when on one call may find out whether it is back; null: only a person closes it. */
  readonly probeAt: EpochMs | null;
  /** Who makes that call: a job, or a health check. */
  readonly holder: string | null;
  readonly holderUntil: EpochMs | null;
}

export const CLOSED: Breaker = {
  state: 'CLOSED',
  failures: [],
  openedAt: null,
  probeAt: null,
  holder: null,
  holderUntil: null,
};

export type BreakerTrigger =
  | 'failure_counted'
  | 'threshold_reached'
  | 'probe_elected'
  | 'holder_replaced'
  | 'probe_succeeded'
  | 'probe_failed'
  | 'probe_withdrawn'
  | 'probe_hastened'
  | 'forced_open'
  | 'forced_closed';

export interface BreakerTransition {
  readonly from: BreakerState;
  readonly on: BreakerTrigger;
  readonly to: BreakerState;
  readonly note?: string;
}

const row = (from: BreakerState, on: BreakerTrigger, to: BreakerState, note?: string): BreakerTransition =>
  note === undefined ? { from, on, to } : { from, on, to, note };

export const BREAKER_TRANSITIONS: readonly BreakerTransition[] = [
  row('CLOSED', 'failure_counted', 'CLOSED'),
  row('CLOSED', 'threshold_reached', 'OPEN', '5 failures within 60 s'),
  row('OPEN', 'probe_elected', 'HALF_OPEN', 'the cooldown of 30 s is over, one holder'),
  row('HALF_OPEN', 'holder_replaced', 'HALF_OPEN', 'its lease ended without an answer'),
  row('HALF_OPEN', 'probe_succeeded', 'CLOSED'),
  row('HALF_OPEN', 'probe_failed', 'OPEN', 'cooldown from now'),
  row('HALF_OPEN', 'probe_withdrawn', 'OPEN', 'its holder has no call to make'),
  row('OPEN', 'probe_hastened', 'OPEN', 'a person asks for the probe before the cooldown is over'),
  ...BREAKER_STATES.map((from) => row(from, 'forced_open', 'OPEN', 'by a person, until a person closes it')),
  ...BREAKER_STATES.map((from) => row(from, 'forced_closed', 'CLOSED', 'by a person')),
];

/** The target of an edge. Throws when the table forbids it. */
export function breakerTarget(from: BreakerState, on: BreakerTrigger): BreakerState {
  const found = BREAKER_TRANSITIONS.find((one) => one.from === from && one.on === on);
  if (found === undefined) throw new Error(`no breaker transition from ${from} on ${on}`);
  return found.to;
}

export type BreakerEvent =
  | { readonly type: 'failed' }
  | { readonly type: 'elect'; readonly holder: string }
  | { readonly type: 'probed'; readonly holder: string; readonly isUp: boolean }
  | { readonly type: 'withdrawn'; readonly holder: string }
  | { readonly type: 'hastened' }
  | { readonly type: 'forced'; readonly to: 'OPEN' | 'CLOSED' };

export interface BreakerChange {
  readonly on: BreakerTrigger;
  readonly breaker: Breaker;
}

/** What the event makes of it; null: nothing, as of a late failure, or of a probe that somebody else holds. */
export function changeBreaker(breaker: Breaker, event: BreakerEvent, now: EpochMs): BreakerChange | null {
  switch (event.type) {
    case 'failed':
      return breaker.state === 'CLOSED' ? countFailure(breaker, now) : null;
    case 'elect':
      return elect(breaker, event.holder, now);
    case 'probed':
      if (!holds(breaker, event.holder)) return null;
      return event.isUp ? moved(breaker, 'probe_succeeded', CLOSED) : reopened(breaker, 'probe_failed', now);
    case 'withdrawn':
      return holds(breaker, event.holder) ? reopened(breaker, 'probe_withdrawn', now) : null;
    case 'hastened':
      if (breaker.state !== 'OPEN' || breaker.probeAt === null || breaker.probeAt <= now) return null;
      return moved(breaker, 'probe_hastened', { ...breaker, probeAt: now });
    case 'forced':
      if (event.to === 'CLOSED') return moved(breaker, 'forced_closed', CLOSED);
      return moved(breaker, 'forced_open', { ...CLOSED, openedAt: breaker.openedAt ?? now });
  }
}

function countFailure(breaker: Breaker, now: EpochMs): BreakerChange {
  const recent = breaker.failures.filter((at) => at > now - LIMITS.breakerWindowMs);
  const failures = [...recent, now];
  if (failures.length < LIMITS.breakerFailures) return moved(breaker, 'failure_counted', { ...CLOSED, failures });
  return moved(breaker, 'threshold_reached', { ...CLOSED, openedAt: now, probeAt: now + LIMITS.breakerCooldownMs });
}

function elect(breaker: Breaker, holder: string, now: EpochMs): BreakerChange | null {
  if (!probeIsDue(breaker, now)) return null;
  const holderUntil = now + LIMITS.breakerProbeLeaseMs;
  const on = breaker.state === 'OPEN' ? 'probe_elected' : 'holder_replaced';
  return moved(breaker, on, { ...breaker, probeAt: null, holder, holderUntil });
}

/** The cooldown is over, or whoever was to find out is gone. */
export function probeIsDue({ state, probeAt, holderUntil }: Breaker, now: EpochMs): boolean {
  if (state === 'OPEN') return probeAt !== null && now >= probeAt;
  return state === 'HALF_OPEN' && now >= (holderUntil ?? 0);
}

function holds({ state, holder }: Breaker, who: string): boolean {
  return state === 'HALF_OPEN' && holder === who;
}

function reopened(breaker: Breaker, on: 'probe_failed' | 'probe_withdrawn', now: EpochMs): BreakerChange {
  const probeAt = on === 'probe_failed' ? now + LIMITS.breakerCooldownMs : now;
  return moved(breaker, on, { ...CLOSED, openedAt: breaker.openedAt, probeAt });
}

function moved(breaker: Breaker, on: BreakerTrigger, next: Breaker): BreakerChange {
  return { on, breaker: { ...next, state: breakerTarget(breaker.state, on) } };
}

/**
 * What an answer says about the dependency, whatever it says about the operation. A refusal is an answer of something
 * that works. Asking for fewer calls, and our own trouble on the way, say neither.
 */
export function verdictOf(answer: Answer): 'up' | 'down' | 'neither' {
  if (answer.kind !== 'failure') return 'up';
  if (answer.code === 'EXT_THROTTLED' || answer.code === 'EXT_IN_PROGRESS') return 'neither';
  if (answer.code.startsWith('ORCH_')) return 'neither';
  return answer.code.startsWith('EXT_') || answer.mayHaveApplied ? 'down' : 'up';
}
