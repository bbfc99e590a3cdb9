/**
 * Operations of one service in two SQLite tables: one row an operation, one row a call. A change reads, decides and
 * writes inside one transaction of the writer it is given, so it is durable when it is answered and lost as a whole
 * when the process dies before.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Operation, UNSEEN } from '../operation.ts';
import type { LoggedCall, OperationStore, OperationView } from '../store.ts';

/**
 * Runs `work` inside a transaction and resolves once that is committed. Works may share a transaction; if one throws,
 * the writes of that one are undone and its promise rejects.
 */
export type SqliteWrite = <T>(work: (database: DatabaseSync) => T) => Promise<T>;

// An operation is found and written in one place. Calls are only ever appended, and read by people alone: an index for
// that would cost every call.
const TABLES = `
  CREATE TABLE IF NOT EXISTS participant_operations (
    service TEXT NOT NULL, operation_id TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (service, operation_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS participant_calls (
    seq INTEGER PRIMARY KEY, service TEXT NOT NULL, topic TEXT NOT NULL, operation_id TEXT NOT NULL,
    attempt INTEGER NOT NULL, at INTEGER NOT NULL, result TEXT NOT NULL
  ) STRICT`;

const READ = 'SELECT body FROM participant_operations WHERE service = ? AND operation_id = ?';
const STORE = 'INSERT OR REPLACE INTO participant_operations (service, operation_id, body) VALUES (?, ?, ?)';
const LOG =
  'INSERT INTO participant_calls (service, topic, operation_id, attempt, at, result) VALUES (?, ?, ?, ?, ?, ?)';
const OPERATIONS = 'SELECT operation_id, body FROM participant_operations WHERE service = ? ORDER BY operation_id';
const CALLS = 'SELECT topic, operation_id, attempt, at, result FROM participant_calls WHERE service = ? ORDER BY seq';

export async function sqliteOperations(service: string, write: SqliteWrite): Promise<OperationStore & OperationView> {
  await write((database) => database.exec(TABLES));
  const prepared = preparing();
  const log = (database: DatabaseSync, call: LoggedCall): void => {
    const { topic, operationId, attempt, at, result } = call;
    prepared(database, LOG).run(service, topic, operationId, attempt, at, result);
  };
  return {
    change: (operationId, decide) =>
      write((database) => {
        const row = prepared(database, READ).get(service, operationId);
        const { next, call, result } = decide(row === undefined ? UNSEEN : operationOf(row));
        if (next !== null) prepared(database, STORE).run(service, operationId, JSON.stringify(next));
        if (call !== null) log(database, call);
        return result;
      }),
    log: (call) => write((database) => log(database, call)),
    operations: () =>
      write((database) =>
        prepared(database, OPERATIONS)
          .all(service)
          .map((row) => ({ operationId: String(row.operation_id), operation: operationOf(row) })),
      ),
    calls: () => write((database) => prepared(database, CALLS).all(service).map(callOf)),
  };
}

type Row = Readonly<Record<string, unknown>>;

function operationOf(row: Row): Operation {
  return JSON.parse(String(row.body)) as Operation;
}

function callOf(row: Row): LoggedCall {
  return {
    topic: String(row.topic),
    operationId: String(row.operation_id),
    attempt: Number(row.attempt),
    at: Number(row.at),
    result: String(row.result),
  };
}

/** Compiles each statement once for each connection. */
function preparing(): (database: DatabaseSync, sql: string) => StatementSync {
  const perDatabase = new WeakMap<DatabaseSync, Map<string, StatementSync>>();
  return (database, sql) => {
    const statements = perDatabase.get(database) ?? new Map<string, StatementSync>();
    perDatabase.set(database, statements);
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
}
