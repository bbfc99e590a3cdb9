/** Pauses in SQLite: one row each, changed under its revision. */
import { pauseFromJson, pausePutOver, pauseToJson } from '../../contract/stored-pause.ts';
import type { Pause } from '../../core/pause.ts';
import type { PauseStore } from '../../ports.ts';
import type { Database } from './database.ts';

export function sqlitePauses(database: Database): PauseStore {
  const insert = database.prepare(
    'INSERT INTO pauses (pause_id, revision, document) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const update = database.prepare('UPDATE pauses SET revision = ?, document = ? WHERE pause_id = ? AND revision = ?');
  const select = database.prepare('SELECT document FROM pauses WHERE pause_id = ?');
  const all = database.prepare('SELECT document FROM pauses ORDER BY pause_id');
  const read = (id: string): Pause | null => {
    const row = select.get(id);
    return row === undefined ? null : pauseFromJson(String(row.document));
  };
  return {
    list: async () => all.all().map((row) => pauseFromJson(String(row.document))),
    get: async (id) => read(id),
    put: async (pause) => {
      const { id, revision } = pause;
      const document = pauseToJson(pause);
      const changes = await database.write(() =>
        revision === 1
          ? insert.run(id, revision, document).changes
          : update.run(revision, document, id, revision - 1).changes,
      );
      return Number(changes) === 1 ? { stored: true } : pausePutOver(read(id), pause);
    },
  };
}
