/**
 * The ports that only go outwards, kept for tests to look at: what was published, logged and called.
 */
import type { Answer } from '../../core/answers.ts';
import type { BusEvent, CallEnvelope, EventBus, Log, Participants } from '../../ports.ts';

export interface RecordingBus extends EventBus {
  /** Everything published, repeats included, oldest first. */
  readonly published: readonly BusEvent[];
}

export function recordingBus(): RecordingBus {
  const published: BusEvent[] = [];
  return {
    published,
    publish: async (events) => {
      // Made for the bus, and nobody's to change.
      published.push(...events);
    },
  };
}

export interface LogLine {
  readonly level: Parameters<Log['write']>[0];
  readonly event: string;
  readonly fields: Parameters<Log['write']>[2];
}

export interface RecordingLog extends Log {
  readonly lines: readonly LogLine[];
}

export function recordingLog(): RecordingLog {
  const lines: LogLine[] = [];
  return {
    lines,
    write: (level, event, fields) => {
      lines.push({ level, event, fields: { ...fields } });
    },
  };
}

export interface RecordingParticipants extends Participants {
  readonly calls: readonly CallEnvelope[];
}

/** @param answer what the participants do; without it every call succeeds with an output of null */
export function recordingParticipants(
  answer: (envelope: CallEnvelope) => Answer | Promise<Answer> = () => ({ kind: 'success', output: null }),
): RecordingParticipants {
  const calls: CallEnvelope[] = [];
  return {
    calls,
    call: async (envelope) => {
      calls.push(envelope);
      return answer(envelope);
    },
  };
}
