/**
 * The only code that changes a pause's record: read, decide, put if nobody else has, else again. What was done is told
 * in the audit from the record, under ids that stay the same, so whoever comes later can repeat it.
 */
import { LIMITS } from '../core/limits.ts';
import { type Pause, pauseTold, untoldOf } from '../core/pause.ts';
import { StoreError } from '../core/store-error.ts';
import { type Engine, sleep } from './engine.ts';

/** Losers wait up to this long: about the time a winner needs for its put. */
const CONTENTION_DELAY_MS = 20;

/**
 * @param change the next record, or null when there is nothing to change
 * @returns the record that was put; null when nothing was
 */
export async function changePause(
  engine: Engine,
  id: string,
  change: (held: Pause | null, now: number) => Pause | null,
): Promise<Pause | null> {
  const { pauses, clock, ids } = engine.ports;
  let held = await pauses.get(id);
  for (let tries = 0; tries < LIMITS.applyAttemptsMax; tries += 1) {
    const next = change(held, clock.now());
    if (next === null) return null;
    const written = { ...next, writeId: ids.writeId() };
    const result = await pauses.put(written);
    if (result.stored) return written;
    held = result.current;
    await sleep(engine, ids.random() * CONTENTION_DELAY_MS);
  }
  throw new StoreError(`pause ${id} was changed by others all the time: try again`);
}

const ACTIONS = {
  paused: 'pause',
  release_started: 'release_pause',
  stopped: 'stop_release',
  released: 'end_release',
} as const;

/** Tells in the audit what happened to it; a repetition is harmless. */
export async function tellPause(engine: Engine, pause: Pause): Promise<void> {
  const news = untoldOf(pause);
  const last = news.at(-1);
  if (last === undefined) return;
  for (const { seq, what, at, actor, reason } of news) {
    await engine.ports.audit.put({
      auditId: `pause:${pause.id}.${seq}`,
      at,
      actor,
      action: ACTIONS[what],
      subject: `${pause.scope}:${pause.value}`,
      jobId: null,
      result: 'done',
      reason,
      errorCode: null,
      detail: null,
    });
  }
  await changePause(engine, pause.id, (held) => (held === null ? null : pauseTold(held, last.seq)));
}

/** It is done and stored; news that do not get out now are told by the next look. */
export async function tellPauseSafely(engine: Engine, pause: Pause): Promise<void> {
  try {
    await tellPause(engine, pause);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    engine.ports.log.write('warn', 'follow_up_delayed', { pause: pause.id, error: name });
  }
}
