/**
 * Looks for a run that breaks a rule.
 *   npm run simulate -- --seeds N --from S [--workers W]   random programs under random trouble
 *   npm run simulate -- --single [--story T]               every call of every example's every ending × every fault
 *   npm run simulate -- --pairs [--story T]                every two of those faults together
 *   npm run simulate -- --trace S                          one seed, with everything that happens
 * Progress goes to stderr. A failing seed is shrunk and told as a trace; the exit code is 1.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { describeFailure } from '../lib/testing/simulation/describe.ts';
import { programOf } from '../lib/testing/simulation/program.ts';
import { run } from '../lib/testing/simulation/run.ts';
import { type Chunk, type Counts, NOTHING_YET, runSeeds, together } from '../lib/testing/simulation/seeds.ts';
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
    /** Processes that share the seeds. */
    workers: { type: 'string', default: '1' },
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
    const rate = `${(done / seconds).toFixed(0)} a second`;
    process.stderr.write(`${what}: ${done} of ${total}, ${failed} failed, ${seconds.toFixed(0)} s, ${rate}\n`);
  };
}

/** Large enough that handing out costs nothing, small enough that progress shows and all end together. */
const SEEDS_A_CHUNK = 250;

async function seeds(from: number, count: number, keep: number, workers: number): Promise<boolean> {
  const startedAt = Date.now();
  const tell = progress(`seeds from ${from}`, count);
  let counts = NOTHING_YET;
  let next = from;
  const takeChunk = (): Chunk | null => {
    const size = Math.min(SEEDS_A_CHUNK, from + count - next);
    if (size <= 0 || counts.failures.length >= keep) return null;
    next += size;
    return { from: next - size, count: size };
  };
  const work = async (simulate: (chunk: Chunk) => Promise<Counts>): Promise<void> => {
    for (let chunk = takeChunk(); chunk !== null; chunk = takeChunk()) {
      const more = await simulate(chunk);
      for (const failure of more.failures) console.log(failure);
      counts = together(counts, more);
      tell(counts.seeds, counts.failures.length);
    }
  };
  const children = workers > 1 ? Array.from({ length: workers }, () => fork(WORKER)) : [];
  try {
    await Promise.all(children.length === 0 ? [work(runSeeds)] : children.map((child) => work(remotely(child))));
  } finally {
    for (const child of children) child.disconnect();
  }
  const seconds = (Date.now() - startedAt) / 1_000;
  const { failures, jobs, calls, faults } = counts;
  console.log(
    `${counts.seeds} seeds from ${from} in ${seconds.toFixed(1)} s, ${(counts.seeds / seconds).toFixed(0)} a second: ` +
      `${failures.length} failed; ${jobs} jobs, ${calls} calls, ${faults} faults`,
  );
  return failures.length === 0;
}

const WORKER = new URL('./simulate-worker.ts', import.meta.url);

function remotely(child: ChildProcess): (chunk: Chunk) => Promise<Counts> {
  return (chunk) =>
    new Promise((resolve, reject) => {
      const died = (code: number | null): void => reject(new Error(`a worker ended with ${code}`));
      child.once('exit', died);
      child.once('message', (counts: Counts) => {
        child.off('exit', died);
        resolve(counts);
      });
      child.send(chunk);
    });
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
        : await seeds(Number(values.from), Number(values.seeds), keep, Number(values.workers));
process.exitCode = fine ? 0 : 1;
