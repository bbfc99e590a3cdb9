/** Dependencies in SQLite: one row each, changed under its revision. */
import { dependencyFromJson, dependencyToJson, putOver } from '../../contract/stored-dependency.ts';
import type { DependencyStore } from '../../ports.ts';
import type { Database } from './database.ts';

const PUT = `
  INSERT INTO dependencies (dependency_id, revision, document) VALUES (?1, ?2, ?3)
  ON CONFLICT (dependency_id) DO UPDATE SET revision = ?2, document = ?3 WHERE dependencies.revision = ?2 - 1`;

export function sqliteDependencies(database: Database): DependencyStore {
  const put = database.prepare(PUT);
  const insertable = database.prepare('SELECT 1 FROM dependencies WHERE dependency_id = ?');
  const get = database.prepare('SELECT document FROM dependencies WHERE dependency_id = ?');
  const all = database.prepare('SELECT document FROM dependencies ORDER BY dependency_id');
  return {
    list: async () => all.all().map((row) => dependencyFromJson(String(row.document))),
    put: async (dependency) => {
      const { id, revision } = dependency;
      const held = await database.write(() => {
        const isThere = insertable.get(id) !== undefined;
        if (!isThere && revision !== 1) return null;
        if (put.run(id, revision, dependencyToJson(dependency)).changes === 1) return true;
        return String(get.get(id)?.document);
      });
      if (held === true) return { stored: true };
      return putOver(held === null ? null : dependencyFromJson(held), dependency);
    },
  };
}
