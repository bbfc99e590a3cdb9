/**
 * What a seed stands for: workflows and participants, orders with clashing keys, people who interfere or look, and which
 * kinds of trouble this run knows. Each run knows only some kinds, so that rare ones get their turn among few others.
 * What is added here draws from a stream of its own, and seldom: so most seeds stay the runs that they were.
 */
import type { WorkflowPlan } from '../../core/plan.ts';
import type { PlanCatalog } from '../../operations/engine.ts';
import { type Chance, chanceFrom, mixed } from './chance.ts';
import type { Order } from './client.ts';
import { type FaultMode, MODES } from './faults.ts';
import type { FunctionName } from './invocation.ts';
import type { Deed } from './people.ts';
import { planOf } from './random-plan.ts';
import type { Look } from './reader.ts';
import type { ServiceSpec } from './service.ts';

export interface Program {
  readonly seed: number;
  readonly plans: readonly WorkflowPlan[];
  /** By the part of a topic before the colon. */
  readonly services: ReadonlyMap<string, ServiceSpec>;
  readonly orders: readonly { readonly atMs: number; readonly order: Order }[];
  readonly deeds: readonly { readonly atMs: number; readonly deed: Deed; readonly which: number }[];
  readonly looks: readonly { readonly atMs: number; readonly look: Look; readonly which: number }[];
  readonly trouble: {
    readonly modes: readonly FaultMode[];
    readonly rate: number;
    readonly most: number;
    readonly by: readonly FunctionName[] | null;
  };
  /** None of our own services answers for a while. */
  readonly outage: { readonly fromMs: number; readonly untilMs: number } | null;
  readonly skews: readonly number[];
  readonly comesAgain: number;
  /** Half of the functions know the first version only. */
  readonly deploys: boolean;
  /** From then on nothing goes wrong any more. */
  readonly calmAtMs: number;
  /** Afterwards a person settles what waits for one. */
  readonly settles: boolean;
  /** Afterwards, whatever waits for a person waits for months, with a reminder each day. */
  readonly ages: boolean;
  /** Afterwards every message that was ever sent comes once more. */
  readonly repeats: boolean;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export function programOf(seed: number): Program {
  const chance = chanceFrom(mixed(seed, 1));
  const services = new Map<string, ServiceSpec>();
  const deploys = chance.often(0.08);
  const first = planOf(chance, 'alpha', 1, services);
  const plans = deploys ? [first, { ...first, version: 2 }] : [first];
  if (chance.often(0.15)) plans.push(planOf(chance, 'beta', 1, services));
  const calmAtMs = chance.pick([20 * SECOND, 2 * MINUTE, 20 * MINUTE, 2 * HOUR]);
  return {
    seed,
    plans,
    services,
    orders: ordersOf(chance, plans),
    deeds: deedsOf(chance, calmAtMs),
    looks: looksOf(chanceFrom(mixed(seed, 21)), calmAtMs),
    trouble: troubleOf(chance),
    outage: outageOf(chanceFrom(mixed(seed, 22))),
    skews: chance.often(0.2) ? [0, 5 * MINUTE, -5 * MINUTE, 2 * SECOND] : [0],
    comesAgain: chance.often(0.2) ? 0.2 : 0,
    deploys,
    calmAtMs,
    settles: chance.often(0.4),
    ages: chance.often(0.03),
    repeats: chance.often(0.3),
  };
}

export function catalogOf(plans: readonly WorkflowPlan[]): PlanCatalog {
  const find = (type: string, version: number | null): WorkflowPlan | undefined =>
    plans.findLast((plan) => plan.type === type && (version === null || plan.version === version));
  return { find, list: () => plans };
}

function troubleOf(chance: Chance): Program['trouble'] {
  const quiet = chance.often(0.05);
  const modes = MODES.filter(() => !quiet && chance.often(0.4));
  const rate = chance.pick([0.03, 0.1, 0.2, 0.5]);
  const by = chance.often(0.3) ? [chance.pick<FunctionName>(['dispatch', 'compensate', 'operate', 'watchdog'])] : null;
  return { modes, rate, most: chance.pick([1, 2, 4, 12, 40]), by };
}

function ordersOf(chance: Chance, plans: readonly WorkflowPlan[]): Program['orders'] {
  const count = chance.pick([1, 1, 1, 1, 2, 2, 3]);
  return Array.from({ length: count }, () => {
    const { type, version } = chance.pick(plans);
    const pad = chance.often(0.1) ? { pad: 'x'.repeat(700) } : {};
    return {
      atMs: chance.often(0.7) ? chance.between(0, 100) : chance.between(0, 2 * MINUTE),
      order: {
        callerId: chance.pick(['ann', 'ann', 'bob']),
        workflowType: type,
        version: chance.often(0.5) ? version : null,
        input: { n: chance.pick([1, 1, 1, 2]), ...pad },
        key: chance.often(0.1) ? null : chance.pick(['k1', 'k1', 'k2']),
      },
    };
  });
}

const DEEDS: readonly Deed[] = [
  'cancel',
  'cancel',
  'cancel',
  'resume',
  'retry_compensation',
  'resolve',
  'resolve',
  'close',
  'force_close',
  'replay',
  'discard',
];

function deedsOf(chance: Chance, untilMs: number): Program['deeds'] {
  const count = chance.pick([0, 0, 0, 1, 1, 2, 5]);
  const soon = chance.often(0.5) ? Math.min(untilMs, 20 * SECOND) : untilMs;
  return Array.from({ length: count }, () => ({
    atMs: chance.between(0, soon),
    deed: chance.pick(DEEDS),
    which: chance.between(0, 9),
  }));
}

function looksOf(chance: Chance, untilMs: number): Program['looks'] {
  const count = chance.pick([0, 0, 0, 0, 0, 2, 6]);
  return Array.from({ length: count }, () => ({
    atMs: chance.between(0, chance.often(0.5) ? 1_000 : untilMs),
    look: chance.pick<Look>(['job', 'history', 'history', 'dead_letter', 'list']),
    which: chance.between(0, 9),
  }));
}

/** Seldom, since a day in which everything is tried again and again takes as long as sixty runs. */
function outageOf(chance: Chance): Program['outage'] {
  if (!chance.often(0.003)) return null;
  const fromMs = chance.between(0, chance.pick([500, 30 * SECOND]));
  return { fromMs, untilMs: fromMs + chance.pick([10 * MINUTE, 10 * MINUTE, 3 * HOUR, 26 * HOUR]) };
}
