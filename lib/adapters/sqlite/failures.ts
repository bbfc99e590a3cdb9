/**
 * Tells a store that cannot write from a statement that was wrong: the first concerns everybody in the batch and may
 * be tried again, the second only the unit that made it.
 */

/** Primary result codes of SQLite (sqlite.org/rescode.html) that speak of the file or the machine. */
const STORE_FAILURES = new Map<number, string>([
  [5, 'another process holds the file: stop it, or use another data directory'],
  [6, 'the file is locked: stop what else uses it'],
  [7, 'memory is exhausted: give the process more'],
  [8, 'the file is read-only: let this user write to it and its directory'],
  [10, 'the disk answered with an error: check it, then start again'],
  [11, 'the file is damaged: restore it from a backup'],
  [13, 'the disk is full: free space on it'],
  [14, 'the file cannot be opened: check its directory and its permissions'],
  [26, 'the file is not a SQLite database: use another data directory'],
]);

const NO_PLACE = 'the data directory must be one that this user may write to: use another, or change its permissions';

/** The low byte is the primary code; the rest tells details. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  return error.errcode & 0xff;
}

export function isStoreFailure(error: unknown): boolean {
  const code = primaryCode(error);
  return (code !== undefined && STORE_FAILURES.has(code)) || isFileFailure(error);
}

/** Of making the directory or the file, before SQLite ever saw it. */
function isFileFailure(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

export function describeFailure(error: unknown, location: string | null): string {
  const advice = isFileFailure(error) ? NO_PLACE : (STORE_FAILURES.get(primaryCode(error) ?? 0) ?? 'see the cause');
  const what = error instanceof Error ? error.message : String(error);
  return `the store could not write (${what}); ${advice}; file: ${location ?? 'in memory'}`;
}
