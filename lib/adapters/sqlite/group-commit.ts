/**
 * Group commit. A durable commit costs one flush of the disk, whatever it holds; so all writes that are queued in one
 * turn of the event loop share one. While the disk is flushed the loop stands, further requests gather, and the next
 * batch is larger: batches grow with the load and a lone writer waits for nobody.
 *
 * Invariant: a promise is kept only after COMMIT, and every unit is all or nothing. A unit that throws takes back
 * the batch, which then runs again without it: savepoints would cost every unit for the sake of the rare one.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../../core/store-error.ts';
import { describeFailure, isStoreFailure } from './failures.ts';

/** Runs more than once when a neighbour fails, so it must touch nothing but the database. */
export type Work<T> = (sql: DatabaseSync) => T;

interface Unit {
  run(): void;
  resolve(): void;
  reject(error: unknown): void;
}

export class GroupCommit {
  readonly #sql: DatabaseSync;
  readonly #begin: () => void;
  readonly #commit: () => void;
  #queued: Unit[] = [];
  #closed = false;

  constructor(sql: DatabaseSync) {
    const begin = sql.prepare('BEGIN IMMEDIATE');
    const commit = sql.prepare('COMMIT');
    this.#sql = sql;
    this.#begin = () => begin.run();
    this.#commit = () => commit.run();
  }

  write<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) throw new StoreError('the database is closed: start the process again to write');
      let result: T;
      const run = (): void => {
        result = work(this.#sql);
      };
      // Immediates run after the turn's input and output: every request that has arrived is in.
      if (this.#queued.push({ run, resolve: () => resolve(result), reject }) === 1) setImmediate(() => this.flush());
    });
  }

  /** Commits what is queued, now. */
  flush(): void {
    let units = this.#queued;
    this.#queued = [];
    while (units.length > 0) units = this.#attempt(units);
  }

  close(): void {
    this.flush();
    this.#closed = true;
  }

  /** One transaction; answers the units that are still to be written: none, or those left when one had thrown. */
  #attempt(units: Unit[]): Unit[] {
    let running: Unit | null = null;
    try {
      this.#begin();
      for (const unit of units) {
        running = unit;
        unit.run();
      }
      running = null;
      this.#commit();
    } catch (error) {
      return this.#failed(units, running, error);
    }
    for (const unit of units) unit.resolve();
    return [];
  }

  #failed(units: Unit[], running: Unit | null, error: unknown): Unit[] {
    const cause = this.#rollback() ?? error;
    if (running !== null && cause === error && !isStoreFailure(error)) {
      running.reject(error);
      return units.filter((unit) => unit !== running);
    }
    const failure = new StoreError(describeFailure(cause, this.#sql.location()), { cause });
    for (const unit of units) unit.reject(failure);
    return [];
  }

  /** Some failures have ended the transaction already; answers why it could not be ended otherwise. */
  #rollback(): unknown {
    try {
      if (this.#sql.isTransaction) this.#sql.exec('ROLLBACK');
      return null;
    } catch (error) {
      return error;
    }
  }
}
