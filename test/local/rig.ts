/** Embedded mode in this process, on a directory of its own, ended and removed after each test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { World } from '../../lib/local/outside.ts';
import { type Runtime, startRuntime } from '../../lib/local/runtime.ts';
import type { Log } from '../../lib/ports.ts';

export const SIGNUP = { company: 'Acme', email: 'ada@example.com', plan: 'free' };
export const WAIT = { prefer: 'wait=10' };

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'dacapo-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export async function start(directory: string, port = 0, world?: World) {
  const lines: string[] = [];
  const log: Log = { write: (level, event) => void lines.push(`${level} ${event}`) };
  const runtime: Runtime = await startRuntime({
    port,
    directory,
    log,
    onFatal: (error) => lines.push(String(error)),
    ...(world === undefined ? {} : { world }),
  });
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closed ??= runtime.close();
    return closed;
  };
  onTestFinished(close);
  return { ...client(`http://127.0.0.1:${runtime.port}`), port: runtime.port, lines, close };
}

export function client(base: string) {
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Told> => {
    const response = await fetch(base + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  };
  const get = (path: string) => ask('GET', path);
  const post = (path: string, body?: unknown) => ask('POST', path, body);
  return {
    ask,
    get,
    post,
    submit: (key: string, headers: Record<string, string> = {}, input: unknown = SIGNUP) =>
      ask('POST', '/workflows/signup/jobs', input, { 'idempotency-key': key, ...headers }),
    fault: async (fault: Record<string, unknown>) => {
      const told = await post('/local/faults', fault);
      if (told.status !== 201) throw new Error(JSON.stringify(told.body));
    },
    /** Looks every few milliseconds; the test's own timeout ends a search in vain. */
    until: async (path: string, found: (body: Record<string, unknown>) => boolean) => {
      for (;;) {
        const { body } = await get(path);
        if (found(body)) return body;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}
