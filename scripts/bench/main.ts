/**
 * `npm run bench`: embedded signup and its rollback at 1, 16 and 64 clients, beside the floor of the same run. Prints
 * the medians of several rounds; the rounds take turns, so that a slow moment of the machine meets everybody.
 * Options: --rounds N (default 3), --seconds S a measurement (default 4). `npm run bench -- neighbours` measures one
 * caller beside another one's thousands of waiting jobs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbedded } from './embedded.ts';
import { openFloor } from './floor.ts';
import { load, type Measured, median } from './load.ts';
import { neighbours } from './neighbours.ts';

const CLIENTS = [1, 16, 64] as const;
const WORK = ['signup', 'rollback'] as const;

interface Row extends Measured {
  readonly name: string;
  readonly cpuMs: number;
}

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '4' } },
  allowPositionals: true,
});
if (positionals[0] === 'neighbours') {
  await neighbours();
  process.exit(0);
}
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const rows: Row[] = [];

for (let round = 1; round <= rounds; round += 1) {
  process.stderr.write(`round ${round} of ${rounds}\n`);
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
  const embedded = await startEmbedded(directory);
  const floor = openFloor(directory);
  await load(16, 2, embedded.signup);
  for (const work of WORK) {
    for (const clients of CLIENTS) {
      const before = await embedded.cpuMs();
      const ours = await load(clients, seconds, embedded[work]);
      const cpuMs = ((await embedded.cpuMs()) - before) / ours.count;
      rows.push({ ...ours, name: `${work} ${clients}`, cpuMs });
      const own = process.cpuUsage();
      const least = await load(clients, seconds / 2, floor[work]);
      const used = process.cpuUsage(own);
      rows.push({ ...least, name: `${work} ${clients} floor`, cpuMs: (used.user + used.system) / 1_000 / least.count });
    }
  }
  floor.close();
  await embedded.stop();
  rmSync(directory, { recursive: true, force: true });
}

const of = (name: string, pick: (row: Row) => number): number =>
  median(rows.filter((row) => row.name === name).map(pick));
process.stdout.write(`medians of ${rounds} rounds, ${seconds} s each; ms are of the whole request\n`);
process.stdout.write(
  'work       clients   workflows/s    p50 ms   p95 ms   p99 ms  CPU-ms each   floor/s   floor p50\n',
);
for (const work of WORK) {
  for (const clients of CLIENTS) {
    const name = `${work} ${clients}`;
    const cells = [
      of(name, (row) => row.perSecond)
        .toFixed(0)
        .padStart(12),
      of(name, (row) => row.p50)
        .toFixed(2)
        .padStart(10),
      of(name, (row) => row.p95)
        .toFixed(2)
        .padStart(9),
      of(name, (row) => row.p99)
        .toFixed(2)
        .padStart(9),
      of(name, (row) => row.cpuMs)
        .toFixed(3)
        .padStart(13),
      of(`${name} floor`, (row) => row.perSecond)
        .toFixed(0)
        .padStart(10),
      of(`${name} floor`, (row) => row.p50)
        .toFixed(2)
        .padStart(12),
    ];
    process.stdout.write(`${work.padEnd(10)} ${String(clients).padStart(7)} ${cells.join('')}\n`);
  }
}
