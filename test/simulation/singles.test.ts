/**
 * Every way a job of the examples can end, with every single fault: each outside call × each mode that means something
 * there. The job ends as it would have, and every rule of the house holds.
 */
import { describe, expect, it } from 'vitest';
import { describeFailure, failureOf, singlesOf } from './single-faults.ts';
import { ALL_STORIES } from './stories.ts';

describe.each(ALL_STORIES)('$name', (story) => {
  it('ends as it should whatever one call does', { timeout: 60_000 }, async () => {
    const singles = await singlesOf(story);
    expect(singles.length).toBeGreaterThan(60);
    const failures = [];
    for (const [index, single] of singles.entries()) {
      const failure = await failureOf(story, [single]);
      if (failure !== null) failures.push(describeFailure(failure));
      // Ticks alone would never let the runner speak.
      if (index % 50 === 0) await new Promise(setImmediate);
    }
    expect(failures).toEqual([]);
  });
});
