/**
 * A bound on how much happens at once: whoever comes too early waits in order of arrival.
 */
export interface Slots {
  take(): Promise<void>;
  give(): void;
  readonly waiting: number;
}

export function slots(count: number): Slots {
  let free = count;
  const queue: (() => void)[] = [];
  return {
    take: () => {
      if (free > 0) {
        free -= 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => queue.push(resolve));
    },
    give: () => {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    },
    get waiting() {
      return queue.length;
    },
  };
}
