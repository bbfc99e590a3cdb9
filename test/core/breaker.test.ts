/** The breaker: what opens it, who finds out whether the dependency is back, what closes it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failure } from '../../lib/core/answers.ts';
import {
  BREAKER_STATES,
  BREAKER_TRANSITIONS,
  type Breaker,
  type BreakerEvent,
  CLOSED,
  changeBreaker,
  probeIsDue,
  verdictOf,
} from '../../lib/core/breaker.ts';
import { newDependency, passOf, told, untold, withBreaker, withSlots } from '../../lib/core/dependency.ts';
import { checked, healthAt, UNCHECKED } from '../../lib/core/health.ts';
import { jobIdOf } from '../../lib/core/ids.ts';
import { LIMITS } from '../../lib/core/limits.ts';

const T0 = 1_800_000_000_000;
const SECOND = 1_000;
const afterEvent = (breaker: Breaker, event: BreakerEvent, at: number): Breaker =>
  changeBreaker(breaker, event, at)?.breaker ?? breaker;
const failing = (times: readonly number[], from: Breaker = CLOSED): Breaker =>
  times.reduce((breaker, at) => afterEvent(breaker, { type: 'failed' }, T0 + at), from);
const open = failing([0, 1, 2, 3, 4]);
const PROBE_AT = T0 + 4 + LIMITS.breakerCooldownMs;
const half = afterEvent(open, { type: 'elect', holder: 'j1' }, PROBE_AT);

describe('a breaker', () => {
  it('opens at the fifth failure within a minute, not at five that are further apart', () => {
    expect(failing([0, 1, 2, 3]).state).toBe('CLOSED');
    expect(open).toMatchObject({ state: 'OPEN', openedAt: T0 + 4, probeAt: PROBE_AT, failures: [] });
    expect(failing([0, 1, 2, 3, LIMITS.breakerWindowMs + 1]).state).toBe('CLOSED');
    expect(failing([0, 20, 40, 60, 80, 100].map((s) => s * SECOND)).state).toBe('CLOSED');
  });

  it('elects one holder when its cooldown is over, and nobody else before that one is gone', () => {
    expect(changeBreaker(open, { type: 'elect', holder: 'j1' }, PROBE_AT - 1)).toBeNull();
    expect(half).toMatchObject({
      state: 'HALF_OPEN',
      holder: 'j1',
      holderUntil: PROBE_AT + LIMITS.breakerProbeLeaseMs,
    });
    expect(changeBreaker(half, { type: 'elect', holder: 'j2' }, PROBE_AT + LIMITS.breakerProbeLeaseMs - 1)).toBeNull();
    const replaced = afterEvent(half, { type: 'elect', holder: 'j2' }, PROBE_AT + LIMITS.breakerProbeLeaseMs);
    expect(replaced).toMatchObject({ state: 'HALF_OPEN', holder: 'j2' });
    expect(changeBreaker(replaced, { type: 'probed', holder: 'j1', isUp: true }, PROBE_AT)).toBeNull();
  });

  it('closes by a probe that worked, and cools down again from one that did not', () => {
    expect(afterEvent(half, { type: 'probed', holder: 'j1', isUp: true }, PROBE_AT + 1)).toEqual(CLOSED);
    const again = afterEvent(half, { type: 'probed', holder: 'j1', isUp: false }, PROBE_AT + 7);
    expect(again).toMatchObject({ state: 'OPEN', probeAt: PROBE_AT + 7 + LIMITS.breakerCooldownMs, openedAt: T0 + 4 });
    expect(probeIsDue(afterEvent(half, { type: 'withdrawn', holder: 'j1' }, PROBE_AT + 7), PROBE_AT + 7)).toBe(true);
  });

  it('is not moved by failures that come late, nor by a success that is no probe', () => {
    expect(changeBreaker(open, { type: 'failed' }, T0 + 9)).toBeNull();
    expect(changeBreaker(half, { type: 'failed' }, PROBE_AT)).toBeNull();
    expect(changeBreaker(open, { type: 'probed', holder: 'j1', isUp: true }, T0 + 9)).toBeNull();
  });

  it('that a person opened stays so until a person closes it', () => {
    const forced = afterEvent(CLOSED, { type: 'forced', to: 'OPEN' }, T0);
    expect(forced).toMatchObject({ state: 'OPEN', probeAt: null });
    expect(changeBreaker(forced, { type: 'elect', holder: 'j1' }, T0 + 365 * 86_400 * SECOND)).toBeNull();
    for (const breaker of [forced, open, half, CLOSED]) {
      expect(afterEvent(breaker, { type: 'forced', to: 'CLOSED' }, T0)).toEqual(CLOSED);
    }
  });

  it('never has two holders, whatever comes in whatever order', () => {
    const holder = fc.constantFrom('j1', 'j2', 'j3');
    const event: fc.Arbitrary<BreakerEvent> = fc.oneof(
      fc.constant<BreakerEvent>({ type: 'failed' }),
      holder.map((one): BreakerEvent => ({ type: 'elect', holder: one })),
      fc.tuple(holder, fc.boolean()).map(([one, isUp]): BreakerEvent => ({ type: 'probed', holder: one, isUp })),
      holder.map((one): BreakerEvent => ({ type: 'withdrawn', holder: one })),
      fc.constantFrom<('OPEN' | 'CLOSED')[]>('OPEN', 'CLOSED').map((to): BreakerEvent => ({ type: 'forced', to })),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.nat({ max: 40 * SECOND })), { maxLength: 60 }), (events) => {
        let [breaker, now]: [Breaker, number] = [CLOSED, T0];
        for (const [one, ms] of events) {
          now += ms;
          const change = changeBreaker(breaker, one, now);
          if (change === null) continue;
          const took = change.breaker.holder !== null && change.breaker.holder !== breaker.holder;
          if (took && breaker.state === 'HALF_OPEN') expect(now).toBeGreaterThanOrEqual(breaker.holderUntil ?? 0);
          expect(BREAKER_TRANSITIONS).toContainEqual(
            expect.objectContaining({ from: breaker.state, on: change.on, to: change.breaker.state }),
          );
          expect((change.breaker.state === 'HALF_OPEN') === (change.breaker.holder !== null)).toBe(true);
          breaker = change.breaker;
        }
      }),
    );
  });

  it('has a way into and out of every state', () => {
    for (const state of BREAKER_STATES) {
      expect(BREAKER_TRANSITIONS.some(({ from, to }) => to === state && from !== state)).toBe(true);
    }
  });
});

describe('an answer', () => {
  it.each([
    [{ kind: 'success', output: 1 }, 'up'],
    [{ kind: 'accepted' }, 'up'],
    [failure('CONTRACT_CONFLICT', '', false), 'up'],
    [failure('DQ_BAD', '', false), 'up'],
    [failure('EXT_UNAVAILABLE', '', false), 'down'],
    [failure('EXT_TIMEOUT', '', true), 'down'],
    [failure('STRANGE', '', true), 'down'],
    [failure('EXT_THROTTLED', '', false), 'neither'],
    [failure('EXT_IN_PROGRESS', '', true), 'neither'],
    [failure('ORCH_RETRYABLE_STORE', '', false), 'neither'],
  ] as const)('%j says %s', (answer, verdict) => {
    expect(verdictOf(answer)).toBe(verdict);
  });
});

describe('health', () => {
  const check = (isUp: boolean) => ({ isUp, notes: isUp ? null : 'no answer' });
  const run = (...ups: readonly boolean[]) =>
    ups.reduce((health, isUp, at) => checked(health, check(isUp), T0 + at), UNCHECKED);

  it('moves by several checks in a row, not by one', () => {
    const statuses = (...ups: readonly boolean[]) => ups.map((_, at) => run(...ups.slice(0, at + 1)).status);
    expect(statuses(true, false, true, true)).toEqual(['healthy', 'degraded', 'degraded', 'healthy']);
    expect(statuses(false, false, false, true, true)).toEqual([
      'degraded',
      'degraded',
      'offline',
      'degraded',
      'healthy',
    ]);
    expect(run(false, false)).toMatchObject({ consecutiveFailures: 2, notes: 'no answer' });
  });

  it('that nobody asked about lately counts as degraded', () => {
    expect(healthAt(UNCHECKED, T0)).toBe('degraded');
    expect(healthAt(run(true), T0 + LIMITS.healthStaleMs)).toBe('healthy');
    expect(healthAt(run(true), T0 + LIMITS.healthStaleMs + 1)).toBe('degraded');
    expect(healthAt(run(false, false, false), T0 + LIMITS.healthStaleMs + 3)).toBe('degraded');
  });
});

describe('a dependency', () => {
  const [j1, j2] = [jobIdOf('c', 't', '1'), jobIdOf('c', 't', '2')];
  const made = { ...newDependency('payment'), revision: 1 };
  const by = { actor: 'orchestrator:dispatch', reason: 'failed', byPerson: false };

  it('lets all through, or nobody, or who holds the probe', () => {
    const pass = (breaker: Breaker, jobId = j1, now = PROBE_AT) => passOf({ ...made, breaker }, jobId, now).pass;
    const held = { ...half, holder: j1 };
    expect([pass(CLOSED), pass(open), pass(held), pass(held, j2)]).toEqual(['free', 'held', 'probe', 'held']);
    expect(pass(held, j1, held.holderUntil ?? 0)).toBe('held');
    expect(passOf(undefined, j1, T0).pass).toBe('free');
    const bad = { isUp: false, notes: null };
    const offline = [1, 2, 3].reduce((health) => checked(health, bad, T0), UNCHECKED);
    expect(passOf({ ...made, health: offline }, j1, T0)).toEqual({ pass: 'held', by: 'dependency:payment' });
    expect(passOf({ ...made, health: checked(UNCHECKED, bad, T0) }, j1, T0).pass).toBe('degraded');
  });

  it('tells of each turn once, and of every act of a person', () => {
    const opened = [0, 1, 2, 3, 4].reduce((d, at) => withBreaker(d, { type: 'failed' }, by, T0 + at) ?? d, made);
    expect(untold(opened)).toMatchObject([{ seq: 0, what: 'opened', reason: 'failed' }]);
    const probing = withBreaker(opened, { type: 'elect', holder: 'j1' }, by, PROBE_AT) ?? opened;
    const failed = withBreaker(probing, { type: 'probed', holder: 'j1', isUp: false }, by, PROBE_AT) ?? probing;
    expect(untold(failed)).toHaveLength(1);
    const ann = { actor: 'operator:ann', reason: 'fixed', byPerson: true };
    const closed = withBreaker(told(failed, 0), { type: 'forced', to: 'CLOSED' }, ann, PROBE_AT) ?? failed;
    expect(untold(closed)).toMatchObject([{ seq: 1, what: 'closed', byPerson: true }]);
    expect(closed.revision).toBe(made.revision + 9);
  });

  it('gives out slots one after another, however many ask at once', () => {
    const first = withSlots(made, 10, 50, T0);
    const second = withSlots(first.dependency, 5, 50, T0 + 1);
    expect([first.from, second.from, second.dependency.releasedUntil]).toEqual([T0, T0 + 200, T0 + 300]);
    expect(withSlots(second.dependency, 1, 50, T0 + 999).from).toBe(T0 + 999);
  });
});
