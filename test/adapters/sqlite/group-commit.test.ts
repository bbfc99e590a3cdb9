import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../lib/adapters/sqlite/database.ts';
import { GroupCommit } from '../../../lib/adapters/sqlite/group-commit.ts';
import { StoreError } from '../../../lib/core/store-error.ts';
import { temporaryPath } from './file.ts';

function subject() {
  const path = temporaryPath();
  openDatabase(path).close();
  const sql = new DatabaseSync(path);
  sql.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT');
  const observer = new DatabaseSync(path, { readOnly: true });
  const commits = new GroupCommit(sql);
  onTestFinished(() => {
    observer.close();
    sql.close();
  });
  const select = observer.prepare('SELECT text FROM notes ORDER BY id');
  /** What another connection sees: committed notes only. */
  const committed = () => select.all().map((row) => row.text);
  const note = (text: string) => commits.write((db) => db.prepare('INSERT INTO notes (text) VALUES (?)').run(text));
  return { sql, commits, committed, note };
}

const outcomes = async (promises: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(promises)).map(({ status }) => status);

describe('group commit', () => {
  it('keeps a promise only after the commit', async () => {
    const { commits, committed, note } = subject();
    const inside = commits.write((db) => {
      db.exec("INSERT INTO notes (text) VALUES ('a')");
      return committed();
    });
    expect(await inside).toEqual([]);
    expect(committed()).toEqual(['a']);
    await note('b').then(() => expect(committed()).toEqual(['a', 'b']));
  });

  it('commits all that one turn queued at once, in its order', async () => {
    const { committed, note } = subject();
    const seen: unknown[] = [];
    const writes = ['a', 'b', 'c'].map((text) => note(text).then(() => seen.push(committed())));
    // Queued by promises of the same turn, as work that continues after an earlier commit is.
    writes.push(
      Promise.resolve()
        .then(() => note('d'))
        .then(() => seen.push(committed())),
    );
    await Promise.all(writes);
    expect(seen).toEqual(Array.from({ length: 4 }, () => ['a', 'b', 'c', 'd']));
  });

  it('begins a new batch for what comes after', async () => {
    const { committed, note } = subject();
    const second = note('a').then(() => note('b'));
    await note('c');
    expect(committed()).toEqual(['a', 'c']);
    await second;
    expect(committed()).toEqual(['a', 'c', 'b']);
  });

  it('lets a unit that throws fail alone, and takes back all it did', async () => {
    const { commits, committed, note } = subject();
    const failing = commits.write((db) => {
      db.exec("INSERT INTO notes (text) VALUES ('half')");
      throw new Error('no');
    });
    const constrained = commits.write((db) => db.exec("INSERT INTO notes (text) VALUES ('x'), (NULL)"));
    const promises = [note('a'), failing, note('b'), constrained, note('c'), note('a')];
    const [, first, , second, , third] = await Promise.allSettled(promises);
    expect([first, second, third]).toMatchObject([
      { reason: { message: 'no' } },
      { reason: { message: expect.stringContaining('NOT NULL') } },
      { reason: { message: expect.stringContaining('UNIQUE') } },
    ]);
    expect(await outcomes([note('d')])).toEqual(['fulfilled']);
    expect(committed()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('answers a unit that ran again with what its last run gave', async () => {
    const { commits } = subject();
    let runs = 0;
    const count = commits.write(() => {
      runs += 1;
      return runs;
    });
    const failing = commits.write(() => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await count).toBe(2);
  });

  it('fails the whole batch when the store cannot write, says why, and works again after', async () => {
    const { sql, committed, note } = subject();
    sql.exec('PRAGMA max_page_count = 1');
    const promises = ['a', 'x'.repeat(5_000_000), 'b'].map(note);
    expect(await outcomes(promises)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(promises[0]).rejects.toThrow(StoreError);
    await expect(promises[0]).rejects.toThrow(/disk is full: free space/);
    expect(committed()).toEqual([]);
    sql.exec('PRAGMA max_page_count = 1000000');
    await note('c');
    expect(committed()).toEqual(['c']);
  });

  it('refuses writes after it was closed', async () => {
    const { commits, committed, note } = subject();
    const last = note('a');
    commits.close();
    await last;
    await expect(note('b')).rejects.toThrow('closed');
    expect(committed()).toEqual(['a']);
  });
});
