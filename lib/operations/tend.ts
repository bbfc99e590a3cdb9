/**
 * A look at every dependency: news that did not get out are told, jobs that nothing holds any more are released at the
 * dependency's rate, and a probe that is due gets a holder. Whoever did any of it before may have died: nothing is lost,
 * it is done by the next look. One dependency that makes trouble keeps no other from being looked at.
 */
import { probeIsDue } from '../core/breaker.ts';
import { passOf } from '../core/dependency.ts';
import type { JobId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { tellDependency } from './change-dependency.ts';
import { checkAll, probeByCheck } from './check-health.ts';
import type { DependencySettings } from './dependencies.ts';
import type { Engine } from './engine.ts';
import { probeByParked } from './probe.ts';
import { type HintAt, releaseFrom } from './release.ts';
import { tendPauses } from './release-pause.ts';

export interface TendReport {
  readonly released: number;
  readonly open: number;
}

export interface TendOptions {
  readonly horizonMs: number;
  readonly hint: HintAt;
  /** Whoever may call participants also asks by a health check when no parked job can. */
  readonly mayCheck: boolean;
}

export async function tend(engine: Engine, options: TendOptions): Promise<TendReport> {
  const { gates, ports } = engine;
  if (gates === undefined) return { released: 0, open: 0 };
  await gates.reread();
  let released = 0;
  for (const settings of everyDependency(engine)) {
    try {
      released += await tendOne(engine, settings, options);
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown';
      ports.log.write('warn', 'tend_failed', { dependency: settings.id, error: name });
    }
  }
  released += await tendPauses(engine, options);
  return { released, open: gates.list().filter(({ breaker }) => breaker.state !== 'CLOSED').length };
}

/** Those of the routes, and those that routes led to once: jobs may wait for them still. */
function everyDependency({ dependencies = [], gates }: Engine): readonly DependencySettings[] {
  const routed = new Set(dependencies.map(({ id }) => id));
  const gone = (gates?.list() ?? []).filter(({ id }) => !routed.has(id));
  const settings = { topics: [], standIns: [], releasePerSecond: LIMITS.releasePerSecond, healthTopic: null };
  return [...dependencies, ...gone.map(({ id }) => ({ id, ...settings }))];
}

/** Asks every dependency how it is, and sees to the probe of each that waits for one. */
export async function askAll(engine: Engine, hint: HintAt): Promise<void> {
  const { gates, ports } = engine;
  if (gates === undefined) return;
  await gates.reread();
  await checkAll(engine);
  for (const { id, healthTopic } of everyDependency(engine)) {
    const record = gates.find(id);
    if (record === undefined || !probeIsDue(record.breaker, ports.clock.now())) continue;
    try {
      if (!(await probeByParked(engine, id, hint)) && healthTopic !== null) await probeByCheck(engine, id, healthTopic);
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown';
      ports.log.write('warn', 'probe_failed', { dependency: id, error: name });
    }
  }
}

async function tendOne(engine: Engine, settings: DependencySettings, options: TendOptions): Promise<number> {
  const { id, standIns, releasePerSecond, healthTopic } = settings;
  const { horizonMs, hint, mayCheck } = options;
  const record = engine.gates?.find(id);
  if (record !== undefined) await tellDependency(engine, record);
  const isDue = record !== undefined && probeIsDue(record.breaker, engine.ports.clock.now());
  if (isDue && !(await probeByParked(engine, id, hint)) && mayCheck && healthTopic !== null) {
    await probeByCheck(engine, id, healthTopic);
  }
  if (![id, ...standIns].some((one) => letsThrough(engine, one))) return 0;
  return releaseFrom(engine, id, { ratePerSecond: releasePerSecond, horizonMs, hint });
}

function letsThrough({ gates, ports }: Engine, id: string): boolean {
  return passOf(gates?.find(id), NOBODY, ports.clock.now()).pass !== 'held';
}

/** No job: whoever asks as it holds no probe. */
const NOBODY = '' as JobId;
