import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { GroupCommit } from '../../../lib/adapters/sqlite/group-commit.ts';

it('promises nothing of a batch whose commit itself fails, and writes again after', async () => {
  const sql = new DatabaseSync(':memory:');
  onTestFinished(() => sql.close());
  // A reference that is checked when everything is in: each statement passes, the commit does not.
  sql.exec(`PRAGMA foreign_keys = ON;
    CREATE TABLE jobs (id TEXT PRIMARY KEY) STRICT;
    CREATE TABLE notes (job TEXT REFERENCES jobs (id) DEFERRABLE INITIALLY DEFERRED) STRICT`);
  const commits = new GroupCommit(sql);
  const note = (job: string) => commits.write((db) => db.prepare('INSERT INTO notes VALUES (?)').run(job));
  const add = (id: string) => commits.write((db) => db.prepare('INSERT INTO jobs VALUES (?)').run(id));

  const batch = await Promise.allSettled([add('a'), note('a'), note('nowhere')]);
  expect(batch.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(sql.prepare('SELECT count(*) AS n FROM jobs').get()).toEqual({ n: 0 });

  await Promise.all([add('a'), note('a')]);
  expect(sql.prepare('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 1 });
});
