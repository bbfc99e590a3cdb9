/**
 * The adapters for AWS under fire, on engines of this process.
 *   npm run fire -- --seeds N --from S    random programs under random trouble
 *   npm run fire -- --stories [--story T] every HTTP attempt of every story × everything that can go wrong there
 *   npm run fire -- --trace S             one seed, with everything that happens
 * Progress goes to stderr; the exit code is 1 when a rule was broken.
 */
import { parseArgs } from 'node:util';
import { programOf } from '../lib/testing/simulation/program.ts';
import { startEngines } from '../test/adapters/aws/fire/engines.ts';
import { fire, runUnderFire, shotsOf } from '../test/adapters/aws/fire/fire.ts';
import { ALL_STORIES } from '../test/simulation/stories.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    stories: { type: 'boolean', default: false },
    story: { type: 'string', default: '' },
    trace: { type: 'string' },
  },
});

const REPORT_EVERY = 100;
// Both clocks stand still while a run has its own time.
const startedAt = performance.now();
const engines = await startEngines();
const broken: string[] = [];
let runs = 0;

function ran(found: readonly string[]): void {
  runs += 1;
  broken.push(...found);
  for (const rule of found) console.log(rule);
  if (runs % REPORT_EVERY === 0) process.stderr.write(`${runs} runs, ${broken.length} rules broken\n`);
}

if (values.trace !== undefined) {
  const report = await runUnderFire(engines, programOf(Number(values.trace)), true);
  console.log(report.record.lines.join('\n'));
  ran(report.broken);
} else if (values.stories) {
  for (const story of ALL_STORIES.filter(({ name }) => name.includes(values.story))) {
    for (const shot of await shotsOf(engines, story, true)) ran(await fire(engines, story, shot));
  }
} else {
  const from = Number(values.from);
  for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
    const report = await runUnderFire(engines, programOf(seed));
    ran(report.broken.map((rule) => `seed ${seed}: ${rule}`));
  }
}
console.log(`${runs} runs in ${Math.round((performance.now() - startedAt) / 1_000)} s: ${broken.length} rules broken`);
await engines.stop();
process.exitCode = broken.length === 0 ? 0 : 1;
