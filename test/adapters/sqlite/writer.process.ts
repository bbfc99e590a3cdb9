/**
 * A process that writes jobs until it is killed, and notes each acknowledged write in a file beside the database.
 * The note is handed to the system before the next write begins, so it survives the process too.
 */
import { openSync, writeSync } from 'node:fs';
import { virtualClock } from '../../../lib/adapters/memory/clock.ts';
import { openDatabase } from '../../../lib/adapters/sqlite/database.ts';
import { sqlitePorts } from '../../../lib/adapters/sqlite/ports.ts';
import { newJob, nextWrite } from '../../contracts/jobs.ts';

const [, , path = '', notes = ''] = process.argv;
const out = openSync(notes, 'a');
const { jobs } = sqlitePorts(openDatabase(path), virtualClock(0));

function acknowledged(jobId: string, revision: number, ok: boolean): void {
  if (!ok) throw new Error(`revision ${revision} of ${jobId} was refused, though nobody else writes it`);
  writeSync(out, `${jobId} ${revision}\n`);
}

async function client(name: number): Promise<never> {
  for (let n = 0; ; n += 1) {
    let job = newJob(`process ${process.pid} client ${name} job ${n}`);
    acknowledged(job.jobId, job.revision, (await jobs.create(job)).created);
    for (let i = 0; i < 3; i += 1) {
      const next = nextWrite(job);
      acknowledged(next.jobId, next.revision, (await jobs.update(next, job.revision)).stored);
      job = next;
    }
  }
}

for (let name = 0; name < 8; name += 1) void client(name);
