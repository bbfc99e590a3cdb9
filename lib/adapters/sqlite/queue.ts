/**
 * Queues in SQLite, with the manners of a real one: delays, visibility, redelivery, and a dead-letter queue for what
 * was received too often. A message leaves only by `remove` or into that queue, so a result outlives every crash.
 */

import type { EpochMs } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Clock, Message, QueueName } from '../../ports.ts';
import type { Database } from './database.ts';

/** Told after a message is stored, so that a reader in this process need not poll. */
export type MessageListener<N extends string = QueueName> = (queue: N, visibleAt: EpochMs) => void;

export interface ReceivedOf<M> {
  readonly message: M;
  readonly receipt: string;
  readonly receives: number;
}

/** Queues by name, whatever their messages say. */
export interface TableQueue<N extends string, M> {
  send(queue: N, message: M, delayMs: number): Promise<void>;
  receive(queue: N, max: number, visibilityMs: number): Promise<readonly ReceivedOf<M>[]>;
  remove(queue: N, receipt: string): Promise<void>;
  takeDeadLetters(queue: N, max: number): Promise<readonly M[]>;
  /** When the next message can be received; null: there is none. */
  nextVisibleAt(queue: N): EpochMs | null;
}

export type SqliteQueue = TableQueue<QueueName, Message>;

export const SEND = 'INSERT INTO messages (queue, visible_at, body) VALUES (?, ?, ?)';

export function sqliteQueue<N extends string = QueueName, M = Message>(
  database: Database,
  clock: Clock,
  onMessage: MessageListener<N>,
): TableQueue<N, M> {
  const send = database.prepare(SEND);
  const visible = database.prepare(`
    SELECT message_id, receives, body FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY visible_at LIMIT ?`);
  const hide = database.prepare('UPDATE messages SET receives = receives + 1, visible_at = ? WHERE message_id = ?');
  const remove = database.prepare('DELETE FROM messages WHERE message_id = ? AND queue = ?');
  const bury = database.prepare(`
    INSERT INTO dead_messages (message_id, queue, died_at, body) VALUES (?, ?, ?, ?)`);
  const exhume = database.prepare(`
    DELETE FROM dead_messages WHERE message_id IN
      (SELECT message_id FROM dead_messages WHERE queue = ? ORDER BY message_id LIMIT ?)
    RETURNING message_id, body`);
  const anyDead = database.prepare('SELECT 1 FROM dead_messages WHERE queue = ? LIMIT 1');
  const next = database.prepare('SELECT min(visible_at) AS at FROM messages WHERE queue = ?');

  /** Hides what it answers; what was received too often is buried instead. */
  const take = (queue: N, max: number, visibilityMs: number): ReceivedOf<M>[] => {
    const received: ReceivedOf<M>[] = [];
    const now = clock.now();
    for (const row of visible.all(queue, now, max)) {
      const id = Number(row.message_id);
      const receives = Number(row.receives) + 1;
      const body = String(row.body);
      if (receives > LIMITS.messageMaxReceives) {
        bury.run(id, queue, now, body);
        remove.run(id, queue);
      } else {
        hide.run(now + visibilityMs, id);
        received.push({ message: messageOf(body), receipt: String(id), receives });
      }
    }
    return received;
  };

  return {
    send: async (queue, message, delayMs) => {
      if (delayMs > LIMITS.queueDelayMsMax) {
        throw new RangeError(`a message cannot wait ${delayMs} ms in a queue: arm a timer for more than 900 s`);
      }
      const visibleAt = clock.now() + Math.max(0, delayMs);
      const body = JSON.stringify(message);
      await database.write(() => send.run(queue, visibleAt, body));
      onMessage(queue, visibleAt);
    },
    receive: async (queue, max, visibilityMs) => {
      // An empty queue is looked at often and must not cost a commit.
      if (visible.get(queue, clock.now(), 1) === undefined) return [];
      return database.write(() => take(queue, max, visibilityMs));
    },
    remove: async (queue, receipt) => {
      await database.write(() => remove.run(Number(receipt), queue));
    },
    takeDeadLetters: async (queue, max) => {
      if (anyDead.get(queue) === undefined) return [];
      const rows = await database.write(() => exhume.all(queue, max));
      rows.sort((a, b) => Number(a.message_id) - Number(b.message_id));
      return rows.map((row) => messageOf(String(row.body)));
    },
    nextVisibleAt: (queue) => {
      const at = next.get(queue)?.at;
      return at === undefined || at === null ? null : Number(at);
    },
  };
}

/** Whoever had messages in hand is gone: they come again at once, and not when their time to be hidden is over. */
export async function releaseMessages({ write }: Pick<Database, 'write'>, now: EpochMs): Promise<void> {
  await write((database) =>
    database.prepare('UPDATE messages SET visible_at = ? WHERE receives > 0 AND visible_at > ?').run(now, now),
  );
}

function messageOf<M>(body: string): M {
  return JSON.parse(body);
}
