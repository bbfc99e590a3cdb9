/** A SQLite file of its own for each test, and its second life after a kill. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../lib/adapters/sqlite/database.ts';

export interface SqliteFile {
  readonly write: Database['write'];
  /** Ends this life and opens the same file again. */
  reopen(): SqliteFile;
}

export function sqliteFile(): SqliteFile {
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-worker-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return opened(join(folder, 'file.db'));
}

function opened(path: string): SqliteFile {
  const database = openDatabase(path);
  onTestFinished(() => database.close());
  return {
    write: (work) => database.write(work),
    reopen: () => {
      database.close();
      return opened(path);
    },
  };
}
