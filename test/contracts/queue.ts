/** What every queue does to its readers, and what timers and the bus add to it. Time comes from the test. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../lib/core/limits.ts';
import type { BusEvent, CommandQueue, EventBus, Message, QueueName, QueueReader, Timers } from '../../lib/ports.ts';
import { idOf, T0 } from './jobs.ts';
import { type Make, unique } from './support.ts';

export interface QueueUnderTest {
  readonly queue: CommandQueue & QueueReader;
  advance(ms: number): Promise<void>;
}

const VISIBILITY = 30_000;

export function queueContract(name: string, makeQueue: Make<QueueUnderTest>): void {
  describe(`${name}: queue`, () => {
    it('delivers a message whole, to the queue it was sent to', async () => {
      const { queue } = await makeQueue();
      const sent = [hint(), result()];
      for (const message of sent) await queue.send('dispatch', message, 0);
      expect(await queue.receive('compensate', 10, VISIBILITY)).toEqual([]);
      const received = await queue.receive('dispatch', 10, VISIBILITY);
      expect(messagesOf(received)).toEqual(expect.arrayContaining(sent));
      expect(received.map(({ receives }) => receives)).toEqual([1, 1]);
    });

    it('delivers nothing before its delay', async () => {
      const { queue, advance } = await makeQueue();
      await queue.send('dispatch', hint(), 5_000);
      await advance(4_999);
      expect(await queue.receive('dispatch', 10, VISIBILITY)).toEqual([]);
      await advance(1);
      expect(await queue.receive('dispatch', 10, VISIBILITY)).toHaveLength(1);
    });

    it('refuses a delay that no queue can hold', async () => {
      const { queue } = await makeQueue();
      await expect(queue.send('dispatch', hint(), LIMITS.queueDelayMsMax + 1)).rejects.toThrow();
      await queue.send('dispatch', hint(), LIMITS.queueDelayMsMax);
    });

    it('gives no more than asked for and leaves the rest', async () => {
      const { queue } = await makeQueue();
      for (let i = 0; i < 5; i += 1) await queue.send('dispatch', hint(), 0);
      expect(await queue.receive('dispatch', 3, VISIBILITY)).toHaveLength(3);
      expect(await queue.receive('dispatch', 3, VISIBILITY)).toHaveLength(2);
    });

    it('hides what was received for the visibility, then delivers it again and counts', async () => {
      const { queue, advance } = await makeQueue();
      const message = result();
      await queue.send('dispatch', message, 0);
      await queue.receive('dispatch', 10, VISIBILITY);
      await advance(VISIBILITY - 1);
      expect(await queue.receive('dispatch', 10, VISIBILITY)).toEqual([]);
      await advance(1);
      expect(await queue.receive('dispatch', 10, VISIBILITY)).toMatchObject([{ message, receives: 2 }]);
    });

    it('delivers what was removed no more', async () => {
      const { queue, advance } = await makeQueue();
      await queue.send('dispatch', hint(), 0);
      for (const { receipt } of await queue.receive('dispatch', 10, VISIBILITY))
        await queue.remove('dispatch', receipt);
      await advance(10 * VISIBILITY);
      expect(await queue.receive('dispatch', 10, VISIBILITY)).toEqual([]);
      expect(await queue.takeDeadLetters('dispatch', 10)).toEqual([]);
    });

    it('gives each message to one of many readers at a time', async () => {
      const { queue } = await makeQueue();
      const sent = Array.from({ length: 20 }, hint);
      for (const message of sent) await queue.send('dispatch', message, 0);
      const batches = await Promise.all(Array.from({ length: 10 }, () => queue.receive('dispatch', 5, VISIBILITY)));
      expect(keysOf(messagesOf(batches.flat()))).toEqual(keysOf(sent));
    });

    it('moves what was received too often to its dead-letter queue, and loses nothing', async () => {
      const { queue, advance } = await makeQueue();
      const message = result();
      await queue.send('compensate', message, 0);
      for (let i = 1; i <= LIMITS.messageMaxReceives; i += 1) {
        expect(await queue.receive('compensate', 10, VISIBILITY)).toMatchObject([{ receives: i }]);
        expect(await queue.takeDeadLetters('compensate', 10)).toEqual([]);
        await advance(VISIBILITY);
      }
      expect(await queue.receive('compensate', 10, VISIBILITY)).toEqual([]);
      expect(await queue.takeDeadLetters('dispatch', 10)).toEqual([]);
      expect(await queue.takeDeadLetters('compensate', 10)).toEqual([message]);
      expect(await queue.takeDeadLetters('compensate', 10)).toEqual([]);
    });
  });
}

export interface TimersUnderTest extends QueueUnderTest {
  readonly timers: Timers;
}

export function timersContract(name: string, makeTimers: Make<TimersUnderTest>): void {
  const HOUR = 3_600_000;
  const take = async (queue: QueueReader, from: QueueName = 'dispatch') => {
    const received = await queue.receive(from, 10, VISIBILITY);
    for (const { receipt } of received) await queue.remove(from, receipt);
    return messagesOf(received);
  };

  describe(`${name}: timers`, () => {
    it('send their message at their time, to their queue, not before', async () => {
      const { timers, queue, advance } = await makeTimers();
      const message = hint();
      await timers.arm({ name: unique('timer'), at: T0 + HOUR, queue: 'compensate', message });
      await advance(HOUR - 1);
      expect(await take(queue, 'compensate')).toEqual([]);
      await advance(1);
      expect(await take(queue, 'dispatch')).toEqual([]);
      expect(await take(queue, 'compensate')).toEqual([message]);
    });

    it('fire now when their time has passed', async () => {
      const { timers, queue, advance } = await makeTimers();
      const message = hint();
      await timers.arm({ name: unique('timer'), at: T0 - HOUR, queue: 'dispatch', message });
      await advance(0);
      expect(await take(queue)).toEqual([message]);
    });

    it('exist once under one name', async () => {
      const { timers, queue, advance } = await makeTimers();
      const timer = { name: unique('timer'), at: T0 + HOUR, queue: 'dispatch', message: hint() } as const;
      await Promise.all([timers.arm(timer), timers.arm(timer)]);
      await timers.arm(timer);
      await advance(2 * HOUR);
      expect(await take(queue)).toEqual([timer.message]);
      await advance(2 * HOUR);
      expect(await take(queue)).toEqual([]);
    });

    it('fire each in its turn', async () => {
      const { timers, queue, advance } = await makeTimers();
      const [first, second, third] = [hint(), hint(), hint()];
      await timers.arm({ name: unique('timer'), at: T0 + 3 * HOUR, queue: 'dispatch', message: third });
      await timers.arm({ name: unique('timer'), at: T0 + HOUR, queue: 'dispatch', message: first });
      await timers.arm({ name: unique('timer'), at: T0 + 2 * HOUR, queue: 'dispatch', message: second });
      for (const message of [first, second, third]) {
        await advance(HOUR);
        expect(await take(queue)).toEqual([message]);
      }
    });
  });
}

export interface BusUnderTest {
  readonly bus: EventBus;
  /** What subscribers have seen so far, oldest first. */
  seen(): Promise<readonly Pick<BusEvent, 'detailType' | 'detail' | 'time'>[]>;
}

export function busContract(name: string, makeBus: Make<BusUnderTest>): void {
  const event = (n: number): BusEvent => {
    const eventId = `${idOf('bus')}.${n}.completed`;
    return { eventId, detailType: 'signup:completed', detail: { event_id: eventId, output: { n } }, time: T0 + n };
  };

  describe(`${name}: bus`, () => {
    it('shows every event whole, in order of publication', async () => {
      const { bus, seen } = await makeBus();
      const events = [3, 1, 2].map(event);
      await bus.publish(events.slice(0, 2));
      await bus.publish([]);
      await bus.publish(events.slice(2));
      expect(await seen()).toEqual(
        events.map(({ detailType, detail, time }) => expect.objectContaining({ detailType, detail, time })),
      );
    });

    it('takes an event again without another order or another content of the first', async () => {
      const { bus, seen } = await makeBus();
      await bus.publish([event(1), event(2)]);
      await bus.publish([event(1)]);
      const ids = (await seen()).map(({ detail }) => detail.event_id);
      expect([...new Set(ids)]).toEqual([event(1).eventId, event(2).eventId]);
    });
  });
}

function hint(): Message {
  return { kind: 'hint', jobId: idOf(unique('key')), revision: 3, hops: 1 };
}

function result(): Message {
  const jobId = idOf(unique('key'));
  const answer = { kind: 'success', output: { tenant_id: 'ten_1', nested: [null, { a: 'ü' }] } } as const;
  const operationId = `${jobId}.tenant`;
  return {
    kind: 'result',
    jobId,
    result: { step: 'tenant', direction: 'do', operationId, attempt: 2, at: T0, answer },
  };
}

function messagesOf(received: readonly { readonly message: Message }[]): Message[] {
  return received.map(({ message }) => message);
}

function keysOf(messages: readonly Message[]): string[] {
  return messages.map(({ jobId }) => jobId).sort();
}
