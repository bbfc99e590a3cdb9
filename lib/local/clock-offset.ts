/**
 * How far the clock was moved, kept in the file: time never goes back over a restart.
 */
import type { DatabaseSync } from 'node:sqlite';

export interface ClockOffset {
  readonly ms: number;
  save(ms: number): Promise<void>;
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS local_clock (id INTEGER PRIMARY KEY CHECK (id = 1), offset_ms INTEGER NOT NULL) STRICT`;
const SAVE = `
  INSERT INTO local_clock (id, offset_ms) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET offset_ms = excluded.offset_ms`;

export async function openClockOffset(
  write: <T>(work: (database: DatabaseSync) => T) => Promise<T>,
): Promise<ClockOffset> {
  const ms = await write((database) => {
    database.exec(TABLE);
    return Number(database.prepare('SELECT offset_ms FROM local_clock').get()?.offset_ms ?? 0);
  });
  return {
    ms,
    save: async (offsetMs) => {
      await write((database) => database.prepare(SAVE).run(Math.round(offsetMs)));
    },
  };
}
