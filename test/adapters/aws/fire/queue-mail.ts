/**
 * The messages of a run, in queues of a real engine: looked for whenever one may have become visible, delivered as an
 * event source mapping would, and counted, so that none is lost unseen.
 */
import { LIMITS } from '../../../../lib/core/limits.ts';
import type { Message, QueueName, Received } from '../../../../lib/ports.ts';
import type { Mail, MailCounts } from '../../../../lib/testing/simulation/mail.ts';
import type { Timeline } from '../../../../lib/testing/simulation/timeline.ts';
import type { NamedMessage, TestQueues } from '../queues.ts';

export interface QueueMail extends Mail {
  /** The engine has taken a message. */
  taken(queueUrl: string, delayMs: number): void;
}

export interface QueueMailOptions {
  readonly time: Timeline;
  readonly queues: TestQueues;
  /** Sends by the adapter, past all faults. */
  send(queue: QueueName, message: Message, delayMs: number): Promise<void>;
  deliver(queue: QueueName, received: Received): void;
  died(queue: QueueName, message: Message): void;
  failed(error: unknown): void;
}

/** As AWS advises: six times what one run may take. */
const VISIBILITY_MS = 6 * LIMITS.dispatchTimeoutMs;
/** The engine compares whole milliseconds. */
const JUST_AFTER_MS = 2;

const isWorn = ({ receives }: Received): boolean => receives >= LIMITS.messageMaxReceives;

export function queueMail({ time, queues, send, deliver, died, failed }: QueueMailOptions): QueueMail {
  const { reader, urls } = queues;
  const counts: MailCounts = { sent: 0, lost: 0, removed: 0, died: 0 };
  const dealtWith = new Map<string, readonly [QueueName, Message]>();
  /** By receipt, of which a message has one for each time it is received. */
  const inHand = new Map<string, NamedMessage>();
  const gone = new Set<string>();

  const look = (queue: QueueName, ms: number): void => {
    time.after(ms + JUST_AFTER_MS, () => void receive(queue).catch(failed));
  };
  const receive = async (queue: QueueName): Promise<void> => {
    const received = await reader.receive(queue, 10, VISIBILITY_MS);
    for (const one of received) {
      inHand.set(one.receipt, one);
      look(queue, VISIBILITY_MS);
      deliver(queue, one);
    }
    if ([...inHand.values()].some(isWorn)) await bury(queue);
  };
  const bury = async (queue: QueueName): Promise<void> => {
    for (const message of await reader.takeDeadLetters(queue, 10)) {
      const text = JSON.stringify(message);
      const found = [...inHand.values()].find((one) => isWorn(one) && JSON.stringify(one.message) === text);
      if (found !== undefined) gone.add(found.messageId);
      counts.died += 1;
      died(queue, message);
    }
  };
  return {
    send: async (queue, message, delayMs) => send(queue, message, delayMs),
    arm: () => Promise.reject(new Error('timers are armed at the scheduler')),
    remove: (queue, receipt) => {
      const received = inHand.get(receipt);
      if (received === undefined || gone.has(received.messageId)) return;
      gone.add(received.messageId);
      counts.removed += 1;
      dealtWith.set(JSON.stringify([queue, received.message]), [queue, received.message]);
      reader.remove(queue, receipt).catch(failed);
    },
    isEmpty: () => counts.sent === counts.lost + counts.removed + counts.died,
    dealtWith,
    counts,
    taken: (queueUrl, delayMs) => {
      counts.sent += 1;
      look(queueUrl === urls.dispatch ? 'dispatch' : 'compensate', delayMs);
    },
  };
}
