/**
 * Sends many entries through an interface that takes a few at a time and answers for each of them. A request that
 * succeeds may have refused some: those, and only those, are sent again, a bounded number of times. What is refused for
 * its own sake would be refused again; the others still go out before that is reported.
 */
import { StoreError, ThrottledError } from '../../core/store-error.ts';
import { pause } from './pause.ts';

export interface Refused<T> {
  readonly entry: T;
  readonly code: string;
  /** The entry itself is at fault. */
  readonly forGood: boolean;
}

export interface Batching<T> {
  /** The call, for messages. */
  readonly what: string;
  readonly bytesMax: number;
  bytesOf(entry: T): number;
  /** Answers what was refused. */
  send(entries: readonly T[]): Promise<readonly Refused<T>[]>;
}

/** SQS and EventBridge alike. */
const ENTRIES_MAX = 10;
/** Three more times, after about 100, 200 and 400 ms: what is refused by then is a longer trouble than a burst. */
const RESENDS_MAX = 3;
const PAUSE_MS = 100;

export async function sendInBatches<T>(entries: readonly T[], batching: Batching<T>): Promise<void> {
  const faults: string[] = [];
  for (const batch of batchesOf(entries, batching)) faults.push(...(await sendBatch(batch, batching)));
  if (faults.length > 0) {
    const codes = [...new Set(faults)].join(', ');
    throw new Error(`${batching.what} refused ${faults.length} entries for good (${codes}): see the code's meaning`);
  }
}

/** Answers the codes of what was refused for good. */
async function sendBatch<T>(batch: readonly T[], { what, send }: Batching<T>): Promise<string[]> {
  const faults: string[] = [];
  let left = batch;
  for (let resends = 0; ; resends += 1) {
    const refused = await send(left);
    faults.push(...refused.filter(({ forGood }) => forGood).map(({ code }) => code));
    const again = refused.filter(({ forGood }) => !forGood);
    const [first] = again;
    if (first === undefined) return faults;
    if (resends === RESENDS_MAX) throw notTaken(what, again.length, first.code);
    left = again.map(({ entry }) => entry);
    await pause(PAUSE_MS * 2 ** resends * (0.5 + Math.random()));
  }
}

function notTaken(what: string, count: number, code: string): StoreError {
  const told = `${what} did not take ${count} entries in ${RESENDS_MAX + 1} tries (${code}): repeat it later`;
  return /throttl/i.test(code) ? new ThrottledError(told) : new StoreError(told);
}

/** In order, as full as count and bytes allow. */
export function batchesOf<T>(
  entries: readonly T[],
  { bytesMax, bytesOf }: Pick<Batching<T>, 'bytesMax' | 'bytesOf'>,
): T[][] {
  const batches: T[][] = [];
  let current: T[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = bytesOf(entry);
    if (current.length > 0 && (current.length === ENTRIES_MAX || bytes + size > bytesMax)) {
      batches.push(current);
      current = [];
      bytes = 0;
    }
    current.push(entry);
    bytes += size;
  }
  if (current.length > 0) batches.push(current);
  return batches;
}
