/** The command line in this process: on a screen that remembers, with a person who answers as the test says. */
import type { OperatorEnvironment } from '../../lib/contract/operator-environment.ts';
import type { Io } from '../../lib/operator/io.ts';
import { main } from '../../lib/operator/program.ts';
import { start as startRuntime, temporaryDirectory } from '../local/rig.ts';

export interface Terminal {
  /** null: a pipe. */
  readonly columns?: number;
  readonly colour?: boolean;
  /** What is typed, one answer a question; without it nobody can be asked. */
  readonly answers?: readonly (string | null)[] | (() => Promise<string>);
  readonly files?: Readonly<Record<string, string>>;
}

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly asked: readonly string[];
}

export function terminal({ columns, colour = false, answers, files = {} }: Terminal = {}) {
  const written = { out: '', err: '' };
  const asked: string[] = [];
  const screen = (name: 'out' | 'err') => ({
    write: (text: string) => {
      written[name] += text;
    },
    columns: () => columns ?? null,
    colour,
  });
  const io: Io = {
    out: screen('out'),
    err: screen('err'),
    interactive: answers !== undefined,
    ask: async (question) => {
      asked.push(question);
      return typeof answers === 'function' ? answers() : (answers?.[asked.length - 1] ?? null);
    },
    read: async (path) => {
      const text = files[path];
      if (text === undefined) throw new Error('no such file');
      return text;
    },
    now: Date.now,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 10))),
  };
  return { io, written, asked };
}

/** Runs one command; what it prints is split as a shell would not: arguments are given as they are. */
export async function dacapo(
  url: string,
  args: readonly string[],
  options: Terminal = {},
  environment: Partial<OperatorEnvironment> = {},
): Promise<Said> {
  const { io, written, asked } = terminal(options);
  const code = await main(args, io, { url, token: null, sign: false, region: null, ...environment });
  return { code, ...written, asked };
}

export const SIGNUP = JSON.stringify({ company: 'Acme', email: 'ada@example.com', plan: 'free' });
export const STICKY = JSON.stringify({ company: 'sticky & sons', email: 'ada', plan: 'free' });

export async function embedded() {
  const runtime = await startRuntime(await temporaryDirectory());
  const url = `http://127.0.0.1:${runtime.port}`;
  const run = (line: string | readonly string[], options: Terminal = {}) =>
    dacapo(url, typeof line === 'string' ? line.split(' ') : line, options);
  const json = async (line: string | readonly string[], options: Terminal = {}) => {
    const said = await run([...(typeof line === 'string' ? line.split(' ') : line), '--json'], options);
    return { ...said, body: JSON.parse(said.out) as Record<string, unknown> };
  };
  /** A job that waits for a person, since its company cannot be deleted. */
  const stuck = async (): Promise<string> => {
    const { body } = await json(['submit', 'signup', STICKY, '--wait']);
    return String(body.job_id);
  };
  return { ...runtime, url, run, json, stuck };
}
