/** The command line as a process of its own. */
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { embedded, SIGNUP } from './support.ts';

const PROJECT = join(import.meta.dirname, '../..');
const FILE = join(PROJECT, 'lib/operator/main.ts');

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function shell(command: string, env: Record<string, string> = {}): Promise<Ended> {
  const all = { ...process.env, DACAPO: `${process.execPath} ${FILE}`, ...env };
  return new Promise((resolve) => {
    execFile('bash', ['-c', command], { env: all, cwd: PROJECT }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

it('takes the address from DACAPO_URL, and --url before that', async () => {
  const { url } = await embedded();
  expect(await shell('$DACAPO jobs list', { DACAPO_URL: url })).toEqual({ code: 0, out: 'No such jobs.\n', err: '' });
  expect((await shell(`$DACAPO jobs list --url ${url}`, { DACAPO_URL: 'http://127.0.0.1:1' })).code).toBe(0);
});

it('ends with its exit code', async () => {
  const { url } = await embedded();
  const codes = await Promise.all(
    ['jobs list', 'jobs show j1', 'jobs list --colour', 'cancel j1 --reason r < /dev/null'].map((line) =>
      shell(`$DACAPO ${line}`, { DACAPO_URL: url }),
    ),
  );
  expect(codes.map(({ code }) => code)).toEqual([0, 1, 2, 1]);
  const misread = await shell('$DACAPO describe', { DACAPO_SIGV4: 'yes' });
  expect(misread).toEqual({ code: 2, out: '', err: 'dacapo: DACAPO_SIGV4: write 1 or leave it out\n' });
});

it('ends without a word when its reader goes away', async () => {
  const { code, err } = await shell('set -o pipefail; $DACAPO describe | head -n 1 >/dev/null');
  expect([code, err]).toEqual([0, '']);
});

const canFakeTerminal = spawnSync('script', ['--version']).status === 0;

it.skipIf(!canFakeTerminal)('colours on a terminal, unless NO_COLOR is set', async () => {
  const { url, run } = await embedded();
  await run(['submit', 'signup', SIGNUP, '--wait']);
  const onTerminal = (env: Record<string, string>) =>
    shell('unset FORCE_COLOR CI; script -qec "$DACAPO jobs list" /dev/null', {
      DACAPO_URL: url,
      TERM: 'xterm-256color',
      ...env,
    });
  expect((await onTerminal({})).out).toContain('\u001b[32mCOMPLETED');
  expect((await onTerminal({ NO_COLOR: '1' })).out).toMatch(/COMPLETED/);
  expect((await onTerminal({ NO_COLOR: '1' })).out).not.toContain('\u001b[32m');
});
