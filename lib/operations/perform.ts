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

export interface Flight {
  readonly size: number;
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
  const answer =
    clock.now() > call.lastStartAt
      ? failure(
          'ORCH_RETRYABLE_STORE',
          'the write before the call took so long that its lease leaves no time for it',
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
        });
  if (engine.gates !== undefined) await observe(engine, job.jobId, call, answer);
  const { step, direction, operationId, attempt } = call;
  return { step, direction, operationId, attempt, at: clock.now(), answer };
}
