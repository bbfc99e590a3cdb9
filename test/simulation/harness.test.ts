/**
 * The simulator itself: that the same seed is the same run, that faults do what their names say, and that what it
 * generates is what the definition language takes. A harness that cannot fail proves nothing.
 */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { none, step, workflow } from '../../lib/definition/index.ts';
import { type FaultMode, MODES, noFaults } from '../../lib/testing/simulation/faults.ts';
import { programOf } from '../../lib/testing/simulation/program.ts';
import { run } from '../../lib/testing/simulation/run.ts';
import { shrink } from '../../lib/testing/simulation/shrink.ts';
import { singlesOf, tryFaults } from './single-faults.ts';
import { ALL_STORIES } from './stories.ts';
import { tell } from './telling.ts';

const SOME = Array.from({ length: 60 }, (_, index) => 31 * index + 7);

describe('a seed', () => {
  it.each(SOME)('%i is one run: same history, same state, same output, same order of everything', async (seed) => {
    const first = await run(programOf(seed), { traced: true });
    const again = await run(programOf(seed), { traced: true });
    expect(again.digest()).toBe(first.digest());
    expect(again.record.lines).toEqual(first.record.lines);
    // Writing everything down changes nothing.
    expect((await run(programOf(seed))).digest()).toBe(first.digest());
  });

  it('told by its faults alone is the same run', async () => {
    for (const seed of SOME) {
      const first = await run(programOf(seed));
      const faults = new Map(first.fired.map(({ site, fault }) => [site.ordinal, fault]));
      expect((await run(programOf(seed), { faults })).digest()).toBe(first.digest());
    }
  });
});

describe('generated programs', () => {
  it('come with every kind of fault, of participant and of interference', () => {
    const programs = Array.from({ length: 400 }, (_, seed) => programOf(seed));
    expect(new Set(programs.flatMap(({ trouble }) => trouble.modes))).toEqual(new Set(MODES));
    const services = programs.flatMap((program) => [...program.services.values()]);
    expect(new Set(services.map(({ kind }) => kind))).toEqual(new Set(['fencing', 'plain', 'sloppy']));
    expect(new Set(services.flatMap(({ forward }) => forward)).size).toBe(7);
    expect(new Set(programs.flatMap(({ deeds }) => deeds.map(({ deed }) => deed))).size).toBe(8);
    expect(new Set(programs.flatMap(({ looks }) => looks.map(({ look }) => look))).size).toBe(4);
    const kinds = programs.flatMap(({ plans }) => plans.flatMap(({ steps }) => steps.map(({ kind }) => kind)));
    expect(new Set(kinds)).toEqual(new Set(['readOnly', 'compensatable', 'irreversible']));
    const settled = programs.flatMap(({ plans }) => plans.flatMap(({ steps }) => steps.map((one) => one.onUnknown)));
    expect(new Set(settled)).toEqual(new Set(['retry', 'query', 'compensate', 'review']));
  });

  it('seldom come with a day in which nothing of ours answers', () => {
    const outages = Array.from({ length: 8_000 }, (_, seed) => programOf(seed).outage).filter((one) => one !== null);
    expect(outages.length).toBeGreaterThan(3);
    expect(outages.some(({ fromMs, untilMs }) => untilMs - fromMs > 86_400_000)).toBe(true);
  });

  it('are workflows that the definition language takes', () => {
    const plans = Array.from({ length: 400 }, (_, seed) => programOf(seed).plans).flat();
    const ofCalls = plans.filter(({ steps }) => steps.every(({ topic, when }) => topic !== null && when === null));
    expect(ofCalls.length).toBeGreaterThan(100);
    for (const plan of ofCalls) define(plan);
  });
});

type Plan = ReturnType<typeof programOf>['plans'][number];

/** Says the same plan in the words of the definition language, which throws at what it does not take. */
function define({ type, version, steps, stages, recovery, concurrentUndo, maxRetries, retry, sagaRetry }: Plan): void {
  let said = workflow(type, version).input(z.unknown()).maxRetries(maxRetries).retry(retry) as unknown as Said;
  for (let stage = 0; stage < stages; stage += 1) {
    said = said.stage(...steps.filter((one) => one.stage === stage).map(stepOf));
  }
  if (recovery !== null) said = said.recovery(...recovery);
  if (concurrentUndo) said = said.concurrentUndo();
  if (sagaRetry !== null) said = said.sagaRetry(sagaRetry);
  said.output(() => null);
}

/** The language without its types: names and numbers of steps are not known before they are drawn. */
interface Said {
  stage(...steps: readonly unknown[]): Said;
  recovery(...names: readonly string[]): Said;
  concurrentUndo(): Said;
  sagaRetry(policy: object): Said;
  output(map: () => null): unknown;
}

function stepOf({ name, kind, topic, timeoutMs, onUnknown, query, undo, retry }: Plan['steps'][number]): unknown {
  const common = { topic, input: () => null, output: z.unknown(), timeout: `${timeoutMs / 1_000} s`, retry } as const;
  const asked = { onUnknown, ...(query === null ? {} : { query: query.topic }) };
  if (kind === 'readOnly') return step(name, { ...common, readOnly: true } as never);
  if (kind === 'irreversible') return step(name, { ...common, ...asked, irreversible: true } as never);
  if (undo === null || 'none' in undo) return step(name, { ...common, ...asked, undo: none('nothing') } as never);
  const said = undo.topics.length > 1 ? { topics: undo.topics, choose: undo.choose } : { topic: undo.topics[0] };
  return step(name, { ...common, ...asked, undo: said } as never);
}

describe('a fault', () => {
  const [story] = ALL_STORIES;
  if (story === undefined) throw new Error('there are no stories');

  it('of each mode happens at each kind of call that it means something at', async () => {
    const seen = new Set<string>();
    for (const one of await singlesOf(story)) {
      const { record } = await tryFaults(story, [one]);
      expect(record.fired.map(({ site }) => site.ordinal)).toContain(one.site.ordinal);
      seen.add(one.mode);
    }
    // Lists and indexes are not read by a job that goes its way.
    expect(seen).toEqual(new Set(MODES.filter((mode) => mode !== 'stale')));
  });

  it('costs what its name says: a killed function is waited for, a lost hint found by the watchdog', async () => {
    const clean = await tell(story, noFaults, true);
    const minutesWith = async (mode: FaultMode, name: string): Promise<number> => {
      const site = clean.record.sites.find((one) => one.name === name);
      if (site === undefined) throw new Error(`nobody calls ${name}`);
      return (await tryFaults(story, [{ site, mode, callsBefore: clean.record.calls }])).virtualMs / 60_000;
    };
    expect(clean.virtualMs).toBeLessThan(5_000);
    expect(await minutesWith('lose', 'queue.send')).toBeGreaterThan(1);
    expect(await minutesWith('delay', 'queue.send')).toBeGreaterThan(1);
    expect(await minutesWith('crash_after', 'jobs.update')).toBeGreaterThan(1);
    expect(await minutesWith('duplicate', 'jobs.update')).toBeLessThan(1);
  });
});

describe('shrinking', () => {
  it('says nothing of a run that breaks nothing', async () => {
    expect(await shrink(programOf(1))).toBeNull();
  });

  it('leaves out every fault and every habit but the ones that matter', async () => {
    const program = { ...programOf(2), trouble: { modes: MODES, rate: 0.5, most: 12, by: null }, comesAgain: 0.2 };
    const [first, , third] = (await run(program)).fired;
    if (first === undefined || third === undefined) throw new Error('the program has too few faults');
    const brokenBy = [first, third].map(({ site }) => site.ordinal);
    const shrunken = await shrink(program, async (candidate, options) => {
      const report = await run(candidate, options);
      const fired = report.fired.map(({ site }) => site.ordinal);
      const broken = brokenBy.every((ordinal) => fired.includes(ordinal)) && candidate.orders.length > 0;
      return { ...report, broken: broken ? ['I1 as this test has it'] : [] };
    });
    expect([...(shrunken?.faults.keys() ?? [])]).toEqual(brokenBy);
    expect(shrunken?.program).toMatchObject({ deeds: [], comesAgain: 0, settles: false, repeats: false });
    expect(shrunken?.report.record.lines.length).toBeGreaterThan(5);
  });
});
