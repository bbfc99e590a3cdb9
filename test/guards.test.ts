/** The table of guards in docs/testing.md does not rot: each still stands in the code, and some test fails without it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GUARDS } from '../scripts/mutate/guards.ts';
import { readTable } from '../scripts/mutate/table.ts';

const ROOT = join(import.meta.dirname, '..');

describe.each(GUARDS)('the guard: $name', ({ name, file, find, replace, suites }) => {
  it('stands in its file exactly once, so that it can be taken away; else see scripts/mutate/guards.ts', () => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(find).length - 1).toBe(1);
    expect(replace).not.toBe(find);
  });

  it('names suites that exist', () => {
    expect(suites.filter((suite) => !existsSync(join(ROOT, suite)))).toEqual([]);
  });

  it('is in the table, with the test that fails without it; else run: npm run mutate -- --only NAME --write', () => {
    expect(readTable().get(name)).toEqual({ file, fails: expect.stringContaining('test/') });
  });
});

describe('the table', () => {
  it('has a row for each guard, and no other', () => {
    expect([...readTable().keys()]).toEqual(GUARDS.map(({ name }) => name));
  });
});
