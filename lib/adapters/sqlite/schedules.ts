/** Schedules in SQLite: the document, and columns for what is searched by. The condition of a write is in its own WHERE. */
import { scheduleFromJson, scheduleToJson } from '../../contract/stored-schedule.ts';
import type { ScheduleStore, Wakeups } from '../../ports.ts';
import type { Database } from './database.ts';

export function sqliteSchedules(database: Database): ScheduleStore {
  const insert = database.prepare(`
    INSERT INTO schedules (name, revision, look_at, removed_at, document) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const update = database.prepare(`
    UPDATE schedules SET revision = ?, look_at = ?, removed_at = ?, document = ? WHERE name = ? AND revision = ?`);
  const select = database.prepare('SELECT document FROM schedules WHERE name = ?');
  const page = database.prepare(`
    SELECT name, document FROM schedules WHERE removed_at IS NULL AND name > ? ORDER BY name LIMIT ?`);
  const due = database.prepare('SELECT name FROM schedules WHERE look_at <= ? ORDER BY look_at, name LIMIT ?');
  const read = (name: string) => {
    const row = select.get(name);
    return row === undefined ? null : scheduleFromJson(String(row.document));
  };
  return {
    put: async (record, expectedRevision) => {
      const { name, revision, lookAt } = record;
      const removedAt = record.removed ? record.updatedAt : null;
      const document = scheduleToJson(record);
      const changes = await database.write(() =>
        expectedRevision === null
          ? insert.run(name, revision, lookAt, removedAt, document).changes
          : update.run(revision, lookAt, removedAt, document, name, expectedRevision).changes,
      );
      if (Number(changes) === 1) return { stored: true };
      const current = read(name);
      return current?.writeId === record.writeId ? { stored: true } : { stored: false, current };
    },
    get: async (name) => read(name),
    list: async ({ limit, after }) => {
      const rows = page.all(after ?? '', limit + 1);
      const items = rows.slice(0, limit).map((row) => scheduleFromJson(String(row.document)));
      return { items, next: rows.length > limit ? (items.at(-1)?.name ?? null) : null };
    },
    due: async (now, limit) => due.all(now, limit).map((row) => String(row.name)),
  };
}

/** The process looks each second: there is nobody to wake. */
export function noWakeups(): Wakeups {
  return { set: async () => {}, remove: async () => {} };
}
