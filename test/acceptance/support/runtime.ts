/**
 * The product under test: the deployment at DACAPO_ACCEPTANCE_URL, else an embedded one that this process starts for
 * itself, on its own data, and ends. Each file of cases runs in a process, so files share neither clock nor faults.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Api } from './api.ts';
import { Local } from './local.ts';

const PROJECT = join(import.meta.dirname, '../../..');
const START_MS_MAX = 20_000;
const STOP_MS_MAX = 5_000;

export interface Deployment {
  api: Api;
  /** null where there is no embedded mode to inspect and disturb */
  local: Local | null;
  close(): Promise<void>;
}

export async function openDeployment(): Promise<Deployment> {
  const url = process.env.DACAPO_ACCEPTANCE_URL;
  if (url) {
    const api = new Api(url);
    return { api, local: (await isEmbedded(api)) ? new Local(api) : null, close: async () => {} };
  }
  const data = await mkdtemp(join(tmpdir(), 'dacapo-acceptance-'));
  const runtime = await startEmbedded(data);
  return {
    api: runtime.api,
    local: new Local(runtime.api),
    close: async () => {
      await runtime.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

export async function isEmbedded(api: Api): Promise<boolean> {
  return (await api.call('GET', '/local/faults')).status === 200;
}

export interface EmbeddedRuntime {
  api: Api;
  /** SIGTERM; refuses to call a runtime stopped that needed longer than promised */
  stop(): Promise<void>;
  /** SIGKILL */
  kill(): Promise<void>;
}

export async function startEmbedded(
  dataDirectory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<EmbeddedRuntime> {
  const child = spawn(process.execPath, ['lib/local/main.ts'], {
    cwd: PROJECT,
    env: { ...process.env, ...settings, PORT: '0', DACAPO_DATA: dataDirectory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));

  const api = new Api(await listeningAt(child));
  return {
    api,
    stop: async () => {
      if (!(await endBy(child, 'SIGTERM', STOP_MS_MAX))) {
        await endBy(child, 'SIGKILL', STOP_MS_MAX);
        throw new Error(`embedded mode did not end within ${STOP_MS_MAX} ms of SIGTERM`);
      }
    },
    kill: async () => {
      await endBy(child, 'SIGKILL', STOP_MS_MAX);
    },
  };
}

async function listeningAt(child: ChildProcess): Promise<string> {
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said = (said + chunk).slice(-4_000);
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const tooLate = setTimeout(() => reject(new Error(`embedded mode is not listening\n${said}`)), START_MS_MAX);
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`embedded mode ended with ${code} before it listened\n${said}`)));
  if (child.stdout) {
    createInterface(child.stdout).on('line', (line) => {
      const url = /^dacapo listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1];
      if (url) resolve(url);
    });
  }
  return promise.finally(() => clearTimeout(tooLate));
}

/** Whether the process has ended in time. */
async function endBy(child: ChildProcess, signal: NodeJS.Signals, msMax: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(msMax) });
  child.kill(signal);
  return ended.then(
    () => true,
    () => false,
  );
}
