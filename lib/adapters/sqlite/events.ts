/**
 * The bus of embedded mode: a table that keeps what was published. An event published again, after a crash, is still
 * the same event and stands where it stood.
 */

import { STEP_EVENT_SOURCE } from '../../contract/event-names.ts';
import type { EpochMs } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { readOperationId } from '../../core/operation-id.ts';
import type { EventBus } from '../../ports.ts';
import type { Database } from './database.ts';

/** Of what is said about jobs; what a step says goes under its operation's id, and under a source of its own. */
const SOURCE = 'dacapo';

export interface PublishedEvent {
  readonly source: string;
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
  const all = database.prepare('SELECT event_id, detail_type, time, detail FROM events ORDER BY position');
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
        source: readOperationId(String(row.event_id)) === null ? SOURCE : STEP_EVENT_SOURCE,
        detailType: String(row.detail_type),
        detail: JSON.parse(String(row.detail)),
        time: Number(row.time),
      })),
  };
}
