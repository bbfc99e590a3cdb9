/** When to try again: worked delays, and whose word wins. */
import { describe, expect, it } from 'vitest';
import { PREFIX_POLICIES, policyFor, type RetryPolicy, SAGA_POLICY, UNDO_POLICY } from '../../lib/core/errors.ts';
import { backoffMs, planRetry } from '../../lib/core/retry.ts';

const policy = (over: Partial<RetryPolicy> = {}): RetryPolicy => ({
  retryable: true,
  maxAttempts: 5,
  backoffBaseSeconds: 1,
  backoffMultiplier: 2,
  maxBackoffSeconds: 60,
  jitter: 'none',
  deadLetterOnExhaustion: true,
  ...over,
});

const delays = (one: RetryPolicy, random = 0, retryAfterMs = 0): (number | string)[] =>
  Array.from({ length: one.maxAttempts }, (_, index) => {
    const plan = planRetry(one, index, random, retryAfterMs);
    return plan.again ? plan.delayMs : plan.why;
  });

describe('planRetry', () => {
  it.each([
    ['the default of EXT_', policy(), [1_000, 2_000, 4_000, 8_000, 'attempts_spent']],
    ['a cap', policy({ maxBackoffSeconds: 3 }), [1_000, 2_000, 3_000, 3_000, 'attempts_spent']],
    ['a constant pace', policy({ backoffMultiplier: 1, maxAttempts: 3 }), [1_000, 1_000, 'attempts_spent']],
    ['a base above its cap', policy({ backoffBaseSeconds: 90, maxAttempts: 2 }), [60_000, 'attempts_spent']],
    ['fractions of a second', policy({ backoffBaseSeconds: 0.25, maxAttempts: 3 }), [250, 500, 'attempts_spent']],
    ['one attempt only', policy({ maxAttempts: 1 }), ['attempts_spent']],
    ['what is not retryable', policy({ retryable: false, maxAttempts: 2 }), ['not_retryable', 'not_retryable']],
  ])('waits by the formula: %s', (_name, one, expected) => {
    expect(delays(one)).toEqual(expected);
  });

  it.each([
    [0, [0, 0, 0, 0, 'attempts_spent']],
    [0.5, [500, 1_000, 2_000, 4_000, 'attempts_spent']],
    [0.999_999, [999, 1_999, 3_999, 7_999, 'attempts_spent']],
  ])('spreads over the whole delay with full jitter: drawn %s', (random, expected) => {
    expect(delays(policy({ jitter: 'full' }), random)).toEqual(expected);
  });

  it('lets the wish of the participant win where it is longer, also over the cap', () => {
    expect(delays(policy(), 0, 3_000)).toEqual([3_000, 3_000, 4_000, 8_000, 'attempts_spent']);
    expect(delays(policy({ maxAttempts: 2 }), 0, 120_000)).toEqual([120_000, 'attempts_spent']);
  });

  it('does not let that wish buy an attempt', () => {
    expect(planRetry(policy({ maxAttempts: 1 }), 0, 0, 5_000)).toEqual({ again: false, why: 'attempts_spent' });
  });

  it('never overflows: far attempts wait for the cap', () => {
    expect(backoffMs(policy(), 5_000)).toBe(60_000);
  });
});

describe('the policies', () => {
  const row = (code: string): (number | boolean)[] => {
    const { retryable, maxAttempts, backoffBaseSeconds, backoffMultiplier, maxBackoffSeconds } = policyFor(code, []);
    return [retryable, maxAttempts, backoffBaseSeconds, backoffMultiplier, maxBackoffSeconds];
  };

  it.each(['EXT_TIMEOUT', 'EXT_ANYTHING', 'ORCH_RETRYABLE_STORE'])('try %s five times: 1, ×2, cap 60', (code) => {
    expect(row(code)).toEqual([true, 5, 1, 2, 60]);
  });

  it.each(['DQ_X', 'LEGAL_X', 'CONTRACT_X', 'ORCH_DEADLINE_EXCEEDED', 'NOBODY_KNOWS', ''])('never retry %j', (code) => {
    expect(row(code).slice(0, 2)).toEqual([false, 1]);
  });

  it('try an undo ten times: 1, ×2, cap 300', () => {
    expect(UNDO_POLICY).toMatchObject({
      retryable: true,
      maxAttempts: 10,
      backoffBaseSeconds: 1,
      backoffMultiplier: 2,
    });
    expect(UNDO_POLICY.maxBackoffSeconds).toBe(300);
  });

  it('try a saga fewer times than a step, and further apart', () => {
    expect(SAGA_POLICY.maxAttempts).toBeLessThan(policyFor('EXT_X', []).maxAttempts);
    expect(SAGA_POLICY.backoffBaseSeconds).toBeGreaterThan(policyFor('EXT_X', []).backoffBaseSeconds);
  });

  it('list longer prefixes before the shorter ones they begin with', () => {
    const prefixes = PREFIX_POLICIES.map((one) => one.prefix);
    for (const [index, prefix] of prefixes.entries()) {
      expect(prefixes.slice(index + 1).filter((later) => later !== '' && later.startsWith(prefix))).toEqual([]);
    }
  });

  it('take the override of a code over that of its prefix, and of a narrower scope over a wider one', () => {
    const wide = { EXT_: { maxAttempts: 7, maxBackoffSeconds: 10 }, EXT_TIMEOUT: { maxAttempts: 8 } };
    expect(policyFor('EXT_TIMEOUT', [wide])).toMatchObject({ maxAttempts: 8, maxBackoffSeconds: 10 });
    expect(policyFor('EXT_OTHER', [wide])).toMatchObject({ maxAttempts: 7 });
    expect(policyFor('EXT_TIMEOUT', [wide, { EXT_TIMEOUT: { maxAttempts: 2 } }])).toMatchObject({
      maxAttempts: 2,
      maxBackoffSeconds: 10,
    });
    expect(policyFor('EXT_TIMEOUT', [wide, { EXT_: { maxAttempts: 3 } }]).maxAttempts).toBe(3);
  });

  it('can make a single code retryable, or no longer so', () => {
    expect(policyFor('DQ_LAG', [{ DQ_LAG: { retryable: true, maxAttempts: 3 } }])).toMatchObject({
      retryable: true,
      maxAttempts: 3,
    });
    expect(policyFor('EXT_GONE', [{ EXT_GONE: { retryable: false } }]).retryable).toBe(false);
  });

  it('are not changed by overrides', () => {
    policyFor('EXT_X', [{ EXT_: { maxAttempts: 99 } }]);
    expect(policyFor('EXT_X', []).maxAttempts).toBe(5);
  });

  it('do not mistake members of every object for overrides', () => {
    expect(policyFor('constructor', [{}])).toEqual(policyFor('NOBODY_KNOWS', []));
  });
});
