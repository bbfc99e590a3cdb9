/**
 * From a run that breaks a rule to a smaller one that breaks the same rule: without the faults, deeds, orders and
 * habits that turn out not to matter. Greedy, one thing at a time, until nothing more can be left out.
 */
import type { Fault } from './faults.ts';
import type { Program } from './program.ts';
import { type Report, run } from './run.ts';

export interface Shrunken {
  readonly program: Program;
  readonly faults: ReadonlyMap<number, Fault>;
  /** Traced. */
  readonly report: Report;
}

/** null: the program breaks nothing. */
export async function shrink(program: Program, runs: typeof run = run): Promise<Shrunken | null> {
  const first = await runs(program);
  const rule = ruleOf(first);
  if (rule === null) return null;
  let smallest = { program, faults: new Map(first.fired.map(({ site, fault }) => [site.ordinal, fault])) };
  const breaks = async (candidate: Candidate): Promise<boolean> =>
    ruleOf(await runs(candidate.program, { faults: candidate.faults })) === rule;
  // The plan that drew these faults by chance is the program's own; written down, they must lead to the same end.
  if (!(await breaks(smallest))) return { ...smallest, report: await runs(program, { traced: true }) };
  for (let found = true; found; ) {
    found = false;
    for (const candidate of smallerThan(smallest)) {
      if (!(await breaks(candidate))) continue;
      smallest = candidate;
      found = true;
      break;
    }
  }
  return { ...smallest, report: await runs(smallest.program, { traced: true, faults: smallest.faults }) };
}

/** Rules are named by a letter and a number; what is thrown has no name. */
function ruleOf({ broken }: Report): string | null {
  const [first] = broken;
  return first === undefined ? null : (/\bI\d+\b/.exec(first)?.[0] ?? 'thrown');
}

interface Candidate {
  readonly program: Program;
  readonly faults: Map<number, Fault>;
}

function* smallerThan({ program, faults }: Candidate): Generator<Candidate> {
  const withProgram = (over: Partial<Program>): Candidate => ({ program: { ...program, ...over }, faults });
  // Many at once first: an outage is thousands of faults.
  const all = [...faults];
  for (let size = Math.ceil(all.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < all.length; from += size) {
      yield { program, faults: new Map(all.filter((_, index) => index < from || index >= from + size)) };
    }
  }
  for (const deed of program.deeds) yield withProgram({ deeds: program.deeds.filter((one) => one !== deed) });
  for (const order of program.orders) {
    if (program.orders.length > 1) yield withProgram({ orders: program.orders.filter((one) => one !== order) });
  }
  for (const look of program.looks) yield withProgram({ looks: program.looks.filter((one) => one !== look) });
  if (program.skews.length > 1) yield withProgram({ skews: [0] });
  if (program.comesAgain > 0) yield withProgram({ comesAgain: 0 });
  if (program.deploys) yield withProgram({ deploys: false });
  if (program.settles) yield withProgram({ settles: false });
  if (program.ages) yield withProgram({ ages: false });
  if (program.repeats) yield withProgram({ repeats: false });
  for (const [name, spec] of program.services) {
    const tame = {
      ...spec,
      forward: ['ok'],
      undo: ['ok'],
      query: ['ok'],
      refuses: 0,
      refusesUndo: 0,
      babbles: 0,
    } as const;
    if (JSON.stringify(tame) !== JSON.stringify(spec)) {
      yield withProgram({ services: new Map([...program.services, [name, tame]]) });
    }
  }
}
