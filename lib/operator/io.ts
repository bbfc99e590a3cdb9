/** Where a command writes and whom it can ask: given to it, so that a test is as good a terminal as any. */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text as readAll } from 'node:stream/consumers';

export interface Screen {
  write(text: string): void;
  /** null where nobody watches: a file, a pipe. */
  columns(): number | null;
  readonly colour: boolean;
}

export interface Io {
  readonly out: Screen;
  readonly err: Screen;
  /** A question that a person answers; null where no person can be asked, or the person went away. */
  ask(question: string): Promise<string | null>;
  /** Whether somebody is there to be asked. */
  readonly interactive: boolean;
  /** A file, or standard input for `-`. */
  read(path: string): Promise<string>;
  now(): number;
  sleep(ms: number): Promise<void>;
}

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns' | 'hasColors'>;

export function processIo(): Io {
  return {
    out: screen(process.stdout),
    err: screen(process.stderr),
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    ask: (question) => ask(question),
    read: (path) => (path === '-' ? readAll(process.stdin) : readFile(path, 'utf8')),
    now: Date.now,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}

/** `hasColors` knows NO_COLOR, FORCE_COLOR, TERM and what terminals can do. */
function screen(stream: Stream): Screen {
  return {
    write: (text) => void stream.write(text),
    columns: () => (stream.isTTY === true ? (stream.columns ?? 80) : null),
    colour: stream.isTTY === true && stream.hasColors(),
  };
}

async function ask(question: string): Promise<string | null> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  // A closed input would leave the question open for ever.
  const gone = new Promise<null>((resolve) => asking.once('close', () => resolve(null)));
  try {
    return await Promise.race([asking.question(question), gone]);
  } catch {
    return null;
  } finally {
    asking.close();
  }
}
