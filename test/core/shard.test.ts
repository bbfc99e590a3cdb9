import { expect, it } from 'vitest';
import { jobIdOf } from '../../lib/core/ids.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { shardOf } from '../../lib/core/shard.ts';

it('never moves a job: stored indexes stand on these numbers', () => {
  // The low four bits of published FNV-1a vectors: 811c9dc5, e40c292c, bf9cf968.
  expect(['', 'a', 'foobar'].map(shardOf)).toEqual([0x5, 0xc, 0x8]);
  expect(['jabcdefghijklmnopqrstuvwxyz', 'jabcdefghijklmnopqrstuvwxy2'].map(shardOf)).toEqual([10, 2]);
});

it('spreads jobs evenly over all shards', () => {
  const counts = new Array<number>(LIMITS.activeShards).fill(0);
  for (let i = 0; i < 16_000; i += 1) {
    const shard = shardOf(jobIdOf('caller', 'signup', `key-${i}`));
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  expect(counts).toHaveLength(LIMITS.activeShards);
  // 1,000 expected in each; five standard deviations are about 150.
  expect(Math.min(...counts)).toBeGreaterThan(850);
  expect(Math.max(...counts)).toBeLessThan(1_150);
});
