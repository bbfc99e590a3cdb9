/**
 * The health of a dependency, from checks of its own. One bad check makes it degraded, some in a row offline; one good
 * check of an offline one makes it degraded, two in a row healthy: a single answer moves no traffic back and forth.
 */
import type { EpochMs } from './ids.ts';
import { LIMITS } from './limits.ts';

export type HealthStatus = 'healthy' | 'degraded' | 'offline';

export interface Health {
  /** As the last check left it. */
  readonly status: HealthStatus;
  readonly lastCheckedAt: EpochMs | null;
  readonly consecutiveFailures: number;
  readonly consecutiveSuccesses: number;
  readonly notes: string | null;
}

export const UNCHECKED: Health = {
  status: 'degraded',
  lastCheckedAt: null,
  consecutiveFailures: 0,
  consecutiveSuccesses: 0,
  notes: null,
};

export interface Check {
  readonly isUp: boolean;
  readonly notes: string | null;
}

export function checked(health: Health, { isUp, notes }: Check, now: EpochMs): Health {
  const consecutiveFailures = isUp ? 0 : health.consecutiveFailures + 1;
  const consecutiveSuccesses = isUp ? health.consecutiveSuccesses + 1 : 0;
  const first = health.lastCheckedAt === null;
  const status = isUp
    ? first || health.status === 'healthy' || consecutiveSuccesses >= LIMITS.healthSuccesses
      ? 'healthy'
      : 'degraded'
    : consecutiveFailures >= LIMITS.healthFailures || health.status === 'offline'
      ? 'offline'
      : 'degraded';
  return { status, lastCheckedAt: now, consecutiveFailures, consecutiveSuccesses, notes };
}

/** What is known of it now: news that are too old are no news. */
export function healthAt(health: Health, now: EpochMs): HealthStatus {
  const { status, lastCheckedAt } = health;
  return lastCheckedAt === null || now - lastCheckedAt > LIMITS.healthStaleMs ? 'degraded' : status;
}
