/**
 * Brings parents what their children report: what is told in one turn of the event loop, or while an earlier fold is
 * under way, is folded in together. Nothing is kept: a parent looks for what it was not told.
 */
import type { ChildReport } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import type { Clock } from '../ports.ts';

/** A fold's write is through by then; what its driver does afterwards is not waited for. */
const FOLD_MS = 20;

export type Fold = (parent: JobId, reports: readonly ChildReport[]) => Promise<unknown>;

export function reportsFor(clock: Clock, fold: Fold): (parent: JobId, report: ChildReport) => void {
  const waiting = new Map<JobId, ChildReport[]>();

  const foldNext = (parent: JobId): void => {
    const reports = waiting.get(parent) ?? [];
    if (reports.length === 0) {
      waiting.delete(parent);
      return;
    }
    waiting.set(parent, []);
    let next: (() => void) | null = () => {
      next = null;
      stopClock();
      foldNext(parent);
    };
    const stopClock = clock.after(FOLD_MS, () => next?.());
    void fold(parent, reports).then(() => next?.());
  };

  return (parent, report) => {
    const others = waiting.get(parent);
    if (others !== undefined) {
      others.push(report);
      return;
    }
    waiting.set(parent, [report]);
    setImmediate(() => foldNext(parent));
  };
}
