/** The way to whoever does the work. */
import type { Answer } from '../core/answers.ts';
import type { Call } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';

/** One call with what travels beside it. */
export interface CallEnvelope {
  readonly call: Call;
  readonly jobId: JobId;
  readonly callerId: string;
  readonly workflowVersion: number;
  readonly correlationId: string;
  readonly traceparent: string;
  readonly tracestate: string | null;
  /** With which the participant may answer later. */
  readonly callbackToken?: string;
}

export interface Participants {
  /**
   * Calls once and answers within `call.timeoutMs`; never throws for what the participant or the way to it did: that
   * is an answer. Whatever cannot be told apart from «applied» may have applied.
   */
  call(envelope: CallEnvelope): Promise<Answer>;
}
