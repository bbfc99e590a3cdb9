/**
 * A retry budget for each dependency and container: retries may be a fifth of the calls, plus a reserve. When a
 * dependency fails for everybody the reserve drains and retries are spread further, never refused.
 */
export interface RetryTokens {
  /** Every call earns a little. */
  called(dependency: string, isRetry: boolean): void;
  /** Extra delay for the next retry: 0 while tokens are left. */
  penaltyMs(dependency: string): number;
}

/** A burst of this many retries is ordinary life. */
const TOKENS_MAX = 100;
/** One retry for five calls keeps a failing dependency at 1.2 times its load. */
const EARNED_PER_CALL = 0.2;
/** Long enough to leave the driver, so that a waiting retry costs nothing. */
const PENALTY_MS = 5_000;

export function retryTokens(): RetryTokens {
  const left = new Map<string, number>();
  return {
    called(dependency, isRetry) {
      const tokens = left.get(dependency) ?? TOKENS_MAX;
      left.set(dependency, Math.min(TOKENS_MAX, tokens + EARNED_PER_CALL - (isRetry ? Math.min(1, tokens) : 0)));
    },
    penaltyMs: (dependency) => ((left.get(dependency) ?? TOKENS_MAX) >= 1 ? 0 : PENALTY_MS),
  };
}
