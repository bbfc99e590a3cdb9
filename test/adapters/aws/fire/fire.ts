/**
 * The adapters for AWS under fire: stories with one fault at one HTTP attempt, and random programs under random trouble,
 * held against the rules of the simulation.
 */
import {
  type CallName,
  type CallSite,
  type Fault,
  type FaultMode,
  type FaultPlan,
  noFaults,
} from '../../../../lib/testing/simulation/faults.ts';
import type { Program } from '../../../../lib/testing/simulation/program.ts';
import type { RunRecord } from '../../../../lib/testing/simulation/record.ts';
import { type MakeWorld, type Report, run } from '../../../../lib/testing/simulation/run.ts';
import type { Story } from '../../../simulation/stories.ts';
import { type Telling, tell } from '../../../simulation/telling.ts';
import type { Engines } from './engines.ts';
import { ALWAYS, ONCE } from './wire-gate.ts';
import { type FireWorld, fireWorld } from './world.ts';

export interface Shot {
  readonly site: CallSite;
  readonly fault: Fault;
}

/** Past every lease and every function's own time. */
const LONG_MS = 180_000;

/** What can go wrong at one attempt. An error hits it alone, and the SDK mends it; or all of the same call. */
export function faultsAt(name: CallName): readonly Fault[] {
  const sizes = (modes: readonly FaultMode[], ...all: readonly number[]): Fault[] =>
    modes.flatMap((mode) => all.map((size) => ({ mode, size })));
  return [
    ...sizes(['crash_before', 'crash_after'], 0),
    ...sizes(['error_before', 'error_after', 'throttle', 'slow'], ONCE, ALWAYS),
    ...sizes(['pause_before', 'pause_after'], LONG_MS),
    ...sizes(['duplicate'], 0),
    ...(name === 'bus.publish' ? sizes(['partial'], 0, 2) : []),
    ...(name === 'jobs.due' ? sizes(['stale'], 0) : []),
  ];
}

/** @param thorough each error both once and always; else by turns, which halves them */
export async function shotsOf(engines: Engines, story: Story, thorough: boolean): Promise<Shot[]> {
  const { record } = await told(engines, story, noFaults, true);
  if (record.broken.length > 0) throw new Error(`${story.name}: ${record.broken.join('; ')}`);
  const left = [ONCE, ALWAYS];
  return record.sites.flatMap((site) =>
    faultsAt(site.name)
      .filter(({ size }) => thorough || size !== left[site.ordinal % 2])
      .map((fault) => ({ site, fault })),
  );
}

/** @returns what broke; a fault that was planned and did not fire proves nothing */
export async function fire(engines: Engines, story: Story, { site, fault }: Shot): Promise<string[]> {
  const plan: FaultPlan = { at: ({ ordinal }) => (ordinal === site.ordinal ? fault : null) };
  const { record } = await told(engines, story, plan, false);
  const place = `${story.name}: ${fault.mode} ${fault.size} at ${site.ordinal}, ${site.by} ${site.name}`;
  const broken = record.fired.length === 0 ? ['the fault did not happen', ...record.broken] : record.broken;
  return broken.map((rule) => `${place}: ${rule}`);
}

/** Every attempt of the story without faults × what can go wrong at it. */
export async function everyShot(engines: Engines, story: Story): Promise<{ shots: number; broken: readonly string[] }> {
  const shots = await shotsOf(engines, story, false);
  const broken: string[] = [];
  for (const shot of shots) broken.push(...(await fire(engines, story, shot)));
  return { shots: shots.length, broken };
}

async function told(engines: Engines, story: Story, plan: FaultPlan, traced: boolean): Promise<Telling> {
  return within(engines, (make) => tell(story, plan, traced, make));
}

/** As in the simulation, but for months of waiting, which are the same reminder over and over. */
export async function runUnderFire(engines: Engines, program: Program, traced = false): Promise<Report> {
  return within(engines, (make) => run({ ...program, ages: false }, { traced }, make));
}

async function within<T extends { readonly record: RunRecord }>(
  engines: Engines,
  work: (make: MakeWorld) => Promise<T>,
): Promise<T> {
  let where: FireWorld | null = null;
  try {
    return await work(async (options) => {
      where = await fireWorld(engines, options);
      return where;
    });
  } finally {
    (where as FireWorld | null)?.close();
  }
}
