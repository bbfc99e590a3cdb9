/**
 * Times cross the wire as ISO 8601 in UTC with milliseconds; inside they are epoch milliseconds.
 */
import type { EpochMs } from '../core/ids.ts';

export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : isoTime(at);
}
