import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { client, SIGNUP, temporaryDirectory, WAIT } from './rig.ts';

const PROJECT = join(import.meta.dirname, '../..');
const MAIN = 'lib/local/main.ts';

function run(env: Record<string, string>, [program, ...parameters]: readonly string[] = [process.execPath, MAIN]) {
  const child: ChildProcess = spawn(program ?? '', parameters, {
    cwd: PROJECT,
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { out: '', error: '' };
  const ended = once(child, 'close').then(([code]) => code as number | null);
  child.stderr?.on('data', (chunk) => {
    said.error += chunk;
  });
  const listening = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      said.out += chunk;
      const url = /^dacapo listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(said.out)?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then(() => reject(new Error(said.error)));
  });
  return { child, said, listening, ended };
}

it('says where it listens in one line, and ends on SIGTERM although somebody waits', async () => {
  const { child, said, listening, ended } = run({ DACAPO_DATA: await temporaryDirectory() });
  const { submit, fault, until } = client(await listening);
  await fault({ target: 'user:create', mode: 'hang' });
  const waiting = submit('k', { prefer: 'wait=25' }).catch(() => 'broken');
  await until('/jobs', ({ items }) => (items as unknown[]).length === 1);
  const start = Date.now();
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(Date.now() - start).toBeLessThan(5_000);
  expect(await waiting).toBe('broken');
  expect(said.out.split('\n')).toHaveLength(2);
});

// Windows has no signals to pass on, and no exec: the shell's second choice starts it there.
it.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGKILL'] as const)(
  'ends with npm, which started it and gets the %s',
  async (signal) => {
    const { child, listening, ended } = run({ DACAPO_DATA: await temporaryDirectory() }, ['npm', 'start', '--silent']);
    const url = await listening;
    const start = Date.now();
    child.kill(signal);
    // Closed is its stdout, so nobody holds it any more: neither npm, nor a shell, nor the server.
    await ended;
    expect(Date.now() - start).toBeLessThan(5_000);
    await expect(fetch(url)).rejects.toThrow();
  },
);

it('finds after kill -9 what it had answered for', async () => {
  const directory = await temporaryDirectory();
  const first = run({ DACAPO_DATA: directory });
  const before = client(await first.listening);
  await before.fault({ target: 'user:create', mode: 'hang' });
  const { job_id } = (await before.submit('k')).body;
  await before.until('/local/faults', ({ items }) => (items as { fired: number }[])[0]?.fired === 1);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = run({ DACAPO_DATA: directory });
  const after = client(await second.listening);
  const told = await after.submit('k', WAIT);
  expect([told.status, told.body.job_id]).toEqual([201, job_id]);
});

it('leaves nothing behind when it is ephemeral', async () => {
  const temporary = await temporaryDirectory();
  const { child, listening, ended } = run({ DACAPO_EPHEMERAL: '1', TMPDIR: temporary });
  await client(await listening).submit('k', WAIT, SIGNUP);
  expect(await readdir(temporary)).toHaveLength(1);
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(await readdir(temporary)).toEqual([]);
});

it('says on stderr what is wrong with the environment, and ends with 1', async () => {
  const { said, ended, listening } = run({ PORT: 'http' });
  await expect(listening).rejects.toThrow('PORT');
  expect(await ended).toBe(1);
  expect(said).toEqual({ out: '', error: 'dacapo: PORT: write a number from 0 to 65535\n' });
});

it('retries as errors.json says, and does not start on one that is wrong', async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, 'errors.json');
  const env = { DACAPO_DATA: directory, DACAPO_ERRORS: file };
  await writeFile(file, '{"EXT_UNAVAILABLE": {"max_attempts": 1, "dead_letter_on_exhaustion": false}}');
  const { listening, child, ended } = run(env);
  const { submit, fault } = client(await listening);
  await fault({ target: 'user:create', mode: 'fail', times: 9 });
  const told = await submit('k', WAIT);
  expect([told.status, told.body.code]).toEqual([503, 'EXT_UNAVAILABLE']);
  child.kill('SIGKILL');
  await ended;

  await writeFile(file, '{"EXT_UNAVAILABEL_": {}}');
  const wrong = run(env);
  await expect(wrong.listening).rejects.toThrow(/DACAPO_ERRORS .*errors\.json: EXT_UNAVAILABEL_: is no prefix: write/);
  expect(await wrong.ended).toBe(1);
});
