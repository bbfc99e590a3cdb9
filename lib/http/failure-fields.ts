/**
 * What the log may know of an error: its name and where it arose. The text of an error can quote what a caller or a
 * participant wrote, so only the store's own words, which speak of files and disks, are kept.
 */
import { StoreError } from '../core/store-error.ts';

/** Deep enough to find the place, short enough for one line. */
const FRAMES = 6;

export function failureFields(error: unknown): {
  readonly error: string;
  readonly where: string;
  readonly text?: string;
} {
  if (!(error instanceof Error)) return { error: typeof error, where: '' };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const where = frames
    .slice(0, FRAMES)
    .map((line) => line.trim())
    .join(' < ');
  return { error: error.name, where, ...(error instanceof StoreError ? { text: error.message } : {}) };
}
