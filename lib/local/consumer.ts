/**
 * Reads one queue as an event source mapping would: takes what is visible, a bounded number at once, and removes a
 * message only after it was dealt with. A run that crashed leaves its message to become visible again.
 */
import type { QueueName, QueueReader, Received } from '../ports.ts';
import type { RunEnd } from './driver-pool.ts';

export interface Consumer {
  /** Looks now: something was sent, or time has passed. */
  wake(): void;
}

/** Messages taken but not dealt with yet: enough to fill the drivers, few enough to be lost to a crash and come again. */
const TAKEN_MAX = 64;
const BATCH_MAX = 32;

export function consumer(
  reader: QueueReader,
  queue: QueueName,
  visibilityMs: number,
  handle: (received: Received) => Promise<RunEnd>,
  failed: (error: unknown, received: Received | null) => void,
): Consumer {
  let taken = 0;
  let reading = false;
  let again = false;

  const deal = async (received: Received): Promise<void> => {
    try {
      if ((await handle(received)) === 'done') await reader.remove(queue, received.receipt);
    } catch (error) {
      failed(error, received);
    }
    taken -= 1;
    // Whoever was turned away for want of room may look again.
    if (taken === TAKEN_MAX - 1) wake();
  };

  const read = async (): Promise<void> => {
    while (taken < TAKEN_MAX) {
      const batch = await reader.receive(queue, Math.min(BATCH_MAX, TAKEN_MAX - taken), visibilityMs);
      if (batch.length === 0) return;
      taken += batch.length;
      for (const received of batch) void deal(received);
    }
  };

  const wake = (): void => {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    again = false;
    void read()
      .catch((error: unknown) => failed(error, null))
      .then(() => {
        reading = false;
        if (again) wake();
      });
  };

  return { wake };
}
