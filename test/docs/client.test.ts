/** The client as the documentation shows it: it compiles, and it runs against embedded mode. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SIGNUP, start, temporaryDirectory } from '../local/rig.ts';
import { folderOf, ROOT, snippet, typeComplaints } from './snippets.ts';

const PAGE = 'docs/client.md';
const WORKFLOWS = `export { examples as workflows } from '${join(ROOT, 'lib/workflows/examples.ts')}';`;

it('compiles, and refuses what the definition does not have', () => {
  const shown = snippet(PAGE, 'client');
  expect(typeComplaints({ 'client.ts': shown, 'workflows.ts': WORKFLOWS })).toBe('');
  const wrong = shown.replace("plan: 'free'", "colour: 'red'").replace('{ tenant_id }', '{ tenant_id, owner }');
  const complaints = typeComplaints({ 'client.ts': wrong, 'workflows.ts': WORKFLOWS });
  expect(complaints).toContain('colour');
  expect(complaints).toContain('owner');
}, 60_000);

it('runs', async () => {
  const { port } = await start(await temporaryDirectory());
  const page = snippet(PAGE, 'client').replace('127.0.0.1:3000', `127.0.0.1:${port}`);
  const folder = folderOf({ 'client.ts': page, 'workflows.ts': WORKFLOWS });
  const { signUp } = (await import(join(folder, 'client.ts'))) as { signUp: (a: string, b: string) => Promise<string> };
  expect(await signUp(SIGNUP.company, SIGNUP.email)).toMatch(/^ten_/);
});
