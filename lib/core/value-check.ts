/**
 * Values stored apart are addressed by their content, so reading can prove that nothing was lost or swapped.
 */
import { sha256Hex } from './json.ts';

/** Answers the text if it is what its hash says. */
export function checkedValue(jobId: string, hash: string, text: string): string {
  if (sha256Hex(text) === hash) return text;
  throw new Error(`the value ${hash} of job ${jobId} does not match its hash: restore it from a backup of the store`);
}
