/**
 * What people do about pauses: hold something back, see what waits, and let it go again at a rate. Done actions are told
 * from the record; refused ones are told at once.
 */
import type { ErrorCode } from '../core/errors.ts';
import { PAUSE_ID, pauseIdOf } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { type Pause, type PauseScope, paused, pauseGate, releaseStarted } from '../core/pause.ts';
import { auditRefusal } from './audit.ts';
import { changePause, tellPauseSafely } from './change-pause.ts';
import type { Engine } from './engine.ts';
import type { Viewer } from './inspect.ts';

export interface PauseView {
  readonly pause: Pause;
  readonly waitingJobs: number;
}

export interface PauseRefused {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly detail: string;
}

export type PauseResult = { readonly kind: 'done'; readonly view: PauseView; readonly dryRun: boolean } | PauseRefused;

const PAGE = 100;
/** Counting goes through every one of them: beyond this it is only said that there are so many. */
export const WAITING_COUNTED_MAX = 10_000;

/** Those in force, and those that are over since not long ago. */
export async function listPauses(engine: Engine): Promise<readonly PauseView[]> {
  const now = engine.ports.clock.now();
  const shown = (await engine.ports.pauses.list()).filter((one) => isShown(one, now));
  shown.sort((a, b) => b.since - a.since);
  return Promise.all(shown.map((pause) => viewOf(engine, pause)));
}

function isShown({ status, log }: Pause, now: number): boolean {
  return status !== 'released' || (log.at(-1)?.at ?? 0) > now - LIMITS.pauseRememberedMs;
}

async function viewOf(engine: Engine, pause: Pause): Promise<PauseView> {
  return { pause, waitingJobs: await waitingFor(engine, pause.id) };
}

/** Up to `WAITING_COUNTED_MAX`. */
async function waitingFor({ ports }: Engine, id: string): Promise<number> {
  const gate = pauseGate(id);
  let count = 0;
  let after: Awaited<ReturnType<typeof ports.jobs.parked>>['next'] = null;
  do {
    const page: Awaited<ReturnType<typeof ports.jobs.parked>> = await ports.jobs.parked({ gate, limit: PAGE, after });
    count += page.items.length;
    after = page.next;
  } while (after !== null && count < WAITING_COUNTED_MAX);
  return count;
}

export interface PauseRequest {
  readonly viewer: Viewer;
  readonly scope: PauseScope;
  readonly value: string;
  readonly reason: string;
}

export async function pause(engine: Engine, request: PauseRequest): Promise<PauseResult> {
  const { viewer, scope, value, reason } = request;
  const refuse = refuser(engine, viewer, 'pause', `${scope}:${value}`, reason);
  if (viewer.role !== 'operator') return refuse('ORCH_FORBIDDEN', 'pausing needs the role operator');
  const known = knownValues(engine, scope);
  if (known !== null && !known.includes(value)) {
    return refuse('ORCH_MALFORMED_REQUEST', `value: there is no ${scope} ${value} here: known are ${known.join(', ')}`);
  }
  const id = pauseIdOf(scope, value);
  const by = { actor: `operator:${viewer.callerId}`, reason };
  const changed = await changePause(engine, id, (held, now) => paused(held, { scope, value }, by, now));
  return told(engine, id, changed);
}

/** null: whatever is given may come to be. A pause of what does not exist would only look like one. */
function knownValues({ dependencies, plans }: Engine, scope: PauseScope): readonly string[] | null {
  switch (scope) {
    case 'topic':
      return dependencies === undefined ? null : [...new Set(dependencies.flatMap(({ topics }) => topics))];
    case 'dependency':
      return dependencies === undefined ? null : dependencies.map(({ id }) => id);
    case 'workflow':
      return [...new Set(plans.list().map(({ type }) => type))];
    case 'caller':
      return null;
  }
}

export interface ReleaseRequest {
  readonly viewer: Viewer;
  readonly id: string;
  readonly ratePerSecond: number;
  readonly dryRun: boolean;
  readonly reason: string;
}

/** A dry run changes nothing: it answers how many jobs would go. */
export async function releasePause(engine: Engine, request: ReleaseRequest): Promise<PauseResult> {
  const { viewer, id, ratePerSecond, dryRun, reason } = request;
  const refuse = refuser(engine, viewer, 'release_pause', `pause:${id}`, reason);
  if (viewer.role !== 'operator') return refuse('ORCH_FORBIDDEN', 'releasing a pause needs the role operator');
  const held = PAUSE_ID.test(id) ? await engine.ports.pauses.get(id) : null;
  if (held === null) return refuse('ORCH_NOT_FOUND', 'there is no such pause: GET /pauses lists them');
  if (held.status === 'released') {
    return refuse('ORCH_INVALID_STATE_TRANSITION', 'it is released already: nothing of it waits any more');
  }
  if (dryRun) return { kind: 'done', view: await viewOf(engine, held), dryRun };
  const by = { actor: `operator:${viewer.callerId}`, reason };
  const changed = await changePause(engine, id, (now, at) =>
    now === null ? null : releaseStarted(now, ratePerSecond, by, at),
  );
  return told(engine, id, changed);
}

/** Where nothing changed, it stands as whoever came first wanted it. */
async function told(engine: Engine, id: string, changed: Pause | null): Promise<PauseResult> {
  // In this process it takes effect now; others read it within a second.
  await engine.gates?.reread();
  if (changed !== null) await tellPauseSafely(engine, changed);
  const stands = changed ?? (await engine.ports.pauses.get(id));
  if (stands === null) throw new Error(`pause ${id} was neither there nor made`);
  return { kind: 'done', view: await viewOf(engine, stands), dryRun: false };
}

type Refuse = (code: ErrorCode, detail: string) => Promise<PauseRefused>;

function refuser(engine: Engine, viewer: Viewer, action: string, subject: string, reason: string): Refuse {
  const actor = `${viewer.role === 'operator' ? 'operator' : 'caller'}:${viewer.callerId}`;
  return async (code, detail) => {
    await auditRefusal(engine, { actor, action, subject, jobId: null, reason }, code, detail);
    return { kind: 'refused', code, detail };
  };
}
