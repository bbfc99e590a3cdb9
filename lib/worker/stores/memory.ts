/** Operations of one service in memory: for tests, and for services that may forget with their process. */
import { type Operation, UNSEEN } from '../operation.ts';
import type { LoggedCall, OperationStore, OperationView } from '../store.ts';

export function memoryOperations(): OperationStore & OperationView {
  const operations = new Map<string, Operation>();
  const calls: LoggedCall[] = [];
  return {
    async change(operationId, decide) {
      const { next, call, result } = decide(operations.get(operationId) ?? UNSEEN);
      if (next !== null) operations.set(operationId, next);
      if (call !== null) calls.push(call);
      return result;
    },
    async log(call) {
      calls.push(call);
    },
    async operations() {
      return [...operations].map(([operationId, operation]) => ({ operationId, operation }));
    },
    async calls() {
      return [...calls];
    },
  };
}
