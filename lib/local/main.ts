/**
 * `npm start`. Says one line on stdout when requests are answered; everything else, errors included, goes to stderr.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readLocalEnvironment } from '../contract/environment.ts';
import { NO_WAYS, parseLocalSecrets, parseLocalWays } from '../contract/local-ways.ts';
import { parsePolicies } from '../contract/policies.ts';
import { NO_POLICIES } from '../core/policy-settings.ts';
import { stderrLog } from './log.ts';
import { type Runtime, startRuntime } from './runtime.ts';

/** The contract allows five seconds; whatever still runs then is as safe to kill as at any other moment. */
const END_MS_MAX = 4_500;
/** Sooner than anybody can start npm again. */
const LOOK_FOR_NPM_EVERY_MS = 100;

function fail(error: unknown): never {
  process.stderr.write(`dacapo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

function dataDirectory(configured: string, ephemeral: boolean): string {
  if (!ephemeral) return resolve(configured);
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A mistake in it keeps the server from starting: what differs from what somebody wrote would show too late. */
function readIn<T>(variable: string, file: string | null, parse: (text: string) => T, otherwise: T): T {
  if (file === null) return otherwise;
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${variable} ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function endOnSignal(runtime: Runtime): void {
  const end = (): void => {
    setTimeout(() => process.exit(0), END_MS_MAX).unref();
    runtime.close().then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
}

/** A killed npm passes nothing on: left alone, the server would keep the port and the file from the next start. */
function endWithNpm(): void {
  const npm = process.ppid;
  const look = (): void => {
    if (process.ppid !== npm) process.exit(1);
  };
  setInterval(look, LOOK_FOR_NPM_EVERY_MS).unref();
}

try {
  const {
    port,
    dataDirectory: configured,
    ephemeral,
    errorsFile,
    lifecycleEvents,
    startedByNpm,
    routesFile,
    secretsFile,
  } = readLocalEnvironment();
  if (startedByNpm) endWithNpm();
  const policies = readIn('DACAPO_ERRORS', errorsFile, parsePolicies, NO_POLICIES);
  const ways = readIn('DACAPO_ROUTES', routesFile, parseLocalWays, NO_WAYS);
  const secrets = readIn('DACAPO_SECRETS', secretsFile, parseLocalSecrets, new Map<string, string>());
  const directory = dataDirectory(configured, ephemeral);
  const runtime = await startRuntime({
    port,
    directory,
    log: stderrLog(),
    policies,
    lifecycleEvents,
    world: { ways, secrets },
    onFatal: fail,
  });
  endOnSignal(runtime);
  process.stdout.write(`dacapo listening on http://127.0.0.1:${runtime.port}\n`);
} catch (error) {
  fail(error);
}
