/**
 * Takes each guard away, one at a time, in a copy of the tree, and looks whether a test notices: a suite that passes
 * without a guard does not hold it.
 *   npm run mutate                       all of them, and the table for docs/testing.md
 *   npm run mutate -- --only "undo"      those whose name says so
 *   npm run mutate -- --suite PATH       with this suite instead of the ones named
 *   npm run mutate -- --write            also puts the table into docs/testing.md
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { GUARDS, type Guard } from './mutate/guards.ts';

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

interface TestFile {
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  readonly name: string;
  readonly status: string;
  readonly message: string;
}

/** The first test that fails; null when all pass. */
function firstFailure(tree: string, suites: readonly string[]): string | null {
  const output = join(tree, 'mutation.json');
  for (const suite of suites) {
    rmSync(output, { force: true });
    const args = ['vitest', 'run', suite, '--bail', '1', '--reporter', 'json', '--outputFile', output];
    const { status, stderr } = spawnSync('npx', args, { cwd: tree, encoding: 'utf8' });
    if (status === 0) continue;
    const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as { testResults: readonly TestFile[] };
    const failed = testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter((one) => one.status === 'failed')
        .map(({ fullName }) => `${name.slice(name.indexOf('/test/') + 1)}: ${fullName.trim()}`),
    );
    const [first] = failed;
    if (first !== undefined) return first;
    const broken = testResults.find(({ status: state }) => state === 'failed');
    if (broken === undefined) throw new Error(`${suite} did not run: ${stderr}`);
    return `${broken.name.slice(broken.name.indexOf('/test/') + 1)}: its stories cannot be told any more`;
  }
  return null;
}

/** @returns what noticed; null: nothing did */
function tryWithout(tree: string, guard: Guard): string | null {
  const path = join(tree, guard.file);
  const whole = readFileSync(path, 'utf8');
  const places = whole.split(guard.find).length - 1;
  if (places !== 1) throw new Error(`${guard.name}: its text stands ${places} times in ${guard.file}, not once`);
  writeFileSync(
    path,
    whole.replace(guard.find, () => guard.replace),
  );
  try {
    return firstFailure(tree, values.suite === undefined ? guard.suites : [values.suite]);
  } finally {
    writeFileSync(path, whole);
  }
}

function tableOf(rows: readonly (readonly [Guard, string | null])[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
  const lines = rows.map(
    ([{ name, file }, by]) => `| ${cell(name)} | \`${file}\` | ${by === null ? '**nothing**' : cell(by)} |`,
  );
  return ['| without | in | fails |', '|---|---|---|', ...lines].join('\n');
}

const START = '<!-- guards -->';
const END = '<!-- /guards -->';

function write(table: string): void {
  const path = join(ROOT, 'docs/testing.md');
  const whole = readFileSync(path, 'utf8');
  const [before, rest] = whole.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/testing.md has no ${START} … ${END}`);
  writeFileSync(path, `${before}${START}\n${table}\n${END}${after}`);
}

const tree = copyOfTree();
const rows: [Guard, string | null][] = [];
try {
  const guards = GUARDS.filter(({ name }) => name.includes(values.only));
  for (const [index, guard] of guards.entries()) {
    const by = tryWithout(tree, guard);
    rows.push([guard, by]);
    process.stderr.write(`${index + 1} of ${guards.length}: ${guard.name}: ${by ?? 'NOTHING FAILS'}\n`);
  }
} finally {
  rmSync(tree, { recursive: true });
}
const table = tableOf(rows);
console.log(table);
if (values.write) write(table);
process.exitCode = rows.some(([, by]) => by === null) ? 1 : 0;
