/** Runs test suites in a copy of the tree, one after another, until a test fails. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

interface TestFile {
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  readonly name: string;
  readonly status: string;
}

/** @returns the first test that fails; null when all pass */
export async function firstFailure(
  tree: string,
  suites: readonly string[],
  started: (child: ChildProcess) => void,
): Promise<string | null> {
  const output = join(tree, 'mutation.json');
  for (const suite of suites) {
    rmSync(output, { force: true });
    const vitest = join(tree, 'node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', suite, '--bail', '1', '--reporter', 'json', '--outputFile', output];
    const child = spawn(process.execPath, args, { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] });
    started(child);
    const [code] = await once(child, 'exit');
    if (code !== 0) return failureIn(output, suite);
  }
  return null;
}

function failureIn(output: string, suite: string): string {
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as { testResults: readonly TestFile[] };
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed !== undefined) return `\`${within(name)}\`: ${failed.fullName.trim()}`;
  }
  const broken = testResults.find(({ status }) => status === 'failed');
  if (broken === undefined) throw new Error(`${suite} did not run`);
  return `\`${within(broken.name)}\`: its stories cannot be told any more`;
}

function within(path: string): string {
  return path.slice(path.lastIndexOf('/test/') + 1);
}
