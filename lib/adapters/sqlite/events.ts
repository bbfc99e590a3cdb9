/**
 * The bus of embedded mode: a table that keeps what was published. An event published again, after a crash, is still
 * the same event and stands where it stood.
 */

import type { EpochMs } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { EventBus } from '../../ports.ts';
import type { Database } from './database.ts';

const SOURCE = 'dacapo';

export interface PublishedEvent {
  readonly source: typeof SOURCE;
  readonly detailType: string;
  readonly detail: JsonObject;
  readonly time: EpochMs;
}

export interface SqliteBus extends EventBus {
  /** Everything published, oldest first. */
  published(): Promise<readonly PublishedEvent[]>;
}

export function sqliteBus(database: Database): SqliteBus {
  const insert = database.prepare(`
    INSERT INTO events (event_id, detail_type, time, detail) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const all = database.prepare('SELECT detail_type, time, detail FROM events ORDER BY position');
  return {
    publish: async (events) => {
      const rows = events.map((event) => ({ ...event, text: JSON.stringify(event.detail) }));
      if (rows.length === 0) return;
      await database.write(() => {
        for (const { eventId, detailType, time, text } of rows) insert.run(eventId, detailType, time, text);
      });
    },
    published: async () =>
      all.all().map((row) => ({
        source: SOURCE,
        detailType: String(row.detail_type),
        detail: JSON.parse(String(row.detail)),
        time: Number(row.time),
      })),
  };
}
