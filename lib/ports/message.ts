/** What lies in the command queues. */
import type { ChildReport, Result } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';

/**
 * A hint says «look at this job» and may be lost; a result carries an answer and may not. Hints of one lane take turns
 * with those of others; one without is in nobody's way.
 */
export type Message =
  | {
      readonly kind: 'hint';
      readonly jobId: JobId;
      readonly revision: number;
      readonly hops: number;
      readonly lane?: string | undefined;
    }
  | { readonly kind: 'result'; readonly jobId: JobId; readonly result: Result }
  /** For a parent. May be lost: it looks for what it is not told. */
  | { readonly kind: 'reports'; readonly jobId: JobId; readonly reports: readonly ChildReport[] };
