/** The port of pauses: few records, read together, each changed by one of many. */
import type { Pause } from '../core/pause.ts';

export type PausePut = { readonly stored: true } | { readonly stored: false; readonly current: Pause | null };

export interface PauseStore {
  /** Every record, consistently, those that are over included. */
  list(): Promise<readonly Pause[]>;
  get(id: string): Promise<Pause | null>;
  /** Puts the record if the stored one has the revision before it (0: there is none). A put of ours whose answer was lost counts as stored. */
  put(pause: Pause): Promise<PausePut>;
}
