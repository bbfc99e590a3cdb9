/**
 * Runs that broke a rule once, told by hand: a seed would be another run as soon as what is generated changes. Each is
 * run with many lucks, since how long things take decides whether the old mistake would show.
 */
import { describe, expect, it } from 'vitest';
import type { Program } from '../../lib/testing/simulation/program.ts';
import { run } from '../../lib/testing/simulation/run.ts';
import type { ServiceSpec } from '../../lib/testing/simulation/service.ts';
import { MINUTE, step, workflow } from '../core/support.ts';

const LUCKS = 60;

function participant(name: string, over: Partial<ServiceSpec> = {}): [string, ServiceSpec] {
  const well: ServiceSpec = {
    name,
    kind: 'fencing',
    maxRunMs: 70_000,
    forward: ['ok'],
    undo: ['ok'],
    query: ['ok'],
    refuses: 0,
    refusesUndo: 0,
    babbles: 0,
    undoWaits: false,
    pad: 0,
  };
  return [name, { ...well, ...over }];
}

/** One order, no trouble. */
function program(seed: number, plan: Program['plans'][number], over: Partial<Program>): Program {
  const order = { callerId: 'ann', workflowType: plan.type, version: null, input: { n: 1 }, key: 'k1' };
  return {
    seed,
    plans: [plan],
    services: new Map(plan.steps.map(({ name }) => participant(name))),
    orders: [{ atMs: 0, order }],
    deeds: [],
    looks: [],
    trouble: { modes: [], rate: 0, most: 0, by: null },
    outage: null,
    skews: [0],
    comesAgain: 0,
    deploys: false,
    calmAtMs: 20 * MINUTE,
    settles: false,
    ages: false,
    repeats: false,
    ...over,
  };
}

async function brokenIn(programs: readonly Program[]): Promise<string[]> {
  const broken: string[] = [];
  for (const one of programs) broken.push(...(await run(one)).broken.map((rule) => `luck ${one.seed}: ${rule}`));
  return broken;
}

const lucks = (make: (seed: number) => Program): Program[] => Array.from({ length: LUCKS }, (_, at) => make(at + 1));

const SKEWS = [0, 5 * MINUTE, -5 * MINUTE];

describe('an undo by a clock that is ahead, at a participant that does not fence', () => {
  it('waits for a call that somebody stopped listening to, by a clock that was behind', async () => {
    // The second call is the one that is answered; the first takes effect a minute later.
    const plan = workflow([[step('a')], [step('b')]]);
    const slow = participant('a', { kind: 'plain', forward: ['hang', 'ok'] });
    const services = new Map([slow, participant('b', { refuses: 1 })]);
    expect(await brokenIn(lucks((seed) => program(seed, plan, { services, skews: SKEWS })))).toEqual([]);
  });

  it('waits as well where the second call has only promised, and kept its promise', async () => {
    const plan = workflow([[step('a')], [step('b')]]);
    const slow = participant('a', { kind: 'plain', forward: ['hang', 'promise'] });
    const services = new Map([slow, participant('b', { refuses: 1 })]);
    expect(await brokenIn(lucks((seed) => program(seed, plan, { services, skews: SKEWS })))).toEqual([]);
  });
});
