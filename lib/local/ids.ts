/**
 * Identities that no other process draws. Owners start with the boot's own name, so that after a start every lease of
 * an earlier life is known to be dead.
 */
import { randomUUID } from 'node:crypto';
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
  const hex = (): string => randomUUID().replaceAll('-', '');
  return {
    writeId: () => randomUUID(),
    owner: () => {
      owners += 1;
      return `${ownerPrefix(boot)}${owners}`;
    },
    traceparent: () => `00-${hex()}-${hex().slice(0, 16)}-01`,
    random: () => Math.random(),
  };
}
