/** A SQLite file of its own for each test, on a clock that the test moves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { virtualClock } from '../../../lib/adapters/memory/clock.ts';
import { type Database, openDatabase } from '../../../lib/adapters/sqlite/database.ts';
import { sqlitePorts } from '../../../lib/adapters/sqlite/ports.ts';
import { T0 } from '../../contracts/jobs.ts';

/** A path in a directory that goes with the test. */
export function temporaryPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'data', 'dacapo.sqlite');
}

export function opened(path = temporaryPath()): Database {
  const database = openDatabase(path);
  onTestFinished(() => database.close());
  return database;
}

export async function portsOn(database = opened()) {
  const clock = virtualClock(T0);
  const ports = sqlitePorts(database, clock);
  const advance = async (ms: number): Promise<void> => {
    await clock.advanceAsync(ms);
    await ports.timers.takeDue(clock.now(), 100);
  };
  return { ...ports, database, clock, advance, seen: ports.bus.published };
}
