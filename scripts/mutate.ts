/**
 * Takes each guard away, one at a time, in a copy of the tree, and looks whether a test notices: a suite that passes
 * without a guard does not hold it.
 *   npm run mutate                       all of them
 *   npm run mutate -- --only "undo"      those whose name says so
 *   npm run mutate -- --suite PATH       with this suite instead of the ones named
 *   npm run mutate -- --write            also puts what was found into docs/testing.md
 * The tree itself is never touched; the copy goes when this ends, also by a signal.
 */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { firstFailure } from './mutate/first-failure.ts';
import { GUARDS, type Guard } from './mutate/guards.ts';
import { tableOf, writeTable } from './mutate/table.ts';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    suite: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

/** What is committed or about to be, beside the packages as they are installed. */
function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'dacapo-mutate-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const path of listed.toString().split('\0').filter(Boolean)) {
    mkdirSync(join(copy, dirname(path)), { recursive: true });
    try {
      cpSync(join(ROOT, path), join(copy, path));
    } catch {
      // Listed and deleted since: whoever is at work there knows.
    }
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** @returns what noticed; null: nothing did */
async function tryWithout(tree: string, guard: Guard): Promise<string | null> {
  const path = join(tree, guard.file);
  const whole = readFileSync(path, 'utf8');
  const [before, after, ...more] = whole.split(guard.find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${guard.name}: its text does not stand once in ${guard.file}`);
  writeFileSync(path, `${before}${guard.replace}${after}`);
  try {
    return await firstFailure(tree, values.suite === undefined ? guard.suites : [values.suite], (child) => {
      running = child;
    });
  } finally {
    writeFileSync(path, whole);
  }
}

let running: ChildProcess | null = null;
const tree = copyOfTree();
const tidy = (): void => rmSync(tree, { recursive: true, force: true });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    running?.kill('SIGKILL');
    tidy();
    process.exit(1);
  });
}

const rows = new Map<string, { file: string; fails: string | null }>();
try {
  const guards = GUARDS.filter(({ name }) => name.includes(values.only));
  for (const [index, guard] of guards.entries()) {
    const fails = await tryWithout(tree, guard);
    rows.set(guard.name, { file: guard.file, fails });
    process.stderr.write(`${index + 1} of ${guards.length}: ${guard.name}: ${fails ?? 'NOTHING FAILS'}\n`);
    if (values.write) writeTable(GUARDS, rows);
  }
} finally {
  tidy();
}
console.log(tableOf(rows));
process.exitCode = [...rows.values()].some(({ fails }) => fails === null) ? 1 : 0;
