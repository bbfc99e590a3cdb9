/**
 * Commands of participants behind a queue, in the file like every message: each is worked on by the service in this
 * process, and its answer goes back as a result message. A command leaves the queue only once its result is sent.
 */
import type { Database } from '../adapters/sqlite/database.ts';
import { sqliteQueue } from '../adapters/sqlite/queue.ts';
import { commandOf, readCommand } from '../contract/commands.ts';
import type { Answer, EnvelopeRequest } from '../contract/envelope.ts';
import { LIMITS } from '../core/limits.ts';
import type { CallEnvelope, Clock, CommandQueue } from '../ports.ts';
import { consumer } from './consumer.ts';
import type { Outcome } from './fault-modes.ts';
import { type Life, methodsOf } from './mortal.ts';

export interface CommandsOptions {
  readonly database: Database;
  readonly life: Life;
  readonly clock: Clock;
  /** Takes the results. */
  readonly results: Pick<CommandQueue, 'send'>;
  /** What the participant makes of a command, with the faults that are armed for it; null: its answer is lost. */
  work(request: EnvelopeRequest): Promise<Outcome>;
  failed(error: unknown): void;
}

export interface Commands {
  /** Taken by the queue: what becomes of it comes by message. */
  send(envelope: CallEnvelope): Promise<Answer>;
  /** Looks for commands that an earlier life has left. */
  start(): void;
}

const COMMANDS = 'commands';
/** Longer than any call of a service in this process takes. */
const VISIBILITY_MS = LIMITS.stepTimeoutMsMax;

export function commands({ database, life, clock, results, work, failed }: CommandsOptions): Commands {
  const queue = sqliteQueue<typeof COMMANDS, EnvelopeRequest>(database, clock, (_queue, at) => readerOf.wakeAt(at));
  const { send, receive, remove } = methodsOf({ send: queue.send, receive: queue.receive, remove: queue.remove }, life);
  const readerOf = consumer({
    queue: COMMANDS,
    reader: { receive, remove, nextVisibleAt: queue.nextVisibleAt },
    clock,
    visibilityMs: VISIBILITY_MS,
    failed,
    handle: async ({ message }) => {
      const command = readCommand(message);
      const answer = command === null ? null : await work(message);
      if (command === null || answer === null) return 'done';
      // Another delivery is at work: its answer is the one to send.
      if (answer.kind === 'failure' && answer.code === 'EXT_IN_PROGRESS') return 'failed';
      const { jobId, ...named } = command;
      await results.send('dispatch', { kind: 'result', jobId, result: { ...named, at: clock.now(), answer } }, 0);
      return 'done';
    },
  });
  return {
    send: async (envelope) => {
      await send(COMMANDS, commandOf(envelope), 0);
      return { kind: 'accepted' };
    },
    start: () => readerOf.wakeAt(clock.now()),
  };
}
