/**
 * The comparison: ours, other durable engines and three floors at the same work, by the rig that measures them all.
 *   npm run bench:rig -- --rig FOLDER            every cell once, about twelve minutes
 *   npm run bench:rig -- --rig FOLDER --write    and the table in docs/performance.md
 *   … --works W1,W2 --peers ours,restate --seconds 4 --out rows.jsonl
 * The peers take turns within each cell, so that a slow moment of the machine meets all of them. Run it on a machine that
 * does nothing else: each row tells how much of the processor others had.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ADAPTER = join(import.meta.dirname, 'rig-adapter.ts');
const PAGE = join(import.meta.dirname, '../../docs/performance.md');
const START = '<!-- comparison -->';
const END = '<!-- /comparison -->';

const ENGINES = ['ours', 'restate', 'dbos', 'bullmq'];
/** Nothing durable; one file and one fdatasync a group; one commit of PostgreSQL a record. */
const FLOORS = ['null', 'rawlog', 'rawpg'];
const CLIENTS: Readonly<Record<string, readonly number[]>> = {
  W1: [1, 16, 64],
  W2: [1, 16],
  W3: [1, 16],
  W4: [1, 16],
  W5: [1, 16],
};
/** What a cell may take: the rig itself gives up on what does not stop after half a minute. */
const CELL_MS_MAX = 120_000;

interface Row {
  readonly peer: string;
  readonly work: string;
  readonly concurrency: number;
  readonly ok: boolean;
  readonly wfPerSec?: number;
  readonly p50?: number;
  readonly p99?: number;
  readonly cpuSecPer1000?: number;
  readonly otherCpuPct?: number;
  readonly stealPct?: number;
  readonly fatal?: string;
  readonly firstError?: string | null;
}

const { values } = parseArgs({
  options: {
    rig: { type: 'string' },
    works: { type: 'string', default: Object.keys(CLIENTS).join(',') },
    peers: { type: 'string', default: [...ENGINES, ...FLOORS].join(',') },
    seconds: { type: 'string', default: '4' },
    out: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const { rig } = values;
if (rig === undefined) throw new Error('say where the rig is: npm run bench:rig -- --rig FOLDER');
const peers = values.peers.split(',');
const out = values.out ?? join(mkdtempSync(join(tmpdir(), 'dacapo-rig-')), 'rows.jsonl');

function measure(peer: string, work: string, clients: number): Row {
  const numbers = ['--work', work, '--concurrency', String(clients), '--seconds', values.seconds, '--warmup', '2'];
  const adapter = peer === 'ours' ? ['--adapter', ADAPTER] : [];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(rig ?? '', 'run.mjs'), '--peer', peer, ...numbers, ...adapter],
    { encoding: 'utf8', timeout: CELL_MS_MAX },
  );
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (line.startsWith('{')) return JSON.parse(line) as Row;
  return { peer, work, concurrency: clients, ok: false, fatal: stderr.slice(-400) };
}

function* cells(): Generator<readonly [peer: string, work: string, clients: number]> {
  for (const work of values.works.split(',')) {
    for (const clients of CLIENTS[work] ?? []) {
      // How far from a floor one is shows in one cell of each work.
      const needed = peers.filter((peer) => work === 'W1' || clients > 1 || !FLOORS.includes(peer));
      for (const peer of needed) yield [peer, work, clients];
    }
  }
}

function tableOf(rows: readonly Row[]): string {
  const cell = (work: string, clients: number, peer: string): string => {
    const row = rows.find((one) => one.work === work && one.concurrency === clients && one.peer === peer);
    if (row === undefined) return '';
    if (!row.ok) return 'failed';
    return `**${Math.round(row.wfPerSec ?? 0).toLocaleString('en')}**/s, ${row.p50?.toFixed(1)} / ${row.p99?.toFixed(0)} ms, ${row.cpuSecPer1000?.toFixed(2)}`;
  };
  const lines = Object.entries(CLIENTS).flatMap(([work, all]) =>
    all
      .filter((clients) => rows.some((row) => row.work === work && row.concurrency === clients))
      .map((clients) => `| ${work} | ${clients} | ${peers.map((peer) => cell(work, clients, peer)).join(' | ')} |`),
  );
  const others = Math.max(...rows.map(({ otherCpuPct = 0, stealPct = 0 }) => otherCpuPct + stealPct));
  return [
    `| work | clients | ${peers.join(' | ')} |`,
    `|---|---|${'---|'.repeat(peers.length)}`,
    ...lines,
    '',
    `Each cell: workflows a second, p50 / p99 of one, CPU-ms each. One run of ${values.seconds} s a cell; others had at most ${others.toFixed(0)} % of the processor meanwhile.`,
  ].join('\n');
}

function write(table: string): void {
  const [before, rest] = readFileSync(PAGE, 'utf8').split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/performance.md has no ${START} … ${END}`);
  writeFileSync(PAGE, `${before}${START}\n${table}\n${END}${after}`);
}

const rows: Row[] = [];
for (const [peer, work, clients] of cells()) {
  const row = measure(peer, work, clients);
  rows.push(row);
  appendFileSync(out, `${JSON.stringify(row)}\n`);
  const told = row.ok ? `${row.wfPerSec}/s, p50 ${row.p50} ms` : `failed: ${row.fatal ?? row.firstError}`;
  process.stderr.write(`${work} ${clients} ${peer}: ${told}\n`);
}
const table = tableOf(rows);
console.log(`${table}\n\nrows: ${out}`);
if (values.write) write(table);
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
