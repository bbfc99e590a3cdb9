/**
 * Where a service remembers its operations. One method changes one operation, atomically; everything that decides is
 * in operation.ts, so a store can be a map, a table row or an item under a condition.
 */
import type { Operation } from './operation.ts';

/** One delivered call and what came of it, whatever came of it. */
export interface LoggedCall {
  readonly topic: string;
  readonly operationId: string;
  readonly attempt: number;
  readonly at: number;
  /** The status of a success, else the error code. */
  readonly result: string;
}

export interface Change<T> {
  /** null leaves the operation as it is. */
  readonly next: Operation | null;
  readonly call: LoggedCall | null;
  readonly result: T;
}

export interface OperationStore {
  /**
   * Shows `decide` the operation (`UNSEEN` if there is none) and stores what it answers, as one atomic step. `decide`
   * is pure and may run more than once; only its last answer counts. If it throws, nothing is stored.
   */
  change<T>(operationId: string, decide: (operation: Operation) => Change<T>): Promise<T>;
  /** Logs a call that changes no operation. */
  log(call: LoggedCall): Promise<void>;
}

/** What a store can show to people. */
export interface OperationView {
  operations(): Promise<readonly { readonly operationId: string; readonly operation: Operation }[]>;
  /** Oldest first. */
  calls(): Promise<readonly LoggedCall[]>;
}
