/** Random programs under random trouble; `npm run simulate` runs any number of them. */
import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../lib/testing/simulation/describe.ts';
import { programOf } from '../../lib/testing/simulation/program.ts';
import { run } from '../../lib/testing/simulation/run.ts';
import { shrink } from '../../lib/testing/simulation/shrink.ts';

const SEEDS = 2_000;
const A_TEST = 250;

describe('whatever a seed brings', () => {
  it.each(Array.from({ length: SEEDS / A_TEST }, (_, index) => index * A_TEST + 1))(
    'breaks no rule from seed %i on',
    { timeout: 60_000 },
    async (from) => {
      for (let seed = from; seed < from + A_TEST; seed += 1) {
        const { broken } = await run(programOf(seed));
        if (broken.length > 0) {
          const shrunken = await shrink(programOf(seed));
          expect.fail(shrunken === null ? broken.join('\n') : describeFailure(shrunken));
        }
        // Ticks alone would never let the runner speak.
        if (seed % 50 === 0) await new Promise(setImmediate);
      }
    },
  );
});
