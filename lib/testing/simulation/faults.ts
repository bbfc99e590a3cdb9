/**
 * What can go wrong at one outside call, and plans of what goes wrong when: one fault at one place, a list of them, or
 * chance from a seed. A plan is asked once at each call, in order, so a run is decided by its plan.
 */
import type { Chance } from './chance.ts';
import type { FunctionName } from './invocation.ts';

export type Port =
  | 'jobs'
  | 'values'
  | 'claims'
  | 'dependencies'
  | 'deadLetters'
  | 'audit'
  | 'pauses'
  | 'schedules'
  | 'wakeups'
  | 'queue'
  | 'timers'
  | 'bus'
  | 'participants';
export type CallName = `${Port}.${string}`;

export const MODES = [
  /** The function dies at the call: it is not made, or it is made and nobody learns. */
  'crash_before',
  'crash_after',
  /** An error comes back: nothing happened, or it did. */
  'error_before',
  'error_after',
  'throttle',
  /** No answer before whoever asked has run out of time. */
  'slow',
  'duplicate',
  /** The function stands still before or after the call, longer than its lease, and then goes on. */
  'pause_before',
  'pause_after',
  /** An index answers as of some time ago. */
  'stale',
  /** Some entries of a batch are taken, then it fails. */
  'partial',
  /** A message or a timer is accepted and never comes; or comes much later. */
  'lose',
  'delay',
] as const;
export type FaultMode = (typeof MODES)[number];

export interface Fault {
  readonly mode: FaultMode;
  /** How long what is slow, paused, delayed or stale is so; of a batch, how many entries get through. */
  readonly size: number;
}

export interface CallSite {
  /** Counted over the whole run, from 0. */
  readonly ordinal: number;
  readonly name: CallName;
  readonly by: FunctionName;
}

export interface FaultPlan {
  at(site: CallSite): Fault | null;
}

const ANYWHERE: readonly FaultMode[] = MODES.slice(0, 9);

/** The modes that mean something at this call. */
export function modesAt(name: CallName): readonly FaultMode[] {
  if (name === 'queue.send' || name === 'timers.arm') return [...ANYWHERE, 'lose', 'delay'];
  if (name === 'bus.publish') return [...ANYWHERE, 'partial'];
  if (name === 'jobs.due') return [...ANYWHERE, 'stale'];
  return ANYWHERE;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Past every lease and every function's own time, so that others have taken over meanwhile. */
const LONG_MS = 3 * MINUTE;

/** The size that makes a mode bite, where no chance decides. */
export function usualSize(mode: FaultMode): number {
  return mode === 'partial' ? 1 : LONG_MS;
}

export const noFaults: FaultPlan = { at: () => null };

/** Exactly these, by the ordinal of the call. A mode that means nothing at its call does not happen. */
export function theseFaults(faults: ReadonlyMap<number, Fault>): FaultPlan {
  return {
    at: ({ ordinal, name }) => {
      const fault = faults.get(ordinal);
      return fault !== undefined && modesAt(name).includes(fault.mode) ? fault : null;
    },
  };
}

/** While our own services are out, none of their calls gets through; participants are others' and go on. */
export function withOutage(isOut: () => boolean, plan: FaultPlan): FaultPlan {
  return {
    at: (site) => {
      const planned = plan.at(site);
      return isOut() && site.name !== 'participants.call' ? { mode: 'error_before', size: 0 } : planned;
    },
  };
}

export interface RandomFaults {
  readonly modes: readonly FaultMode[];
  /** Share of the calls that go wrong. */
  readonly rate: number;
  readonly most: number;
  /** Functions whose calls go wrong; null: all. */
  readonly by: readonly FunctionName[] | null;
  /** False: the trouble is over. */
  stillOn(): boolean;
}

export function randomFaults(chance: Chance, { modes, rate, most, by, stillOn }: RandomFaults): FaultPlan {
  let left = most;
  return {
    at: (site) => {
      if (left <= 0 || !stillOn() || !chance.often(rate)) return null;
      if (by !== null && !by.includes(site.by)) return null;
      const possible = modesAt(site.name).filter((mode) => modes.includes(mode));
      if (possible.length === 0) return null;
      left -= 1;
      const mode = chance.pick(possible);
      return { mode, size: sizeOf(mode, chance) };
    },
  };
}

function sizeOf(mode: FaultMode, chance: Chance): number {
  switch (mode) {
    case 'partial':
      return chance.between(0, 2);
    case 'slow':
    case 'pause_before':
    case 'pause_after':
      return chance.pick([3 * SECOND, 12 * SECOND, 20 * SECOND, LONG_MS, 15 * MINUTE]);
    case 'delay':
      return chance.pick([SECOND, 59 * SECOND, 10 * MINUTE]);
    case 'stale':
      return chance.pick([SECOND, 10 * MINUTE]);
    default:
      return 0;
  }
}
