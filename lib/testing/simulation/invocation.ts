/**
 * One run of a function. It ends, or dies: then nothing of it moves any more. While it stands still, what comes for it
 * waits, and it goes on from there as if no time had passed.
 */
import type { EpochMs } from '../../core/ids.ts';
import type { Timeline } from './timeline.ts';

export type FunctionName = 'submit' | 'dispatch' | 'compensate' | 'watchdog' | 'dead-letter' | 'operate' | 'read';

export interface Invocation {
  readonly id: number;
  readonly name: FunctionName;
  /** The job it is about, if it is about one. */
  readonly jobId: string | null;
  /** How far its machine's clock is off. */
  readonly skewMs: number;
  alive: boolean;
  pausedUntil: EpochMs;
  /** What has to be let go of when it ends or dies. */
  over: () => void;
}

export function kill(invocation: Invocation): void {
  if (!invocation.alive) return;
  invocation.alive = false;
  invocation.over();
}

/** Runs the action for it after a while: never when it is dead, later when it stands still. */
export function runLater(time: Timeline, invocation: Invocation, ms: number, action: () => void): () => void {
  let cancel = (): void => {};
  const come = (): void => {
    if (!invocation.alive) return;
    const wait = invocation.pausedUntil - time.now();
    if (wait > 0) cancel = time.after(wait, come);
    else action();
  };
  cancel = time.after(ms, come);
  return () => cancel();
}
