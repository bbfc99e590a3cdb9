import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JobId } from '../../../lib/core/ids.ts';
import { opened, portsOn, temporaryPath } from './file.ts';

const WRITER = fileURLToPath(import.meta.resolve('./writer.process.ts'));

function acknowledged(notes: string): string[] {
  // A note that the kill cut short was not read by anybody.
  return readFileSync(notes, { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1);
}

it('loses no acknowledged write to kill -9, whenever it comes', async () => {
  const path = temporaryPath();
  const notes = join(dirname(dirname(path)), 'notes');
  let before = 0;
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(process.execPath, [WRITER, path, notes], { stdio: ['ignore', 'inherit', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const enough = before + 300 + 41 * round;
    await vi.waitFor(() => expect(acknowledged(notes).length).toBeGreaterThan(enough), {
      timeout: 15_000,
      interval: 5,
    });
    child.kill('SIGKILL');
    await once(child, 'exit');

    const lines = acknowledged(notes);
    before = lines.length;
    const latest = new Map(
      lines.map((line) => line.split(' ')).map(([jobId = '', revision]) => [jobId, Number(revision)]),
    );
    const { jobs, database } = await portsOn(opened(path));
    for (const [jobId, revision] of latest) {
      const stored = await jobs.read(jobId as JobId);
      expect(stored?.revision, jobId).toBeGreaterThanOrEqual(revision);
      expect(stored?.history).toHaveLength(stored?.revision ?? -1);
    }
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
  }
});
