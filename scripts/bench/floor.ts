/**
 * The floor: the same records, appended to one file, each waiting for the fdatasync that covers it. No product can be
 * durable after every step and faster than this on the same disk.
 */
import { closeSync, fdatasync, openSync, write } from 'node:fs';
import { join } from 'node:path';

export interface Floor {
  signup(key: string): Promise<void>;
  rollback(key: string): Promise<void>;
  close(): void;
}

/** About what one write of a job puts into the file, in bytes. */
const RECORD_BYTES = 1_200;

export function openFloor(directory: string): Floor {
  const file = openSync(join(directory, 'floor.log'), 'a');
  const filler = 'x'.repeat(RECORD_BYTES);
  let pending: (() => void)[] = [];
  let text = '';
  let busy = false;

  const flush = (): void => {
    if (busy || pending.length === 0) return;
    busy = true;
    const [bytes, waiters] = [Buffer.from(text), pending];
    [text, pending] = ['', []];
    write(file, bytes, () => {
      fdatasync(file, () => {
        busy = false;
        for (const resolve of waiters) resolve();
        flush();
      });
    });
  };
  const record = (key: string, what: string): Promise<void> =>
    new Promise((resolve) => {
      text += `${JSON.stringify({ key, what, filler })}\n`;
      pending.push(resolve);
      queueMicrotask(flush);
    });
  const all = async (key: string, records: readonly string[]): Promise<void> => {
    for (const what of records) await record(key, what);
  };

  return {
    // One record for each write that the orchestrator makes before it answers.
    signup: (key) => all(key, ['created', 'stage 1 called', 'stage 2 called', 'completed']),
    rollback: (key) => all(key, ['created', 'stage 1 called', 'stage 2 called', 'failed', 'undo', 'undo', 'undone']),
    close: () => closeSync(file),
  };
}
