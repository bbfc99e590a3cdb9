/**
 * The one time of a run over real HTTP: of every clock and timer in this process, the engines' included, which read it
 * from the globals that stand here meanwhile. It moves on only when no exchange is under way, so a run takes as long as
 * its exchanges, however many days pass in it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EpochMs } from '../../../../lib/core/ids.ts';
import { type Chance, chanceFrom } from '../../../../lib/testing/simulation/chance.ts';
import { type Invocation, runLater } from '../../../../lib/testing/simulation/invocation.ts';
import { type Timeline, timeline } from '../../../../lib/testing/simulation/timeline.ts';

/** Whose work is going on; nobody's outside the functions of the deployment. */
export const running = new AsyncLocalStorage<Invocation>();

export interface RealTimeline extends Timeline {
  /** Time stands while this is under way. */
  standing<T>(work: () => Promise<T>): Promise<T>;
  /** Puts clock, timers and chance of this process under this time, until the answer is called. */
  rule(seed: number): () => void;
}

/** What an answer sets off needs no time, but a turn of the event loop or two. */
const CALM_TURNS = 3;
/** No exchange on loopback takes this long: something waits for what never comes. */
const TURNS_MAX = 2_000_000;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function realTimeline(start: EpochMs): RealTimeline {
  let underWay = 0;
  const settle = async (): Promise<void> => {
    let turns = 0;
    for (let calm = 0; calm < CALM_TURNS; calm = underWay === 0 ? calm + 1 : 0) {
      await turn();
      turns += 1;
      if (turns > TURNS_MAX) throw new Error('an exchange does not come to its end');
    }
  };
  const time = timeline(start, settle);
  return {
    ...time,
    standing: async (work) => {
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
      }
    },
    rule: (seed) => rule(time, chanceFrom(seed)),
  };
}

function rule(time: Timeline, chance: Chance): () => void {
  const { Date: RealDate, setTimeout: realSet, clearTimeout: realClear } = globalThis;
  const [realSignal, realRandom] = [AbortSignal.timeout, Math.random];
  class RuledDate extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(time.now());
      else super(...(given as [number]));
    }
    static override now(): number {
      return time.now();
    }
  }
  const set = (action: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): object => {
    const by = running.getStore();
    const run = (): void => action(...given);
    const cancel = by === undefined ? time.after(ms, run) : runLater(time, by, ms, run);
    const handle = { cancel, ref: () => handle, unref: () => handle };
    return handle;
  };
  const clear = (handle: unknown): void => {
    if (typeof handle === 'object' && handle !== null && 'cancel' in handle) (handle.cancel as () => void)();
    else realClear(handle as NodeJS.Timeout | undefined);
  };
  Object.assign(globalThis, { Date: RuledDate, setTimeout: set, clearTimeout: clear });
  Math.random = chance.next;
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    set(() => controller.abort(new DOMException('out of time', 'TimeoutError')), ms);
    return controller.signal;
  };
  return () => {
    Object.assign(globalThis, { Date: RealDate, setTimeout: realSet, clearTimeout: realClear });
    Math.random = realRandom;
    AbortSignal.timeout = realSignal;
  };
}
