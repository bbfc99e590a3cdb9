/**
 * The store itself failed: disk full, input/output error, file damaged, service not answering. Nothing of the write is
 * promised to be stored, and the caller may make it again: a write that had succeeded after all is recognised as its own.
 */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly code: 'ORCH_RETRYABLE_STORE' | 'ORCH_RETRYABLE_THROTTLED' = 'ORCH_RETRYABLE_STORE';
}

/** The infrastructure asked for fewer calls, and went on asking while the adapter waited. */
export class ThrottledError extends StoreError {
  override readonly name = 'ThrottledError';
  override readonly code = 'ORCH_RETRYABLE_THROTTLED';
}
