/**
 * The store itself failed: disk full, input/output error, file damaged. Nothing of the write is promised to be stored,
 * and the caller may make it again: a write that had succeeded after all is recognised as its own.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code = 'ORCH_RETRYABLE_STORE';
}
