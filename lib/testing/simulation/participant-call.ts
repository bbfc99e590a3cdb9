/**
 * The way to a participant and back, as an adapter makes it: whatever happens on it is an answer within the call's
 * timeout, and never an error. Nobody stops a participant by not listening to it any more.
 */
import { type Answer, failure } from '../../core/answers.ts';
import type { CallEnvelope } from '../../ports.ts';
import type { Behind } from './behind.ts';
import type { Chance } from './chance.ts';
import type { FaultMode } from './faults.ts';
import { type Invocation, kill, runLater } from './invocation.ts';
import type { Timeline } from './timeline.ts';

const broken = failure('EXT_UNAVAILABLE', 'the connection broke', true);
const unreachable = failure('EXT_UNAVAILABLE', 'connection refused', false);
const throttled = failure('EXT_THROTTLED', 'too many requests', false, 3_000);
const noAnswer = failure('EXT_TIMEOUT', 'no answer in time', true);

export function callParticipant(behind: Behind, by: Invocation, envelope: CallEnvelope): Promise<Answer> {
  const { time, faults, chance } = behind;
  return new Promise((resolve) => {
    if (!by.alive) return;
    const site = behind.called(by, 'participants.call', envelope.jobId);
    behind.calling(by, envelope);
    const fault = faults.at(site);
    if (fault !== null) behind.fired(site, fault);
    const transitMs = chance.between(1, 20);
    let heard = false;
    const hear = (answer: Answer, ms = 0): void => {
      if (heard) return;
      heard = true;
      runLater(time, by, ms, () => {
        behind.answered(envelope);
        resolve(answer);
      });
    };
    const arrive = (ms: number, then: (answer: Answer) => void): void => {
      const landed = behind.sent(envelope);
      time.soon(ms, () => {
        landed();
        void behind.deliver(envelope).then(then);
      });
    };
    // Its own clock runs while the function stands still, and the answer is there when it goes on.
    runLater(time, by, envelope.call.timeoutMs, () => hear(noAnswer));
    const size = fault?.size ?? 0;
    const onItsWayMsMax = behind.transitMsMax(envelope);
    goWrong(fault?.mode ?? null, { time, by, chance, arrive, hear, transitMs, onItsWayMsMax, size });
  });
}

interface Way {
  readonly time: Timeline;
  readonly by: Invocation;
  readonly chance: Chance;
  readonly transitMs: number;
  /** How long a call may be on its way, that this participant can keep its promises. */
  readonly onItsWayMsMax: number;
  readonly size: number;
  arrive(ms: number, then: (answer: Answer) => void): void;
  hear(answer: Answer, ms?: number): void;
}

function goWrong(mode: FaultMode | null, way: Way): void {
  const { time, by, chance, arrive, hear, transitMs, onItsWayMsMax, size } = way;
  const onItsWayMs = Math.min(size, onItsWayMsMax);
  switch (mode) {
    case 'crash_before':
      kill(by);
      break;
    case 'crash_after':
      arrive(transitMs, () => kill(by));
      break;
    case 'error_before':
      hear(unreachable, transitMs);
      break;
    case 'throttle':
      hear(throttled, transitMs);
      break;
    case 'error_after':
      arrive(transitMs, () => hear(broken));
      break;
    case 'slow':
      // On its way there, or on its way back.
      if (chance.often(0.5)) arrive(onItsWayMs, hear);
      else arrive(transitMs, (answer) => runLater(time, by, size, () => hear(answer)));
      break;
    case 'duplicate':
      arrive(transitMs, hear);
      // One that does not know a call again is not called by a way that repeats it.
      if (onItsWayMsMax === Number.POSITIVE_INFINITY) arrive(transitMs + chance.between(1, 500), () => {});
      break;
    case 'pause_before':
      by.pausedUntil = time.now() + onItsWayMs;
      arrive(onItsWayMs + transitMs, hear);
      break;
    case 'pause_after':
      by.pausedUntil = time.now() + size;
      arrive(transitMs, hear);
      break;
    default:
      arrive(transitMs, hear);
  }
}
