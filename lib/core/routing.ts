/**
 * Where a call goes, decided before each attempt: the first target that is free, else the first degraded one that the
 * route lets through, else nowhere for now. What may have been applied at one target is never asked of another.
 */
import { type Draft, leaseHolds } from './draft.ts';
import { isAlive } from './effects.ts';
import type { Direction } from './events.ts';
import { dependencyGate, type Pass } from './gates.ts';
import type { GateId } from './ids.ts';
import type { StepState } from './job.ts';
import type { Route, Target } from './plan.ts';

/** Where a call goes that nothing holds. */
export interface OpenWay {
  readonly held: false;
  readonly target: string;
  readonly probe: boolean;
}

export type Way = OpenWay | { readonly held: true; readonly by: GateId };

/** The targets of a route, in the order in which they are tried. */
export function targetsOf(route: Route): readonly Target[] {
  return [route, ...(route.alternatives ?? [])];
}

export function wayOf(draft: Draft, step: StepState, topic: string, direction: Direction): Way {
  const candidates = candidatesOf(draft, step, topic, direction);
  const passes = candidates.map((target) => ({ target, pass: passOf(draft, step, topic, direction, target.target) }));
  const free = passes.find(({ pass }) => pass.pass === 'free' || pass.pass === 'probe');
  const chosen = free ?? passes.find(({ target, pass }) => pass.pass === 'degraded' && target.allowDegraded !== false);
  if (chosen !== undefined) {
    return { held: false, target: chosen.target.target, probe: chosen.pass.pass === 'probe' };
  }
  const gates = passes.map(({ target, pass }) => (pass.pass === 'held' ? pass.by : dependencyGate(target.target)));
  // Whoever paused something on purpose decides when it goes on, also where an alternative would come back earlier.
  return { held: true, by: gates.find((gate) => gate.startsWith('pause:')) ?? gates[0] ?? dependencyGate(topic) };
}

function passOf(draft: Draft, step: StepState, topic: string, direction: Direction, target: string): Pass {
  const { job, context } = draft;
  const pass = context.rules.gate({ topic, target, direction, job });
  if (pass.pass !== 'probe') return pass;
  // A probe is one call: not a sibling's beside it, and not a query, which could not be asked again for nothing.
  const alone = !job.steps.some((one) => one.name !== step.name && one.target === target && isOut(draft, one));
  return alone && direction !== 'query' ? pass : { pass: 'held', by: dependencyGate(target) };
}

function isOut(draft: Draft, step: StepState): boolean {
  const { now, rules } = draft.context;
  return leaseHolds(draft, step) || isAlive(step.undo?.lease ?? null, now, rules.livingOwners);
}

function candidatesOf(draft: Draft, step: StepState, topic: string, direction: Direction): readonly Target[] {
  const route = draft.context.rules.route(topic);
  const unrouted = { target: step.target ?? '', fencing: false, maxRunMs: 0 };
  if (route === undefined) return [unrouted];
  const targets = targetsOf(route);
  const pinned = pinnedTo(draft, step, direction);
  if (pinned === null) return targets;
  const there = targets.find(({ target }) => target === pinned);
  if (there !== undefined) return [there];
  // The effect stays where it was made though the topic leads elsewhere now, unless others do the undoing anyway.
  const forward = draft.plan.steps.find(({ name }) => name === step.name)?.topic ?? null;
  const forwardRoute = forward === null ? undefined : draft.context.rules.route(forward);
  return direction === 'do' || forwardRoute?.target === route.target ? [{ ...route, target: pinned }] : targets;
}

/** Where the operation has or may have taken effect; null while it is nowhere. */
function pinnedTo({ job }: Draft, step: StepState, direction: Direction): string | null {
  if (job.lineage.undoes?.target !== undefined) return job.lineage.undoes.target;
  if (direction !== 'do') return step.target;
  return step.mayHaveApplied || step.status === 'unknown' || step.status === 'reconciling' ? step.target : null;
}
