/**
 * The worker kit: what a team needs to write a participant that can be called again, undone and asked.
 */
export type { Call } from './call.ts';
export { identityOf } from './call.ts';
export { accepted, type Callbacks, callbacks, type Heard } from './callbacks.ts';
export { type CommandOptions, type CommandResult, consume, type QueueRecord } from './commands.ts';
export { type Host, type HostOptions, host } from './host.ts';
export { type HttpServing, serveHttp } from './http.ts';
export { type Operation, UNSEEN } from './operation.ts';
export { type Explain, Refusal, type RefusalDetails, type Reply, reply } from './refusal.ts';
export type { Change, LoggedCall, OperationStore, OperationView } from './store.ts';
export { memoryOperations } from './stores/memory.ts';
export { type SqliteWrite, sqliteOperations } from './stores/sqlite.ts';
export {
  forward,
  localForward,
  localUndoOf,
  type Made,
  queryOf,
  readOnly,
  type Service,
  service,
  type UndoCall,
  undoOf,
} from './topics.ts';
export type { Trace, TraceEvent } from './trace.ts';
