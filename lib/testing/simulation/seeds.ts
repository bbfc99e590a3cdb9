/** Many seeds one after another, counted: what a process that shares the work with others does with its part. */
import { describeFailure } from './describe.ts';
import { programOf } from './program.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';

export interface Chunk {
  readonly from: number;
  readonly count: number;
}

export interface Counts {
  readonly seeds: number;
  readonly jobs: number;
  readonly calls: number;
  readonly faults: number;
  /** Each a seed, shrunken, as a trace. */
  readonly failures: readonly string[];
}

export const NOTHING_YET: Counts = { seeds: 0, jobs: 0, calls: 0, faults: 0, failures: [] };

export function together(some: Counts, more: Counts): Counts {
  return {
    seeds: some.seeds + more.seeds,
    jobs: some.jobs + more.jobs,
    calls: some.calls + more.calls,
    faults: some.faults + more.faults,
    failures: [...some.failures, ...more.failures],
  };
}

export async function runSeeds({ from, count }: Chunk): Promise<Counts> {
  let counts = NOTHING_YET;
  for (let seed = from; seed < from + count; seed += 1) {
    counts = together(counts, await runSeed(seed));
    // Ticks alone would never let anybody else speak.
    if (seed % 50 === 0) await new Promise(setImmediate);
  }
  return counts;
}

async function runSeed(seed: number): Promise<Counts> {
  const program = programOf(seed);
  const { broken, calls, fired, jobs } = await run(program);
  const failures = broken.length === 0 ? [] : [await told(program)];
  return { seeds: 1, jobs: jobs.length, calls, faults: fired.length, failures };
}

async function told(program: Parameters<typeof shrink>[0]): Promise<string> {
  const shrunken = await shrink(program);
  return shrunken === null ? `seed ${program.seed} fails now and then` : describeFailure(shrunken);
}
