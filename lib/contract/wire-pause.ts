/** A pause as it is shown: what it holds, why, how many jobs wait for it, and how its release goes. */
import type { Pause } from '../core/pause.ts';
import { isoTime } from './wire-time.ts';

export interface WirePause {
  readonly pause_id: string;
  readonly scope: Pause['scope'];
  readonly value: string;
  readonly status: Pause['status'];
  readonly since: string;
  readonly reason: string;
  readonly actor: string;
  /** As many as were found; ten thousand means ten thousand or more. */
  readonly waiting_jobs: number;
  readonly release: {
    readonly rate_per_second: number;
    readonly started_at: string;
    readonly released_jobs: number;
    readonly failed_calls: number;
  } | null;
  /** Why a release ended before everything was released. */
  readonly stopped_reason: string | null;
  /** The newest things that happened to it, newest first. */
  readonly log: readonly {
    readonly at: string;
    readonly action: string;
    readonly actor: string;
    readonly reason: string;
  }[];
}

interface Shown {
  readonly pause: Pause;
  readonly waitingJobs: number;
}

export function wirePause({ pause, waitingJobs }: Shown): WirePause {
  const { release } = pause;
  return {
    pause_id: pause.id,
    scope: pause.scope,
    value: pause.value,
    status: pause.status,
    since: isoTime(pause.since),
    reason: pause.reason,
    actor: pause.by,
    waiting_jobs: waitingJobs,
    release:
      release === null
        ? null
        : {
            rate_per_second: release.ratePerSecond,
            started_at: isoTime(release.startedAt),
            released_jobs: release.released,
            failed_calls: release.failures,
          },
    stopped_reason: pause.stoppedReason,
    log: pause.log
      .map(({ at, what, actor, reason }) => ({ at: isoTime(at), action: what, actor, reason }))
      .toReversed(),
  };
}

/** What a release would do: nothing was changed. */
export type WireDryRun = WirePause & { readonly dry_run: true; readonly would_release: number };

export function wireDryRun(shown: Shown): WireDryRun {
  return { ...wirePause(shown), dry_run: true, would_release: shown.waitingJobs };
}
