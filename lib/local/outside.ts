/**
 * The ways out of the process that embedded mode was told of: HTTP over real sockets, events on the bus in the file,
 * commands in a queue there.
 */
import { answerOf, type EnvelopeRequest, requestOf } from '../contract/envelope.ts';
import { eventCallOf, eventTaken } from '../contract/event-call.ts';
import type { LocalWays } from '../contract/local-ways.ts';
import { httpWorker } from '../outbound/worker.ts';
import type { CallEnvelope, Clock, EventBus } from '../ports.ts';
import type { Commands } from './commands.ts';
import type { Outside } from './participants.ts';

/** What embedded mode was told of the world outside. */
export interface World {
  readonly ways: LocalWays;
  /** What `secret:<name>` stands for. */
  readonly secrets: ReadonlyMap<string, string>;
}

export interface OutsideOptions extends World {
  readonly clock: Clock;
  readonly bus: EventBus;
  readonly commands: Pick<Commands, 'send'>;
  readonly onError: (error: unknown, target: string) => void;
}

export function outside({ ways, secrets, clock, bus, commands, onError }: OutsideOptions): Outside {
  const byTarget = new Map(ways.ways.map(({ target, by }) => [target, by]));
  const web = httpWorker({
    targets: ways.http,
    secrets: async (name) => {
      const text = secrets.get(name);
      if (text === undefined) throw new Error(`there is no secret ${name}`);
      return text;
    },
    now: () => clock.now(),
    onError,
  });
  return {
    by: (target) => byTarget.get(target) ?? null,
    http: async (envelope) => {
      const request: EnvelopeRequest = requestOf(envelope);
      const { target, timeoutMs } = envelope.call;
      return answerOf(await web({ target, request, timeoutMs }));
    },
    tell: async (envelope) => {
      const { detailType, eventId, detail } = eventCallOf(envelope);
      await bus.publish([{ eventId, detailType, detail, time: clock.now() }]);
      return { kind: 'success', output: eventTaken({ detailType, eventId, detail }) };
    },
    command: (envelope: CallEnvelope) => commands.send(envelope),
  };
}
