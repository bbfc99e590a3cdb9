/** A signup on the adapters for AWS, with everything that can go wrong at each HTTP attempt; `npm run fire` knows more stories. */
import { describe, expect, it } from 'vitest';
import { ALL_STORIES } from '../../../simulation/stories.ts';
import { startedEngines } from './engines.hook.ts';
import { everyShot } from './fire.ts';

const engines = startedEngines();

describe.each(ALL_STORIES.filter(({ name }) => name === 'a signup refused in stage 2'))('$name', (story) => {
  it('is rolled back whatever one HTTP attempt does', { timeout: 300_000 }, async () => {
    const { shots, broken } = await everyShot(engines(), story);
    expect(broken).toEqual([]);
    expect(shots).toBeGreaterThan(90);
  });
});
