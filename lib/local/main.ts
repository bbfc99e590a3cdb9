/**
 * `npm start`. Says one line on stdout when requests are answered; everything else, errors included, goes to stderr.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readLocalEnvironment } from '../contract/environment.ts';
import { stderrLog } from './log.ts';
import { type Runtime, startRuntime } from './runtime.ts';

/** The contract allows five seconds; whatever still runs then is as safe to kill as at any other moment. */
const END_MS_MAX = 4_500;

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

function endOnSignal(runtime: Runtime): void {
  const end = (): void => {
    setTimeout(() => process.exit(0), END_MS_MAX).unref();
    runtime.close().then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
}

try {
  const { port, dataDirectory: configured, ephemeral } = readLocalEnvironment();
  const directory = dataDirectory(configured, ephemeral);
  const runtime = await startRuntime({ port, directory, log: stderrLog(), onFatal: fail });
  endOnSignal(runtime);
  process.stdout.write(`dacapo listening on http://127.0.0.1:${runtime.port}\n`);
} catch (error) {
  fail(error);
}
