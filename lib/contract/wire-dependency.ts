/** A dependency as it is shown: its health as of now, its breaker, and how many jobs wait for it. */
import type { BreakerState } from '../core/breaker.ts';
import type { Dependency } from '../core/dependency.ts';
import { healthAt } from '../core/health.ts';
import type { EpochMs } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { isoTime } from './wire-time.ts';

export interface WireDependencyAction {
  readonly at: string;
  readonly action: 'opened' | 'closed';
  readonly actor: string;
  readonly reason: string;
}

export interface WireDependency {
  readonly dependency_id: string;
  readonly status: 'healthy' | 'degraded' | 'offline';
  readonly last_checked_at: string | null;
  readonly consecutive_failures: number;
  readonly notes: string | null;
  readonly breaker: BreakerState;
  readonly opened_at: string | null;
  readonly probe_at: string | null;
  readonly failures_in_window: number;
  readonly topics: readonly string[];
  /** As many as were found; a thousand means a thousand or more. */
  readonly parked_jobs: number;
  /** The newest turns of its breaker, newest first. */
  readonly log: readonly WireDependencyAction[];
}

interface Shown {
  readonly settings: { readonly topics: readonly string[] };
  readonly record: Dependency;
  readonly parkedJobs: number;
}

export function wireDependency({ settings, record, parkedJobs }: Shown, now: EpochMs): WireDependency {
  const { breaker, health } = record;
  const time = (at: EpochMs | null): string | null => (at === null ? null : isoTime(at));
  return {
    dependency_id: record.id,
    status: healthAt(health, now),
    last_checked_at: time(health.lastCheckedAt),
    consecutive_failures: health.consecutiveFailures,
    notes: health.notes,
    breaker: breaker.state,
    opened_at: time(breaker.openedAt),
    probe_at: time(breaker.state === 'HALF_OPEN' ? breaker.holderUntil : breaker.probeAt),
    failures_in_window: breaker.failures.filter((at) => at > now - LIMITS.breakerWindowMs).length,
    topics: settings.topics,
    parked_jobs: parkedJobs,
    log: record.log
      .map(({ at, what, actor, reason }) => ({ at: isoTime(at), action: what, actor, reason }))
      .toReversed(),
  };
}
