/** Runs test/stack against the deployment that DACAPO_STACK describes; the closing line is `N passed, N failed, N skipped`. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const CASES = join(import.meta.dirname, '../../test/stack/cases');
const files = readdirSync(CASES)
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map((name) => join(CASES, name));

const tally = { passed: 0, failed: 0, skipped: 0 };
// They mostly wait; one of them at a time would wait for each other's waiting.
const results = run({ files, concurrency: files.length });
results.on('test:pass', ({ details, skip }) => {
  if (details.type !== 'suite') tally[skip === undefined ? 'passed' : 'skipped']++;
});
results.on('test:fail', ({ details }) => {
  if (details.type !== 'suite') tally.failed++;
});
for await (const line of results.compose(spec)) process.stdout.write(line);
process.stdout.write(`\n${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped\n`);
process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;
