/**
 * Looks for a run that breaks a rule.
 *   npm run simulate -- --seeds N --from S   random programs under random trouble
 *   npm run simulate -- --single             every call of every example's every ending × every fault
 *   npm run simulate -- --pairs [--story T]  every two of those faults together
 *   npm run simulate -- --trace S            one seed, with everything that happens
 * Progress goes to stderr. A failing seed is shrunk and told as a trace; the exit code is 1.
 */
import { parseArgs } from 'node:util';
import { describeFailure } from '../lib/testing/simulation/describe.ts';
import { programOf } from '../lib/testing/simulation/program.ts';
import { run } from '../lib/testing/simulation/run.ts';
import { shrink } from '../lib/testing/simulation/shrink.ts';
import {
  describeFailure as describeFaults,
  failureOf,
  type Single,
  singlesOf,
  tryFaults,
} from '../test/simulation/single-faults.ts';
import { ALL_STORIES, type Story } from '../test/simulation/stories.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    trace: { type: 'string' },
    single: { type: 'boolean', default: false },
    pairs: { type: 'boolean', default: false },
    story: { type: 'string', default: '' },
    /** Goes on after this many failures. */
    keep: { type: 'string', default: '1' },
  },
});

const REPORT_EVERY_MS = 15_000;

/** Tells on stderr how far it is, now and then. */
function progress(what: string, total: number): (done: number, failed: number) => void {
  const startedAt = Date.now();
  let toldAt = startedAt;
  return (done, failed) => {
    if (Date.now() - toldAt < REPORT_EVERY_MS && done < total) return;
    toldAt = Date.now();
    const seconds = (toldAt - startedAt) / 1_000;
    process.stderr.write(`${what}: ${done} of ${total}, ${failed} failed, ${seconds.toFixed(0)} s\n`);
  };
}

async function seeds(from: number, count: number, keep: number): Promise<boolean> {
  const tell = progress(`seeds from ${from}`, count);
  const totals = { calls: 0, faults: 0, jobs: 0 };
  let failed = 0;
  for (let done = 0; done < count && failed < keep; done += 1) {
    const program = programOf(from + done);
    const report = await run(program);
    totals.calls += report.calls;
    totals.faults += report.fired.length;
    totals.jobs += report.jobs.length;
    if (report.broken.length > 0) {
      failed += 1;
      const shrunken = await shrink(program);
      console.log(shrunken === null ? `seed ${program.seed} fails now and then` : describeFailure(shrunken));
    }
    tell(done + 1, failed);
    // Ticks alone would never let a signal in.
    if (done % 1_000 === 0) await new Promise(setImmediate);
  }
  console.log(
    `${count} seeds from ${from}: ${failed} failed; ${totals.jobs} jobs, ${totals.calls} calls, ${totals.faults} faults`,
  );
  return failed === 0;
}

async function trace(seed: number): Promise<boolean> {
  const program = programOf(seed);
  const report = await run(program, { traced: true });
  const faults = new Map(report.fired.map(({ site, fault }) => [site.ordinal, fault]));
  console.log(describeFailure({ program, faults, report }));
  return report.broken.length === 0;
}

function stories(): readonly Story[] {
  return ALL_STORIES.filter(({ name }) => name.includes(values.story));
}

async function faults(
  setsOf: (singles: readonly Single[]) => Generator<readonly Single[]>,
  keep: number,
): Promise<boolean> {
  let runs = 0;
  let failed = 0;
  for (const story of stories()) {
    const sets = [...setsOf(await singlesOf(story))];
    const tell = progress(story.name, sets.length);
    for (const [index, set] of sets.entries()) {
      const failure = await failureOf(story, set);
      runs += 1;
      if (failure !== null) {
        failed += 1;
        console.log(describeFaults(failure));
        if (failed === 1) console.log((await tryFaults(story, set, true)).record.lines.join('\n'));
        if (failed >= keep) return false;
      }
      tell(index + 1, failed);
    }
  }
  console.log(`${runs} runs of ${stories().length} stories: ${failed} failed`);
  return failed === 0;
}

function* each(singles: readonly Single[]): Generator<readonly Single[]> {
  for (const single of singles) yield [single];
}

function* pairs(singles: readonly Single[]): Generator<readonly Single[]> {
  for (const [index, first] of singles.entries()) {
    for (const second of singles.slice(index + 1)) {
      if (second.site.ordinal !== first.site.ordinal) yield [first, second];
    }
  }
}

const keep = Number(values.keep);
const fine =
  values.trace !== undefined
    ? await trace(Number(values.trace))
    : values.single
      ? await faults(each, keep)
      : values.pairs
        ? await faults(pairs, keep)
        : await seeds(Number(values.from), Number(values.seeds), keep);
process.exitCode = fine ? 0 : 1;
