/**
 * The one file of embedded mode, opened for one process: WAL, every commit flushed, schema brought up to date.
 * Reads are synchronous and see committed states only, since a batch of writes begins and ends within one turn.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StoreError } from '../../core/store-error.ts';
import { describeFailure, isStoreFailure } from './failures.ts';
import { GroupCommit, type Work } from './group-commit.ts';
import { MIGRATIONS } from './schema.ts';

export const IN_MEMORY = ':memory:';

export interface Database {
  /** Compiles once; a store keeps its statements. */
  prepare(sql: string): StatementSync;
  /** Runs the work in the next transaction; resolves once that is on disk. */
  write<T>(work: Work<T>): Promise<T>;
  /** Commits what is queued and closes the file. */
  close(): void;
}

const PRAGMAS = [
  // One process owns the file: two would each take the other's leases for expired. It also spares a lock per commit.
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA journal_mode = WAL',
  // FULL flushes the log at every commit: what was acknowledged survives the loss of power, not only of the process.
  'PRAGMA synchronous = FULL',
  // A checkpoint copies each changed page once, however often it changed since the last. 4,000 pages (16 MiB of log)
  // are about a thousand jobs; longer logs were no faster, and made the pause longer (10 ms here).
  'PRAGMA wal_autocheckpoint = 4000',
  // KiB when negative. Upper index levels and the jobs at work fit in; much more costs, for each commit that grows the
  // file walks the table of cached pages, and the system caches the file anyway.
  'PRAGMA cache_size = -8192',
  'PRAGMA temp_store = MEMORY',
];

/** @param path of the file, whose directory is made if it is missing; `:memory:` keeps everything in the process */
export function openDatabase(path: string): Database {
  try {
    const sql = open(path);
    const commits = new GroupCommit(sql);
    return {
      prepare: (text) => sql.prepare(text),
      write: (work) => commits.write(work),
      close: () => {
        if (!sql.isOpen) return;
        commits.close();
        sql.close();
      },
    };
  } catch (error) {
    if (!isStoreFailure(error)) throw error;
    throw new StoreError(describeFailure(error, path), { cause: error });
  }
}

function open(path: string): DatabaseSync {
  if (path !== IN_MEMORY) {
    mkdirSync(dirname(path), { recursive: true });
    // The file holds payloads: nobody but its owner reads it. SQLite gives its log the same permissions.
    closeSync(openSync(path, 'a', 0o600));
  }
  const sql = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    for (const pragma of PRAGMAS) sql.exec(pragma);
    migrate(sql);
  } catch (error) {
    sql.close();
    throw error;
  }
  return sql;
}

/** Each step and its number are one transaction: a crash in between repeats the step. It also takes the lock. */
function migrate(sql: DatabaseSync): void {
  sql.exec('BEGIN IMMEDIATE');
  const version = Number(sql.prepare('PRAGMA user_version').get()?.user_version);
  if (version > MIGRATIONS.length) {
    throw new Error(`the file has schema ${version} and this code knows ${MIGRATIONS.length}: start the newer code`);
  }
  for (const step of MIGRATIONS.slice(version)) sql.exec(step);
  sql.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  sql.exec('COMMIT');
}
