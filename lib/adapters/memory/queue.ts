/**
 * Queues in memory, with what a real one does to its readers: delays, visibility, redelivery, and a dead-letter queue
 * for what was received too often. Timers lie beside it, since all they do is send.
 */
import type { EpochMs } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Clock, CommandQueue, Message, QueueName, QueueReader, Timers } from '../../ports.ts';

interface Held {
  readonly text: string;
  readonly visibleAt: EpochMs;
  readonly receives: number;
}

export interface MemoryQueue extends CommandQueue, QueueReader {
  /** When the next message can be received; null: there is none. */
  nextVisibleAt(queue: QueueName): EpochMs | null;
}

export function memoryQueue(clock: Clock): MemoryQueue {
  /** In order of sending, by receipt. */
  const live: Record<QueueName, Map<string, Held>> = { dispatch: new Map(), compensate: new Map() };
  const dead: Record<QueueName, string[]> = { dispatch: [], compensate: [] };
  let sent = 0;

  /** What has been visible for longest; of equals, what was sent first. */
  const earliest = (queue: QueueName): [string, Held] | null => {
    let found: [string, Held] | null = null;
    for (const one of live[queue]) {
      const at = one[1].visibleAt;
      if (at <= clock.now() && (found === null || at < found[1].visibleAt)) found = one;
    }
    return found;
  };

  return {
    send: async (queue, message, delayMs) => {
      if (delayMs > LIMITS.queueDelayMsMax) {
        throw new RangeError(`a message cannot wait ${delayMs} ms in a queue: arm a timer for more than 900 s`);
      }
      sent += 1;
      const visibleAt = clock.now() + Math.max(0, delayMs);
      live[queue].set(`m${sent}`, { text: JSON.stringify(message), visibleAt, receives: 0 });
    },
    receive: async (queue, max, visibilityMs) => {
      const received = [];
      for (let next = earliest(queue); next !== null && received.length < max; next = earliest(queue)) {
        const [receipt, held] = next;
        if (held.receives >= LIMITS.messageMaxReceives) {
          live[queue].delete(receipt);
          dead[queue].push(held.text);
          continue;
        }
        const receives = held.receives + 1;
        live[queue].set(receipt, { text: held.text, visibleAt: clock.now() + visibilityMs, receives });
        received.push({ message: messageOf(held.text), receipt, receives });
      }
      return received;
    },
    remove: async (queue, receipt) => {
      live[queue].delete(receipt);
    },
    takeDeadLetters: async (queue, max) => dead[queue].splice(0, max).map(messageOf),
    nextVisibleAt: (queue) => {
      const times = [...live[queue].values()].map((held) => held.visibleAt);
      return times.length === 0 ? null : Math.min(...times);
    },
  };
}

function messageOf(text: string): Message {
  return JSON.parse(text);
}

/** Armed on the clock; a name stands for one timer until it has fired. */
export function memoryTimers(clock: Clock, commands: CommandQueue): Timers {
  const armed = new Set<string>();
  return {
    arm: async ({ name, at, queue, message }) => {
      if (at <= clock.now()) return commands.send(queue, message, 0);
      if (armed.has(name)) return;
      armed.add(name);
      clock.after(at - clock.now(), () => {
        armed.delete(name);
        void commands.send(queue, message, 0);
      });
    },
  };
}
