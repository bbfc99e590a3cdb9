/**
 * Lets go what pauses held that operators release: so many jobs a second, however many functions do it and whoever of
 * them dies, since each turn is taken in the pause's record before its job is let go. What a pause that is over still
 * holds came too late for its release, and goes on at once.
 */
import { LIMITS } from '../core/limits.ts';
import { type Pause, pauseGate, releaseEnded, type Slots, withTurns } from '../core/pause.ts';
import { changePause, tellPause } from './change-pause.ts';
import type { Engine } from './engine.ts';
import { type HintAt, releaseGate } from './release.ts';

export interface TendPausesOptions {
  readonly horizonMs: number;
  readonly hint: HintAt;
}

/** Answers how many jobs were let go. One pause that makes trouble keeps no other from being looked at. */
export async function tendPauses(engine: Engine, options: TendPausesOptions): Promise<number> {
  const { ports } = engine;
  let released = 0;
  for (const pause of await ports.pauses.list()) {
    try {
      await tellPause(engine, pause);
      released += await tendPause(engine, pause, options);
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown';
      ports.log.write('warn', 'tend_failed', { pause: pause.id, error: name });
    }
  }
  return released;
}

async function tendPause(engine: Engine, pause: Pause, options: TendPausesOptions): Promise<number> {
  switch (pause.status) {
    case 'active':
      return 0;
    case 'releasing':
      return goOn(engine, pause, options);
    case 'released': {
      const now = engine.ports.clock.now();
      if ((pause.log.at(-1)?.at ?? 0) <= now - LIMITS.pauseRememberedMs) return 0;
      const atOnce = async (count: number): Promise<Slots> => ({ at: now, count });
      const rate = { ratePerSecond: LIMITS.releasePerSecondMax, hint: options.hint };
      return (await releaseGate(engine, pauseGate(pause.id), atOnce, rate)).released;
    }
  }
}

async function goOn(engine: Engine, pause: Pause, { horizonMs, hint }: TendPausesOptions): Promise<number> {
  const ratePerSecond = pause.release?.ratePerSecond ?? 1;
  const take = async (wanted: number): Promise<Slots | null> => {
    let slots: Slots | null = null;
    await changePause(engine, pause.id, (held, now) => {
      const taken = held === null ? null : withTurns(held, wanted, horizonMs, now);
      slots = taken?.slots ?? null;
      return taken?.pause ?? null;
    });
    return slots;
  };
  const { released, isEmpty } = await releaseGate(engine, pauseGate(pause.id), take, { ratePerSecond, hint });
  if (!isEmpty) return released;
  const ended = await changePause(engine, pause.id, (held, now) =>
    held === null ? null : releaseEnded(held, engine.actor, now),
  );
  if (ended !== null) await tellPause(engine, ended);
  return released;
}
