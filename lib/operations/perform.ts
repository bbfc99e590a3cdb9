/**
 * The calls a driver has out, and their answers as they come. Answers that arrive together are handed on together, so
 * that a stage is folded in one write; one alone waits for its siblings no longer than `LIMITS.foldWindowMs`.
 */
import { failure } from '../core/answers.ts';
import type { Call, Result } from '../core/events.ts';
import type { EpochMs } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import type { Engine } from './engine.ts';
import { observe } from './observe.ts';
import { observeRelease } from './observe-release.ts';
import { tokenText } from './tokens.ts';

export interface Flight {
  readonly size: number;
  /** An answer is here and can be folded at once. */
  readonly hasArrived: boolean;
  start(job: Job, calls: readonly Call[]): void;
  /** Resolves with the answers that came, or with none when `until` is reached first. */
  arrivals(until: EpochMs): Promise<readonly Result[]>;
}

export function flight(engine: Engine): Flight {
  const { clock } = engine.ports;
  const arrived: Result[] = [];
  let out = 0;
  let wake: (() => void) | null = null;

  const land = (result: Result): void => {
    out -= 1;
    arrived.push(result);
    wake?.();
  };
  const nextLanding = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(Math.max(0, ms), resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });

  return {
    get size() {
      return out + arrived.length;
    },
    get hasArrived() {
      return arrived.length > 0;
    },
    start(job, calls) {
      for (const call of calls) {
        out += 1;
        void callOnce(engine, job, call)
          .finally(() => engine.limits?.give(call))
          .then(land);
      }
    },
    async arrivals(until) {
      if (arrived.length === 0) await nextLanding(until - clock.now());
      const windowEnd = clock.now() + LIMITS.foldWindowMs;
      while (arrived.length > 0 && out > 0 && clock.now() < windowEnd) await nextLanding(windowEnd - clock.now());
      wake = null;
      return arrived.splice(0);
    },
  };
}

async function callOnce(engine: Engine, job: Job, call: Call): Promise<Result> {
  const { participants, clock } = engine.ports;
  engine.tokens?.called(call.target, call.direction === 'do' && call.attempt > 1);
  const token = await tokenOf(engine, job, call);
  const answer =
    token === undefined || clock.now() > call.lastStartAt
      ? failure(
          'ORCH_RETRYABLE_STORE',
          'the call could not be prepared within the time that its lease leaves for it',
          false,
        )
      : await participants.call({
          call,
          jobId: job.jobId,
          callerId: job.callerId,
          workflowVersion: job.workflowVersion,
          correlationId: job.correlationId,
          traceparent: job.trace.traceparent,
          tracestate: job.trace.tracestate,
          ...(token === null ? {} : { callbackToken: token }),
        });
  if (engine.gates !== undefined) {
    await observe(engine, job.jobId, call, answer);
    await observeRelease(engine, job, call, answer);
  }
  const { step, direction, operationId, attempt } = call;
  return { step, direction, operationId, attempt, at: clock.now(), answer };
}

/** null: the call needs none; undefined: it cannot be made now, so the call is not. */
async function tokenOf(engine: Engine, job: Job, { token, step }: Call): Promise<string | null | undefined> {
  if (token === null) return null;
  try {
    return await tokenText(engine.ports.signer, job, token);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    engine.ports.log.write('error', 'signing_failed', { job_id: job.jobId, step, error: name });
    return undefined;
  }
}
