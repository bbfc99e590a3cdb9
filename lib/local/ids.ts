/**
 * Identities of one life of the process. Owners start with the boot's own name, so that after a start every lease of
 * an earlier life is known to be dead.
 */
import { randomUUID } from 'node:crypto';
import { randomIds } from '../adapters/random-ids.ts';
import type { Ids } from '../ports.ts';

/** A name for one life of the process, from start to kill. */
export function newBoot(): string {
  return randomUUID().slice(0, 8);
}

export function ownerPrefix(boot: string): string {
  return `${boot}:`;
}

export function localIds(boot: string): Ids {
  let owners = 0;
  return randomIds(() => {
    owners += 1;
    return `${ownerPrefix(boot)}${owners}`;
  });
}
