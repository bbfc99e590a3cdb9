/**
 * npm run bundle:size: how large each Lambda's bundle is, and how long a fresh process takes to import it. Size is what
 * decides a cold start: everything in the bundle is read and compiled before the first request.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, EXAMPLE_DEFINITIONS, entryOf } from '../lib/infra/bundle.ts';

const LAMBDAS = join(import.meta.dirname, '../lambdas');
/** The middle of a few runs: one alone tells more about the machine. */
const RUNS = 5;

/** What every function's environment has; nothing is called while importing. */
const ENVIRONMENT = {
  DACAPO_TABLE_NAME: 'table',
  DACAPO_BUCKET_NAME: 'bucket',
  DACAPO_OPERATIONS_TABLE: 'operations',
  DACAPO_HTTP_TARGETS: '{"allowed_hosts":[],"targets":[]}',
  AWS_REGION: 'us-east-1',
};

const TIMED = `
  const started = performance.now();
  await import(process.argv[1]);
  process.stdout.write(String(performance.now() - started));
  process.exit(0);`;

export interface BundleReport {
  readonly name: string;
  /** What is read and compiled before the first request. */
  readonly bytes: number;
  /** What lies beside and is loaded on demand. */
  readonly lazyBytes: number;
  readonly importMs: number;
}

export function lambdaNames(): string[] {
  const files = (folder: string): string[] =>
    readdirSync(join(LAMBDAS, folder)).filter((file) => file.endsWith('.ts') && file !== 'definitions.ts');
  return [...files('.'), ...files('participants').map((file) => `participants/${file}`)].map((file) =>
    file.slice(0, -'.ts'.length),
  );
}

export function measure(name: string, runs = RUNS): BundleReport {
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-size-'));
  try {
    const { outputs } = build(entryOf(name), EXAMPLE_DEFINITIONS, directory).metafile;
    const file = join(directory, 'index.mjs');
    const times = Array.from({ length: runs }, () => importMs(file)).sort((a, b) => a - b);
    return { name, ...sizes(outputs), importMs: times[Math.floor(times.length / 2)] ?? 0 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

type Outputs = ReturnType<typeof build>['metafile']['outputs'];

/** Follows what the entry imports at once; all else is loaded on demand. */
function sizes(outputs: Outputs): { bytes: number; lazyBytes: number } {
  const eager = new Set<string>();
  const visit = (file: string): void => {
    if (eager.has(file)) return;
    eager.add(file);
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') visit(path);
  };
  for (const [file, output] of Object.entries(outputs))
    if (output.entryPoint !== undefined && /index\.mjs$/.test(file)) visit(file);
  const total = (files: string[]): number => files.reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
  const all = Object.keys(outputs);
  return {
    bytes: total(all.filter((file) => eager.has(file))),
    lazyBytes: total(all.filter((file) => !eager.has(file))),
  };
}

function importMs(file: string): number {
  const env = { ...process.env, ...ENVIRONMENT };
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', TIMED, file], { env, encoding: 'utf8' }));
}

if (import.meta.main) {
  process.stdout.write(
    `${'function'.padEnd(26)}${'KB'.padStart(8)}${'on demand'.padStart(12)}${'import ms'.padStart(12)}\n`,
  );
  for (const name of lambdaNames()) {
    const report = measure(name);
    const kb = (bytes: number): string => (bytes / 1_024).toFixed(1);
    const columns = [
      kb(report.bytes).padStart(8),
      kb(report.lazyBytes).padStart(12),
      report.importMs.toFixed(0).padStart(12),
    ];
    process.stdout.write(`${name.padEnd(26)}${columns.join('')}\n`);
  }
}
