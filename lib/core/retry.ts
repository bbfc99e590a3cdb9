/**
 * When to try again, as a value. `planRetry` knows nothing of clocks or luck: the random number is drawn outside.
 */
import type { RetryPolicy } from './errors.ts';

export type RetryPlan =
  | { readonly again: true; readonly delayMs: number }
  | { readonly again: false; readonly why: 'not_retryable' | 'attempts_spent' };

/** min(cap, base × multiplier^index), in milliseconds, before jitter. */
export function backoffMs(policy: RetryPolicy, attemptIndex: number): number {
  const seconds = policy.backoffBaseSeconds * policy.backoffMultiplier ** attemptIndex;
  return Math.round(Math.min(policy.maxBackoffSeconds, seconds) * 1_000);
}

/**
 * What follows the failure of attempt number `attemptIndex` (from 0).
 * @param random in [0, 1); full jitter waits that share of the whole delay, so that callers spread
 * @param retryAfterMs the participant's own wish: it wins when it is longer
 */
export function planRetry(policy: RetryPolicy, attemptIndex: number, random: number, retryAfterMs = 0): RetryPlan {
  if (!policy.retryable) return { again: false, why: 'not_retryable' };
  if (attemptIndex + 1 >= policy.maxAttempts) return { again: false, why: 'attempts_spent' };
  const whole = backoffMs(policy, attemptIndex);
  const jittered = policy.jitter === 'full' ? Math.floor(whole * random) : whole;
  return { again: true, delayMs: Math.max(jittered, retryAfterMs) };
}
