/**
 * Places for the calls of a decision. They are taken after it and before its write, so a call that has no place leaves no
 * lease, no attempt and no trace; what cannot be had is decided once more without it.
 */
import type { Call, Decision, Rules } from '../core/events.ts';
import type { Full } from '../core/gates.ts';
import type { Job } from '../core/job.ts';
import type { Engine } from './engine.ts';

export interface Placed {
  readonly decision: Decision;
  /** Targets whose room somebody waits for. */
  readonly full: readonly string[];
  readonly places: { giveBack(): void };
}

const NO_PLACES = { giveBack: () => {} };

export async function withPlaces(
  { limits, rules }: Engine,
  job: Job,
  decide: (rules: Rules) => Promise<Decision>,
): Promise<Placed> {
  if (limits === undefined) return { decision: await decide(rules), full: [], places: NO_PLACES };
  const refused = new Map<string, Full>();
  let had = new Map<string, number>();
  for (;;) {
    const decision = await decide({ ...rules, full: roomLeft(refused, had) });
    const calls = decision.status === 'changed' ? decision.calls : [];
    const taken: Call[] = [];
    const giveBack = (): void => {
      for (const call of taken) limits.give(call);
    };
    let isAll = true;
    for (const call of calls) {
      const full = limits.take(job, call);
      if (full === null) taken.push(call);
      else refused.set(call.target, full);
      isAll &&= full === null;
    }
    if (isAll) return { decision, full: waitedFor(refused), places: { giveBack } };
    // What was decided with it cannot be done. Each round leaves out at least one call of the round before.
    had = countedBy(taken);
    giveBack();
  }
}

/** As many calls of a target that is full as had a place. */
function roomLeft(refused: ReadonlyMap<string, Full>, had: ReadonlyMap<string, number>) {
  const left = new Map(had);
  return (target: string): Full | null => {
    const full = refused.get(target) ?? null;
    const places = left.get(target) ?? 0;
    if (full === null || places === 0) return full;
    left.set(target, places - 1);
    return null;
  };
}

function countedBy(calls: readonly Call[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { target } of calls) counts.set(target, (counts.get(target) ?? 0) + 1);
  return counts;
}

function waitedFor(refused: ReadonlyMap<string, Full>): readonly string[] {
  return [...refused].flatMap(([target, { until }]) => (until === null ? [target] : []));
}
