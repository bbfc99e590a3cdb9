/**
 * The README is what a newcomer believes first: its session is run here as it stands, and its definition is the one in
 * the code. Only times may differ.
 */
import { exec } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Runtime, startRuntime } from '../lib/local/runtime.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);

interface Said {
  readonly command: string;
  readonly output: string;
}

const session: Said[] = blocks('console')
  .flatMap((block) => block.split(/^\$ /m).filter((part) => part !== ''))
  .map((part) => ({ command: part.slice(0, part.indexOf('\n')), output: part.slice(part.indexOf('\n') + 1) }))
  .filter(({ command }) => command.startsWith('curl'));

const masked = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>').trimEnd();

const directory = mkdtempSync(join(tmpdir(), 'dacapo-readme-'));
let runtime: Runtime;

beforeAll(async () => {
  const log = { write: () => undefined };
  runtime = await startRuntime({ port: 0, directory, log, onFatal: () => undefined });
});

afterAll(async () => {
  await runtime.close();
  rmSync(directory, { recursive: true, force: true });
});

it('prints what the README says, command by command', async () => {
  expect(session.length).toBeGreaterThan(5);
  for (const { command, output } of session) {
    const here = command.replaceAll('localhost:3000', `localhost:${runtime.port}`);
    const { stdout } = await promisify(exec)(here, { shell: '/bin/bash' });
    expect(masked(stdout), command).toBe(masked(output));
  }
});

it('shows the signup definition that runs', () => {
  const [definition = ''] = blocks('ts');
  expect(definition.length).toBeGreaterThan(500);
  expect(readFileSync(join(ROOT, 'lib/workflows/signup.ts'), 'utf8')).toContain(definition.trimEnd());
});

it('opens with the two commands of a fresh machine', () => {
  expect(readme.split('\n').slice(2, 4)).toEqual([
    expect.stringMatching(/^ {4}npm ci && npm start/),
    expect.stringMatching(/^ {4}npm ci && npm test/),
  ]);
});
