/** Random programs under random trouble; `npm run simulate` runs any number of them. */
import { describe, expect, it } from 'vitest';
import { runSeeds } from '../../lib/testing/simulation/seeds.ts';

const SEEDS = 2_000;
const A_TEST = 250;

describe('whatever a seed brings', () => {
  it.each(Array.from({ length: SEEDS / A_TEST }, (_, index) => index * A_TEST + 1))(
    'breaks no rule from seed %i on',
    { timeout: 60_000 },
    async (from) => {
      const { failures, seeds } = await runSeeds({ from, count: A_TEST });
      expect(failures.join('\n')).toBe('');
      expect(seeds).toBe(A_TEST);
    },
  );
});
