/** Random programs on the adapters for AWS under random trouble; `npm run fire` runs any number of them. */
import { describe, expect, it } from 'vitest';
import { programOf } from '../../../../lib/testing/simulation/program.ts';
import { startedEngines } from './engines.hook.ts';
import { runUnderFire } from './fire.ts';

const SEEDS = 40;

const engines = startedEngines();

describe('whatever a seed brings over HTTP', () => {
  it('breaks no rule', { timeout: 300_000 }, async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { broken } = await runUnderFire(engines(), programOf(seed));
      expect(broken, `seed ${seed}; npm run fire -- --trace ${seed} tells how`).toEqual([]);
    }
  });

  it('comes again the same from the same seed', async () => {
    const [first, second] = [await digest(2), await digest(2)];
    expect(first).toBe(second);
  });
});

async function digest(seed: number): Promise<string> {
  const report = await runUnderFire(engines(), programOf(seed), true);
  return JSON.stringify([report.fired, report.virtualMs, report.jobs.map(({ history }) => history)]);
}
