import { afterAll, beforeAll } from 'vitest';
import { type Engines, startEngines } from './engines.ts';

/** Started before the tests of the file that calls it, and stopped after them. */
export function startedEngines(): () => Engines {
  let engines: Engines | null = null;
  beforeAll(async () => {
    engines = await startEngines();
  });
  afterAll(() => engines?.stop());
  return () => {
    if (engines === null) throw new Error('the engines run in tests only');
    return engines;
  };
}
