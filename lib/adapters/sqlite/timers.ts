/**
 * Timers in SQLite: rows by name, driven by whoever runs the process. A due timer becomes a message in the same
 * transaction that removes it, so a crash neither loses it nor keeps it for ever.
 */
import type { EpochMs } from '../../core/ids.ts';
import type { QueueName, Timers } from '../../ports.ts';
import type { Database } from './database.ts';
import { type MessageListener, SEND } from './queue.ts';

export interface SqliteTimers extends Timers {
  /** Moves at most `max` due timers, earliest first, into their queues; answers how many. */
  takeDue(now: EpochMs, max: number): Promise<number>;
  /** When the next timer is due; null: none is armed. */
  nextDueAt(): EpochMs | null;
}

export type TimerListener = (at: EpochMs) => void;

export function sqliteTimers(database: Database, onTimer: TimerListener, onMessage: MessageListener): SqliteTimers {
  const arm = database.prepare(
    'INSERT INTO timers (name, at, queue, message) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const due = database.prepare('SELECT name, queue, message FROM timers WHERE at <= ? ORDER BY at LIMIT ?');
  const disarm = database.prepare('DELETE FROM timers WHERE name = ?');
  const send = database.prepare(SEND);
  const next = database.prepare('SELECT min(at) AS at FROM timers');

  const nextDueAt = (): EpochMs | null => {
    const at = next.get()?.at;
    return at === undefined || at === null ? null : Number(at);
  };
  const fire = (now: EpochMs, max: number): string[] =>
    due.all(now, max).map((row) => {
      const queue = String(row.queue);
      send.run(queue, now, String(row.message));
      disarm.run(String(row.name));
      return queue;
    });

  return {
    arm: async ({ name, at, queue, message }) => {
      const body = JSON.stringify(message);
      await database.write(() => arm.run(name, at, queue, body));
      onTimer(at);
    },
    takeDue: async (now, max) => {
      if ((nextDueAt() ?? Number.POSITIVE_INFINITY) > now) return 0;
      const fired = await database.write(() => fire(now, max));
      for (const queue of new Set(fired)) onMessage(queue as QueueName, now);
      return fired.length;
    },
    nextDueAt,
  };
}
