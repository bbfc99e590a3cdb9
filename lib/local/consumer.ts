/**
 * Reads one queue as an event source mapping would: takes what is visible, a bounded number at once, and removes a
 * message only after it was dealt with. What a run that failed or crashed had in hand becomes visible again.
 */

import type { ReceivedOf, TableQueue } from '../adapters/sqlite/queue.ts';
import type { EpochMs } from '../core/ids.ts';
import type { Clock, Message, QueueName } from '../ports.ts';
import { alarm } from './alarm.ts';
import type { RunEnd } from './driver-pool.ts';

/** A queue that can say when to look again. */
export type WatchedQueue<N extends string = QueueName, M = Message> = Omit<TableQueue<N, M>, 'send'>;

export interface Consumer {
  /** Something can be received from then on. */
  wakeAt(time: EpochMs): void;
}

export interface ConsumerOptions<N extends string, M> {
  readonly queue: N;
  readonly reader: Pick<WatchedQueue<N, M>, 'receive' | 'remove' | 'nextVisibleAt'>;
  readonly clock: Clock;
  readonly visibilityMs: number;
  readonly handle: (received: ReceivedOf<M>) => Promise<RunEnd>;
  readonly failed: (error: unknown) => void;
}

/** Messages taken but not dealt with yet: enough to fill the drivers, few enough to come again after a crash. */
const TAKEN_MAX = 64;
const BATCH_MAX = 32;

export function consumer<N extends string, M>(options: ConsumerOptions<N, M>): Consumer {
  const { queue, reader, clock, visibilityMs, handle, failed } = options;
  let taken = 0;
  let reading = false;
  let again = false;

  const deal = async (received: ReceivedOf<M>): Promise<void> => {
    try {
      if ((await handle(received)) === 'done') await reader.remove(queue, received.receipt);
    } catch (error) {
      failed(error);
    }
    taken -= 1;
    // It was full, so there may be more.
    if (taken === TAKEN_MAX - 1) look();
  };

  const read = async (): Promise<void> => {
    while (taken < TAKEN_MAX) {
      const batch = await reader.receive(queue, Math.min(BATCH_MAX, TAKEN_MAX - taken), visibilityMs);
      taken += batch.length;
      for (const received of batch) void deal(received);
      if (batch.length === 0) break;
    }
    const next = reader.nextVisibleAt(queue);
    if (next !== null && next > clock.now()) bell.setAt(next);
  };

  const look = (): void => {
    again = reading;
    if (reading) return;
    reading = true;
    void read()
      .catch(failed)
      .then(() => {
        reading = false;
        if (again) look();
      });
  };

  const bell = alarm(clock, look);
  return { wakeAt: (time) => (time <= clock.now() ? look() : bell.setAt(time)) };
}
