import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { IN_MEMORY, openDatabase } from '../../../lib/adapters/sqlite/database.ts';
import { deadLetterIdOf } from '../../../lib/core/ids.ts';
import { sha256Hex } from '../../../lib/core/json.ts';
import { StoreError } from '../../../lib/core/store-error.ts';
import { entry, newJob, nextWrite, T0 } from '../../contracts/jobs.ts';
import { opened, portsOn, temporaryPath } from './file.ts';

describe('the file', () => {
  it('holds everything that was acknowledged when it is opened again', async () => {
    const path = temporaryPath();
    const job = newJob('key');
    const { jobId } = job;
    const message = { kind: 'hint', jobId, revision: 2, hops: 0 } as const;
    const letter = {
      deadLetterId: deadLetterIdOf(jobId),
      jobId,
      callerId: 'local',
      workflowType: 'signup',
      reason: 'unrecoverable_error',
      status: 'open',
      quarantinedAt: T0,
      settlement: null,
      seq: 1,
      body: {},
    } as const;

    const before = await portsOn(opened(path));
    await before.jobs.create(job);
    await before.jobs.update(nextWrite(job), job.revision);
    await before.jobs.putHistoryChunk(jobId, 0, [entry(0)]);
    await before.values.put(jobId, sha256Hex('{}'), '{}');
    await before.claims.claim('intent', T0, 1_000);
    await before.deadLetters.put(letter);
    await before.queue.send('dispatch', message, 0);
    await before.timers.arm({ name: 'timer', at: T0 + 5, queue: 'dispatch', message });
    await before.bus.publish([{ eventId: 'e', detailType: 'signup:completed', detail: { a: 1 }, time: T0 }]);
    before.database.close();

    const after = await portsOn(opened(path));
    expect(await after.jobs.read(jobId)).toMatchObject({ revision: 2 });
    expect(await after.jobs.readHistoryChunks(jobId)).toEqual([entry(0)]);
    expect(await after.values.get(jobId, sha256Hex('{}'))).toBe('{}');
    expect(await after.claims.claim('intent', T0 + 1, 1_000)).toBe(T0);
    expect(await after.deadLetters.get(letter.deadLetterId)).toEqual(letter);
    expect(after.queue.nextVisibleAt('dispatch')).toBe(T0);
    expect(after.timers.nextDueAt()).toBe(T0 + 5);
    const published = { source: 'dacapo', detailType: 'signup:completed', detail: { a: 1 }, time: T0 };
    expect(await after.bus.published()).toEqual([published]);
  });

  it('commits what was still queued when it is closed', async () => {
    const path = temporaryPath();
    const before = await portsOn(opened(path));
    const job = newJob('key');
    const creating = before.jobs.create(job);
    before.database.close();
    expect(await creating).toEqual({ created: true });
    expect(await (await portsOn(opened(path))).jobs.read(job.jobId)).toEqual(job);
  });

  it('is flushed at every commit', () => {
    const database = opened();
    // 2 is FULL.
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  it('belongs to one process: a second one is refused with a reason', () => {
    const path = temporaryPath();
    opened(path);
    const code = `
      import { openDatabase } from ${JSON.stringify(import.meta.resolve('../../../lib/adapters/sqlite/database.ts'))};
      try { openDatabase(${JSON.stringify(path)}); } catch (error) { console.log(error.name, error.message); }`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect(stdout).toMatch(/^StoreError .*another process holds the file/);
  });

  it('is readable by its owner only, as is its log', async () => {
    const path = temporaryPath();
    const { jobs } = await portsOn(opened(path));
    await jobs.create(newJob('key'));
    for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('of a newer schema is left to newer code', () => {
    const path = temporaryPath();
    opened(path).close();
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    expect(() => openDatabase(path)).toThrow('schema 99');
  });

  it('that is no database is refused with a reason', () => {
    const path = temporaryPath();
    mkdirSync(dirname(path));
    writeFileSync(path, 'words that somebody keeps here\n'.repeat(100));
    expect(() => openDatabase(path)).toThrow(StoreError);
    expect(() => openDatabase(path)).toThrow('not a SQLite database: use another data directory');
  });

  it('says what to do when its directory cannot be made', () => {
    const path = temporaryPath();
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'in the way');
    expect(() => openDatabase(`${path}/inside`)).toThrow(StoreError);
    expect(() => openDatabase(`${path}/inside`)).toThrow('must be one that this user may write to');
  });

  it('may be none: everything then lives in the process', async () => {
    const { jobs } = await portsOn(opened(IN_MEMORY));
    const job = newJob('key');
    await jobs.create(job);
    expect(await jobs.read(job.jobId)).toEqual(job);
  });
});
