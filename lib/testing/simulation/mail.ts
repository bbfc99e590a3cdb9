/**
 * Queues and timers as they really come: late, in another order, twice, or now and then not at all. What is received is
 * hidden for a while and comes again unless it is removed; what was received too often goes to the dead-letter
 * function, and comes again there too. Counts what was sent and what became of it.
 */
import { memoryQueue, memoryTimers } from '../../adapters/memory/queue.ts';
import { LIMITS } from '../../core/limits.ts';
import type { CommandQueue, Message, QueueName, Received, Timers } from '../../ports.ts';
import type { Chance } from './chance.ts';
import type { Fault } from './faults.ts';
import type { Timeline } from './timeline.ts';

export interface Mail {
  send(queue: QueueName, message: Message, delayMs: number, fault?: Fault | null): Promise<void>;
  arm(timer: Parameters<Timers['arm']>[0], fault: Fault | null): Promise<void>;
  /** Lets go of a message for good. */
  remove(queue: QueueName, receipt: string): void;
  isEmpty(): boolean;
  /** Every message that was dealt with, once each. */
  readonly dealtWith: ReadonlyMap<string, readonly [QueueName, Message]>;
  readonly counts: Readonly<MailCounts>;
}

export interface MailCounts {
  sent: number;
  lost: number;
  removed: number;
  died: number;
}

export interface MailOptions {
  readonly time: Timeline;
  readonly chance: Chance;
  /** Takes delivery of a message. */
  deliver(queue: QueueName, received: Received): void;
  /** Takes what a queue gave up on. */
  died(queue: QueueName, message: Message): void;
}

/** As AWS advises: six times what one run may take. */
const VISIBILITY_MS = 6 * LIMITS.dispatchTimeoutMs;

/** From send to receive, where nothing is wrong. */
const TRANSIT_MS_MAX = 50;

export function mail({ time, chance, deliver, died }: MailOptions): Mail {
  const queues = memoryQueue(time);
  const counts: MailCounts = { sent: 0, lost: 0, removed: 0, died: 0 };
  const dealtWith = new Map<string, readonly [QueueName, Message]>();
  /** Received and not removed yet, with how often. */
  const inHand = new Map<string, Received>();

  const look = (queue: QueueName, ms: number): void => {
    time.after(ms, () => void receive(queue));
  };
  const bury = (queue: QueueName, message: Message): void => {
    counts.died += 1;
    const text = JSON.stringify(message);
    const found = [...inHand].find(
      ([, one]) => one.receives >= LIMITS.messageMaxReceives && JSON.stringify(one.message) === text,
    );
    if (found !== undefined) inHand.delete(found[0]);
    died(queue, message);
  };
  const receive = async (queue: QueueName): Promise<void> => {
    const [received] = await queues.receive(queue, 1, VISIBILITY_MS);
    for (const message of await queues.takeDeadLetters(queue, 10)) bury(queue, message);
    if (received === undefined) return;
    inHand.set(`${queue} ${received.receipt}`, received);
    look(queue, VISIBILITY_MS);
    deliver(queue, received);
  };
  const put: CommandQueue['send'] = async (queue, message, delayMs) => {
    const ms = Math.min(Math.ceil(delayMs) + chance.between(1, TRANSIT_MS_MAX), LIMITS.queueDelayMsMax);
    await queues.send(queue, message, ms);
    look(queue, ms);
  };
  const send: Mail['send'] = async (queue, message, delayMs, fault = null) => {
    counts.sent += 1;
    if (fault?.mode === 'lose') counts.lost += 1;
    else await put(queue, message, fault?.mode === 'delay' ? delayMs + fault.size : delayMs);
  };
  const timers = memoryTimers(time, { send: (queue, message, delayMs) => send(queue, message, delayMs) });

  return {
    send,
    arm: async (timer, fault) => {
      if (fault?.mode === 'lose') return;
      await timers.arm(fault?.mode === 'delay' ? { ...timer, at: Math.max(timer.at, time.now()) + fault.size } : timer);
    },
    remove: (queue, receipt) => {
      const received = inHand.get(`${queue} ${receipt}`);
      if (received !== undefined) {
        counts.removed += 1;
        inHand.delete(`${queue} ${receipt}`);
        dealtWith.set(JSON.stringify([queue, received.message]), [queue, received.message]);
      }
      void queues.remove(queue, receipt);
    },
    isEmpty: () => queues.nextVisibleAt('dispatch') === null && queues.nextVisibleAt('compensate') === null,
    dealtWith,
    counts,
  };
}
