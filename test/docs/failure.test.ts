/** The page for three in the morning: its commands are run as they stand, and it leaves out no state, action or code. */
import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parsePolicies } from '../../lib/contract/policies.ts';
import { DEAD_LETTER_REASONS } from '../../lib/contract/requests.ts';
import { ERRORS, httpStatusOf, PREFIX_POLICIES, UNDO_POLICY } from '../../lib/core/errors.ts';
import { JOB_STATES } from '../../lib/core/states.ts';
import { withPolicies } from '../../lib/operations/policies.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { start, temporaryDirectory } from '../local/rig.ts';
import { ROOT } from './snippets.ts';

const page = readFileSync(join(ROOT, 'docs/failure.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);
const masked = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>').trimEnd();

const session = blocks('console')
  .flatMap((block) => block.split(/^\$ /m).filter((part) => part !== ''))
  .map((part) => ({ command: part.slice(0, part.indexOf('\n')), output: part.slice(part.indexOf('\n') + 1) }));

/** A job's news, and so its dead letter's list and the audit, may follow it by a moment. */
async function printed(command: string, expected: string): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const { stdout } = await promisify(exec)(command, { shell: '/bin/bash' });
    if (masked(stdout) === masked(expected) || tries === 20 || command.includes('POST')) return stdout;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it('prints what the page says, command by command', async () => {
  const { port } = await start(await temporaryDirectory());
  expect(session.length).toBeGreaterThan(12);
  for (const { command, output } of session) {
    const here = command.replaceAll('localhost:3000', `localhost:${port}`);
    expect(masked(await printed(here, output)), command).toBe(masked(output));
  }
}, 30_000);

describe('the page', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const cells = rows.flatMap((row) => row.split('|')[1]?.match(/`([^`]+)`/g) ?? []).map((text) => text.slice(1, -1));

  it.each([...JOB_STATES, ...DEAD_LETTER_REASONS, ...Object.keys(ERRORS)])('explains %s', (name) => {
    expect(cells).toContain(name);
  });

  it.each(['resume', 'retry-compensation', 'close', 'force-close', 'resolve', 'cancel'])(
    'says when to %s',
    (action) => {
      expect(cells).toContain(action);
    },
  );

  it('gives the HTTP status of every code that answers a request', () => {
    const answers = page.slice(page.indexOf('| to a request |'), page.indexOf('## Who did what'));
    for (const row of answers.split('\n').filter((line) => line.startsWith('| `'))) {
      const [, codes = '', statuses = ''] = row.split('|');
      const named = codes.match(/[A-Z_]{4,}/g) ?? [];
      const given = statuses.match(/\d{3}/g)?.map(Number) ?? [];
      expect(given.length === 1 ? named.map(() => given[0]) : given, codes).toEqual(named.map(httpStatusOf));
    }
  });

  it('says the numbers of the policies that are in force', () => {
    const { maxAttempts, maxBackoffSeconds } =
      PREFIX_POLICIES.find(({ prefix }) => prefix === 'EXT_')?.policy ?? UNDO_POLICY;
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      `(${maxAttempts} attempts, 1 s × 2, at most ${maxBackoffSeconds} s; an undo ${UNDO_POLICY.maxAttempts}, at most ${UNDO_POLICY.maxBackoffSeconds} s)`,
    );
  });

  it('shows an errors.json that can be loaded', () => {
    const [shown = ''] = blocks('json');
    expect(withPolicies(examples, parsePolicies(shown)).find('signup', null)?.retry).toEqual({
      EXT_: { backoffBaseSeconds: 2 },
    });
  });
});
