/**
 * How large the functions and queues are by default. What bounds the system's behaviour is in core/limits.ts; this is
 * what it is given to run on. A team overrides concurrency; the relations between the numbers are asserted by a test.
 */
import { LIMITS } from '../core/limits.ts';

export interface FunctionSize {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

const SECOND = 1_000;

/** A Lambda gets CPU in proportion to its memory: at 512 MB importing a bundle takes a third of what it takes at 128. */
const MEMORY_MB = 512;

export const FUNCTIONS = {
  /** The longest wait (25 s) and what comes before and after it, within the 30 s that an HTTP API gives. */
  submit: { timeoutMs: 29 * SECOND, memoryMb: MEMORY_MB },
  operate: { timeoutMs: 15 * SECOND, memoryMb: MEMORY_MB },
  callback: { timeoutMs: 15 * SECOND, memoryMb: MEMORY_MB },
  dispatch: { timeoutMs: LIMITS.dispatchTimeoutMs, memoryMb: MEMORY_MB },
  compensate: { timeoutMs: LIMITS.dispatchTimeoutMs, memoryMb: MEMORY_MB },
  intake: { timeoutMs: 30 * SECOND, memoryMb: MEMORY_MB },
  /** Looks at up to a thousand jobs, a few milliseconds each; the next run is due in a minute. */
  watchdog: { timeoutMs: 55 * SECOND, memoryMb: MEMORY_MB },
  'dead-letter': { timeoutMs: 30 * SECOND, memoryMb: MEMORY_MB },
} as const satisfies Record<string, FunctionSize>;

/**
 * Waits for others nearly all of its time, and holds one request and one response: the longest call and a moment to say
 * what came of it. It runs beside the drivers that wait for it, so it needs no more at once than they.
 */
export const HTTP_WORKER = {
  timeoutMs: LIMITS.stepTimeoutMsMax + 5 * SECOND,
  memoryMb: MEMORY_MB,
  reserved: 20,
} as const;

export type FunctionName = keyof typeof FUNCTIONS;

export interface Concurrency {
  /** Taken out of the account's quota: never more, and never less than this for others' sake. */
  readonly reserved: number;
  /** What a queue may use of it, so that it never takes messages which nobody can work on. */
  readonly perQueue: number;
}

/** An account's own quota is 1,000 unless it is new; at least 100 of it must stay unreserved. */
export const CONCURRENCY = {
  /** More than its queue uses: waiting submits invoke it directly. */
  dispatch: { reserved: 60, perQueue: 40 },
  compensate: { reserved: 20, perQueue: 20 },
  intake: { reserved: 10, perQueue: 10 },
  /** Four queues with the least that an event source mapping takes. */
  'dead-letter': { reserved: 8, perQueue: 2 },
  /** Two at once would only do the same. */
  watchdog: { reserved: 1, perQueue: 1 },
} as const satisfies Partial<Record<FunctionName, Concurrency>>;

export type ConcurrencyOverrides = Partial<Record<keyof typeof CONCURRENCY, Concurrency>>;

/** A message is hidden for at least this long: what AWS advises, so that a throttled or slow run never doubles it. */
const VISIBILITY_TIMEOUTS = 6;

export function visibilityMs(size: FunctionSize, batchingWindowMs = 0): number {
  return VISIBILITY_TIMEOUTS * size.timeoutMs + batchingWindowMs;
}

/** Requests a second, and how many at once beyond that: a bound on cost, well above what the functions take. */
export const API_THROTTLE = { rateLimit: 500, burstLimit: 1_000 } as const;

/** Logs are for the investigation of last month; what must be kept is in the table. */
export const LOG_RETENTION_DAYS = 30;
