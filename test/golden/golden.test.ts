/** Every released version still does what it did when it was released: jobs of it may be on their way. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differences, type Golden } from '../../lib/testing/golden.ts';
import { examples } from '../../lib/workflows/examples.ts';

const folder = join(import.meta.dirname, 'histories');
const recorded = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Golden);

function planOf({ workflow, version }: Golden) {
  const plan = examples.find(workflow, version);
  if (plan === undefined) throw new Error(`${workflow} ${version} was released and is gone`);
  return plan;
}

describe('golden histories', () => {
  it.each(recorded)('$workflow $version decides as it was recorded', (golden) => {
    expect(golden.stories.length).toBeGreaterThan(3);
    expect(differences(golden, planOf(golden))).toEqual([]);
  });

  it('notice a definition that calls something else', () => {
    const [golden] = recorded.filter(({ workflow }) => workflow === 'signup');
    if (golden === undefined) throw new Error('signup has no golden history');
    const plan = planOf(golden);
    const steps = plan.steps.map((step) =>
      step.topic === 'billing:setup' ? { ...step, topic: 'billing:open' } : step,
    );
    expect(differences(golden, { ...plan, steps }).length).toBeGreaterThan(0);
  });

  it('reach every way a job of them ends', () => {
    const ends = new Set(
      recorded.flatMap(({ stories }) =>
        stories.map(({ decisions }) => (decisions.at(-1)?.seen as { state?: string } | undefined)?.state),
      ),
    );
    expect([...ends]).toEqual(expect.arrayContaining(['COMPLETED', 'FAILED', 'CANCELLED']));
  });
});
