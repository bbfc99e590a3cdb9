/**
 * Closed loops: each client waits for its answer before it asks again. Bounded in time, and it stops by itself.
 */
export interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly count: number;
}

export async function load(clients: number, seconds: number, one: (key: string) => Promise<void>): Promise<Measured> {
  const times: number[] = [];
  const started = performance.now();
  const until = started + seconds * 1_000;
  const client = async (name: number): Promise<void> => {
    for (let i = 0; performance.now() < until; i += 1) {
      const from = performance.now();
      await one(`${started}-${name}-${i}`);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, name) => client(name)));
  const elapsed = (performance.now() - started) / 1_000;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { perSecond: times.length / elapsed, p50: at(0.5), p95: at(0.95), p99: at(0.99), count: times.length };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
