/**
 * What people do about dependencies: look, open or close a breaker with a reason, and have it found out now whether one
 * is back. Done actions are told from the record; refused ones are told at once.
 */
import { type Dependency, newDependency, withBreaker } from '../core/dependency.ts';
import type { ErrorCode } from '../core/errors.ts';
import { dependencyGate } from '../core/gates.ts';
import { auditRefusal } from './audit.ts';
import { changeDependency, tellDependency } from './change-dependency.ts';
import { checkHealth, probeByCheck } from './check-health.ts';
import type { DependencySettings } from './dependencies.ts';
import type { Engine } from './engine.ts';
import type { Viewer } from './inspect.ts';
import { turnBreaker } from './observe.ts';
import { probeByParked } from './probe.ts';
import type { HintAt } from './release.ts';

/** Enough to see how bad it is; counting a million would cost as much as reading them. */
export const PARKED_SHOWN_MAX = 1_000;
const PAGE = 100;

export interface DependencyView {
  readonly settings: DependencySettings;
  readonly record: Dependency;
  /** Up to `PARKED_SHOWN_MAX`. */
  readonly parkedJobs: number;
}

export type DependencyResult =
  | { readonly kind: 'done'; readonly view: DependencyView }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string };

export async function listDependencies(engine: Engine): Promise<readonly DependencyView[]> {
  const records = new Map((await engine.ports.dependencies.list()).map((one) => [one.id, one]));
  return Promise.all(
    (engine.dependencies ?? []).map((settings) =>
      viewOf(engine, settings, records.get(settings.id) ?? newDependency(settings.id)),
    ),
  );
}

/** null: no route leads to such a target. */
export async function readDependency(engine: Engine, id: string): Promise<DependencyView | null> {
  const settings = settingsOf(engine, id);
  if (settings === undefined) return null;
  const found = (await engine.ports.dependencies.list()).find((one) => one.id === id);
  return viewOf(engine, settings, found ?? newDependency(id));
}

export interface ForceRequest {
  readonly id: string;
  readonly viewer: Viewer;
  readonly state: 'OPEN' | 'CLOSED';
  readonly reason: string;
}

export async function forceBreaker(engine: Engine, request: ForceRequest): Promise<DependencyResult> {
  const { id, viewer, state, reason } = request;
  const action = state === 'OPEN' ? 'open_breaker' : 'close_breaker';
  const settings = settingsOf(engine, id);
  const refusal = refusalOf(viewer, id, settings);
  if (refusal !== null || settings === undefined) return refuse(engine, request, action, refusal ?? unknown(id));
  const by = { actor: `operator:${viewer.callerId}`, reason, byPerson: true };
  const changed = await changeDependency(engine, id, (held, now) =>
    withBreaker(held, { type: 'forced', to: state }, by, now),
  );
  if (changed === null) throw new Error('a person always changes the record');
  await tellSafely(engine, changed);
  return { kind: 'done', view: await viewOf(engine, settings, changed) };
}

/** Whether its cooldown is over or not; one that a person opened is checked, and stays open. */
export async function probeNow(
  engine: Engine,
  { id, viewer }: Pick<ForceRequest, 'id' | 'viewer'>,
  hint: HintAt,
): Promise<DependencyResult> {
  const settings = settingsOf(engine, id);
  const refusal = refusalOf(viewer, id, settings);
  if (refusal !== null || settings === undefined) {
    return refuse(engine, { id, viewer, reason: '' }, 'probe', refusal ?? unknown(id));
  }
  await engine.gates?.reread();
  await turnBreaker(engine, id, { type: 'hastened' }, `asked for by operator:${viewer.callerId}`);
  const { healthTopic } = settings;
  const isAsked = await probeByParked(engine, id, hint);
  if (healthTopic !== null && !(!isAsked && (await probeByCheck(engine, id, healthTopic)))) {
    await checkHealth(engine, id, healthTopic);
  }
  return { kind: 'done', view: await viewOf(engine, settings, engine.gates?.find(id) ?? newDependency(id)) };
}

async function viewOf(engine: Engine, settings: DependencySettings, record: Dependency): Promise<DependencyView> {
  const gate = dependencyGate(settings.id);
  let parkedJobs = 0;
  let after: Awaited<ReturnType<typeof engine.ports.jobs.parked>>['next'] = null;
  do {
    const page: Awaited<ReturnType<typeof engine.ports.jobs.parked>> = await engine.ports.jobs.parked({
      gate,
      limit: PAGE,
      after,
    });
    parkedJobs += page.items.length;
    after = page.next;
  } while (after !== null && parkedJobs < PARKED_SHOWN_MAX);
  return { settings, record, parkedJobs };
}

function settingsOf(engine: Engine, id: string): DependencySettings | undefined {
  return engine.dependencies?.find((one) => one.id === id);
}

interface Why {
  readonly code: ErrorCode;
  readonly detail: string;
}

function refusalOf(viewer: Viewer, id: string, settings: DependencySettings | undefined): Why | null {
  if (viewer.role !== 'operator') {
    return { code: 'ORCH_FORBIDDEN', detail: 'acting on dependencies needs the role operator' };
  }
  return settings === undefined ? unknown(id) : null;
}

function unknown(id: string): Why {
  return { code: 'ORCH_NOT_FOUND', detail: `no route leads to a dependency ${id}: GET /dependencies lists them` };
}

async function refuse(
  engine: Engine,
  { id, viewer, reason }: Pick<ForceRequest, 'id' | 'viewer' | 'reason'>,
  action: string,
  { code, detail }: Why,
): Promise<DependencyResult> {
  const actor = `${viewer.role === 'operator' ? 'operator' : 'caller'}:${viewer.callerId}`;
  await auditRefusal(engine, { actor, action, subject: `dependency:${id}`, jobId: null, reason }, code, detail);
  return { kind: 'refused', code, detail };
}

/** It is done and stored; news that do not get out now are told by the next look. */
async function tellSafely(engine: Engine, dependency: Dependency): Promise<void> {
  try {
    await tellDependency(engine, dependency);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    engine.ports.log.write('warn', 'follow_up_delayed', { dependency: dependency.id, error: name });
  }
}
