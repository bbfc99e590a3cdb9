/**
 * Our slot in the comparison rig: it loads this file, and asks for one kind of work at a time. A submit is one HTTP
 * request that waits for the outcome; all that is ours happens in the process whose id `pids` tells.
 * Invariant: nothing of the work is done here, in the driver, which nobody charges us for.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface Outcome {
  readonly status: 'succeeded' | 'failed';
  readonly result?: unknown;
  readonly error?: string;
}

interface Running {
  readonly child: ChildProcess;
  readonly directory: string;
  readonly port: number;
  readonly agent: Agent;
}

const HOST = join(import.meta.dirname, 'rig-host.ts');
/** The rig runs this by its `run.mjs`, which stands beside `hosts/`. */
const RIG = dirname(process.argv[1] ?? '');
/** The rig keeps at most 64 groups of 20 submits open. */
const SOCKETS_MAX = 2_048;
/** As the contract allows at most. */
const WAIT_SECONDS = 25;

const SIGNUP = '{"company":"Acme","email":"ada@acme.example","plan":"standard"}';
/** Fifty children, each with a name of its own. */
const QUOTES = JSON.stringify({ product: 'pump', vendors: Array.from({ length: 50 }, (_, index) => String(index)) });

let running: Running | null = null;

export const meta = {
  name: 'dacapo, embedded',
  versions: { node: process.version },
  durability: 'nothing that was answered: SQLite, WAL, synchronous = FULL, one group commit for each turn of the loop',
};

export async function start({ work }: { readonly work: string }): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-rig-'));
  const child = fork(HOST, [directory, RIG, work], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const { port } = await told<{ port: number }>(child);
  running = { child, directory, port, agent: new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX }) };
}

export async function submit(work: string, key: string): Promise<Outcome> {
  const { status, text } = await (work === 'W4'
    ? post('/workflows/quotes/jobs', key, QUOTES)
    : post('/workflows/signup/jobs', key, SIGNUP));
  const told = JSON.parse(text) as { readonly output?: unknown; readonly code?: string; readonly detail?: string };
  if (status === 201) return { status: 'succeeded', result: told.output };
  // Refused for good, and every effect is undone: that is the outcome. Anything else is trouble of ours.
  if (status === 422) return { status: 'failed', error: `${told.code}: ${told.detail}` };
  throw new Error(`answered ${status}: ${text.slice(0, 400)}`);
}

export function pids(): number[] {
  const pid = running?.child.pid;
  return pid === undefined ? [] : [pid];
}

export function counters(): Promise<Record<string, number>> {
  const { child } = started();
  child.send('counts');
  return told(child);
}

export async function stop(): Promise<void> {
  if (running === null) return;
  const { child, directory, agent } = running;
  running = null;
  agent.destroy();
  child.disconnect();
  await once(child, 'exit');
  rmSync(directory, { recursive: true, force: true });
}

function started(): Running {
  if (running === null) throw new Error('start it first');
  return running;
}

async function told<T>(child: ChildProcess): Promise<T> {
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the measured process ended with ${code}`))),
  ]);
  return message as T;
}

function post(path: string, key: string, body: string): Promise<{ status: number; text: string }> {
  const { agent, port } = started();
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'idempotency-key': key,
    prefer: `wait=${WAIT_SECONDS}`,
  };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
