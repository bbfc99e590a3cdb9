/** What a deployment would mean for running jobs is told before it happens. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { embedded, SIGNUP } from './support.ts';

const EXAMPLES = join(import.meta.dirname, '../../lib/workflows/examples.ts');
const ONLY_ORDER = join(import.meta.dirname, '../../lib/workflows/order.ts');

describe('plan', () => {
  it('finds nothing against what is deployed already', async () => {
    const { run } = await embedded();
    const { code, out } = await run(['plan', '--definitions', EXAMPLES]);
    expect([code, out]).toEqual([0, expect.stringMatching(/signup +1 +kept +0/)]);
  });

  it('refuses to lose a version that a running job needs, and says what to do', async () => {
    const { run, stuck } = await embedded();
    await stuck();
    const { code, out, err } = await run(['plan', '--definitions', ONLY_ORDER]);
    expect([code, out]).toEqual([1, expect.stringMatching(/signup +1 +removed +1/)]);
    expect(err).toContain('signup 1 has 1 running job and would be gone: keep it beside the new version');
  });

  it('lets a version go of which every job has ended', async () => {
    const { json } = await embedded();
    await json(['submit', 'signup', SIGNUP, '--wait']);
    const { code, body } = await json(['plan', '--definitions', ONLY_ORDER]);
    expect([code, body.refused]).toEqual([0, false]);
  });
});

describe('migrate', () => {
  it('says what the deployment says, and asks before it moves anything', async () => {
    const { run } = await embedded();
    const said = ['migrate', 'signup', '--from', '1', '--to', '2', '--reason', 'why not'];
    expect((await run([...said, '--dry-run'])).err).toMatch(/^ORCH_UNKNOWN_WORKFLOW: .*no version 2 of signup/);
    const { code, asked } = await run(said, { answers: ['n'] });
    expect([code, asked.length]).toEqual([1, 1]);
  });

  it('takes numbers for versions', async () => {
    const { run } = await embedded();
    expect((await run(['migrate', 'signup', '--from', 'one', '--to', '2', '--reason', 'x'])).code).toBe(2);
  });
});
