/**
 * A bound on how much happens at once, shared out fairly: whoever comes too early waits in its lane, and the lanes take
 * turns. A lane may hold so many places only as the ones left free allow, so a newcomer always finds some, however many
 * jobs another caller has waiting. Alone, a lane gets all but that reserve.
 */
export interface Lanes {
  /** Calls `start` when it is this one's turn, at once if it can. */
  take(lane: string, start: () => void): void;
  /** A place now, or none: whoever waits in this lane comes first. */
  takeNow(lane: string): boolean;
  give(lane: string): void;
  waiting(lane: string): number;
  /** Looks whose turn it is: what kept everybody out may be over. */
  admit(): void;
}

export interface LanesOptions {
  /** A lane may hold as many times what is free; absent: all that is there. */
  readonly share?: number;
  /** Keeps everybody out while it says no; whoever goes in has passed it. */
  readonly pass?: () => boolean;
}

/** Alone, a lane comes to three quarters of all, the second one to three quarters of the rest. */
export const LEAVES_A_QUARTER = 3;

interface Lane {
  held: number;
  readonly queue: (() => void)[];
}

export function lanes(
  places: number,
  { share = Number.POSITIVE_INFINITY, pass = () => true }: LanesOptions = {},
): Lanes {
  let free = places;
  const all = new Map<string, Lane>();
  /** Lanes in which somebody waits, in the order of their turns. */
  const turns = new Set<string>();

  const laneOf = (name: string): Lane => {
    const known = all.get(name);
    if (known !== undefined) return known;
    const lane = { held: 0, queue: [] };
    all.set(name, lane);
    return lane;
  };
  const mayTake = (lane: Lane): boolean => free > 0 && lane.held < Math.max(1, share * free);

  /** Everybody whose turn it is and who may: one a round, so that no lane gets two places in a row while others wait. */
  const admit = (): void => {
    let passed = 0;
    while (free > 0 && passed < turns.size) {
      const name = turns.values().next().value;
      if (name === undefined) return;
      const lane = laneOf(name);
      turns.delete(name);
      const start = mayTake(lane) && pass() ? lane.queue.shift() : undefined;
      if (lane.queue.length > 0) turns.add(name);
      if (start === undefined) {
        passed += 1;
        continue;
      }
      passed = 0;
      free -= 1;
      lane.held += 1;
      start();
    }
  };

  return {
    take: (name, start) => {
      laneOf(name).queue.push(start);
      turns.add(name);
      admit();
    },
    takeNow: (name) => {
      const lane = laneOf(name);
      if (lane.queue.length > 0 || !mayTake(lane) || !pass()) return false;
      free -= 1;
      lane.held += 1;
      return true;
    },
    give: (name) => {
      const lane = laneOf(name);
      lane.held -= 1;
      free += 1;
      if (lane.held === 0 && lane.queue.length === 0) all.delete(name);
      admit();
    },
    waiting: (name) => all.get(name)?.queue.length ?? 0,
    admit,
  };
}
