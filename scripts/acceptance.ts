/**
 * npm run acceptance [-- --url <base>] [--only <part of a case's name>] [--gently]
 *
 * The black-box suite of test/acceptance against the deployment at <base>, or, without one, against embedded mode, which
 * each file of cases starts for itself. `--gently` asks little at once, for a deployment that is slow. Ends with one line
 * `N passed, N failed, N skipped`, and with 1 if any failed.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { Api } from '../test/acceptance/support/api.ts';
import { isEmbedded } from '../test/acceptance/support/runtime.ts';

const CASES = join(import.meta.dirname, '../test/acceptance/cases');
/** The cases mostly wait, so more files at once than there are cores. */
const FILES_AT_ONCE = 4;

const { values } = parseArgs({
  options: { url: { type: 'string' }, only: { type: 'string' }, gently: { type: 'boolean' } },
});

let concurrency = values.gently ? 1 : FILES_AT_ONCE;
if (values.gently) process.env.DACAPO_ACCEPTANCE_AT_ONCE = '2';
if (values.url) {
  process.env.DACAPO_ACCEPTANCE_URL = values.url;
  // Clock and faults belong to the whole runtime: on a shared embedded one, files take turns.
  if (await isEmbedded(new Api(values.url))) concurrency = 1;
}

const files = readdirSync(CASES)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(CASES, name));
const results = run({
  files,
  concurrency,
  ...(values.only && { testNamePatterns: [new RegExp(literally(values.only))] }),
});

const tally = { passed: 0, failed: 0, skipped: 0 };
results.on('test:pass', ({ details, skip }) => {
  if (details.type !== 'suite') tally[skip === undefined ? 'passed' : 'skipped']++;
});
results.on('test:fail', ({ details }) => {
  if (details.type !== 'suite') tally.failed++;
});
for await (const line of results.compose(spec)) process.stdout.write(line);
process.stdout.write(`\n${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped\n`);
process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
