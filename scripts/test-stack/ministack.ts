/**
 * MiniStack, an emulator of AWS in one Python process: installed into a virtual environment of its own and started on
 * the loopback interface with TLS, signatures and IAM switched on, so that the stacks are deployed as they are. Functions
 * run in processes of the `node` that runs this script.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const HOST = '127.0.0.1';
const START_MS_MAX = 60_000;
const POLL_MS = 100;

/** Nothing else is started. */
const SERVICES = [
  ...['apigateway', 'cloudformation', 'dynamodb', 'ecr', 'events', 'iam', 'kms', 'lambda', 'logs', 'monitoring'],
  ...['s3', 'scheduler', 'sns', 'sqs', 'ssm', 'sts', 'tagging'],
];

export interface Emulator {
  readonly endpoint: string;
  /** Of its certificate, for whoever is to trust it. */
  readonly certificate: string;
  stop(): Promise<void>;
}

/** Why it cannot be had here: no Python, no network. */
export class NoEmulator extends Error {
  override readonly name = 'NoEmulator';
}

/** @param directory for its installation, kept between runs; its data lies in `scratch` */
export async function startMinistack(directory: string, scratch: string): Promise<Emulator> {
  const python = install(directory);
  const port = await freePort();
  const log = createWriteStream(join(scratch, 'ministack.log'));
  const certificate = join(scratch, 'ministack-tls', 'server.crt');
  const child = spawn(join(dirname(python), 'ministack'), [], {
    cwd: scratch,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment(port, scratch), NODE_EXTRA_CA_CERTS: certificate, AWS_CA_BUNDLE: certificate },
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const endpoint = `https://${HOST}:${port}`;
  await untilReady(child, port, join(scratch, 'ministack.log'));
  return {
    endpoint,
    certificate,
    stop: async () => {
      process.off('exit', kill);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await Promise.race([ended, pause(5_000).then(kill)]);
    },
  };
}

function environment(port: number, scratch: string): NodeJS.ProcessEnv {
  const { AWS_ENDPOINT_URL: _, AWS_ENDPOINT_URL_S3: __, ...inherited } = process.env;
  return {
    ...inherited,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
    TMPDIR: scratch,
    BIND_HOST: HOST,
    GATEWAY_PORT: String(port),
    IOT_MTLS_ENABLED: '0',
    SFTP_ENABLED: '0',
    SERVICES: SERVICES.join(','),
    USE_SSL: '1',
    AUTH: 'true',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
}

function install(directory: string): string {
  const python = join(directory, 'bin', 'python');
  const stamp = join(directory, 'requirements.txt');
  const wanted = readFileSync(REQUIREMENTS, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return python;
  mkdirSync(directory, { recursive: true });
  attempt('Python 3.10 or newer with its module venv', 'python3', ['-m', 'venv', directory]);
  attempt('a Python package index that can be reached', python, ['-m', 'pip', 'install', '-q', '-r', REQUIREMENTS]);
  attempt('openssl, to make the certificate', 'openssl', ['version']);
  execFileSync('cp', [REQUIREMENTS, stamp]);
  return python;
}

function attempt(needs: string, command: string, parameters: readonly string[]): void {
  try {
    execFileSync(command, [...parameters], { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? error).trim();
    throw new NoEmulator(
      `the stack cannot be tested here, it needs ${needs}:\n${said.split('\n').slice(-5).join('\n')}`,
    );
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilReady(child: ChildProcess, port: number, log: string): Promise<void> {
  const end = Date.now() + START_MS_MAX;
  while (Date.now() < end && child.exitCode === null) {
    if (existsSync(log) && readFileSync(log, 'utf8').includes(`Running on https://${HOST}:${port}`)) return;
    await pause(POLL_MS);
  }
  child.kill('SIGKILL');
  throw new Error(`MiniStack did not start:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
}
