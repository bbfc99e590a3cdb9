/** The table of guards in the documentation: which there are, and which test fails without each. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Guard } from './guards.ts';

const PAGE = join(import.meta.dirname, '../../docs/testing.md');
const START = '<!-- guards -->';
const END = '<!-- /guards -->';
const HEAD = ['| without | in | fails |', '|---|---|---|'];

/** What is known of a guard, by its name. */
export type Rows = ReadonlyMap<string, { readonly file: string; readonly fails: string | null }>;

export function tableOf(rows: Rows): string {
  const lines = [...rows].map(
    ([name, { file, fails }]) => `| ${cell(name)} | \`${file}\` | ${fails === null ? '**nothing**' : cell(fails)} |`,
  );
  return [...HEAD, ...lines].join('\n');
}

/** As the page has it. */
export function readTable(): Rows {
  const { table } = parts();
  const lines = table.split('\n').filter((line) => line.startsWith('| ') && !HEAD.includes(line));
  return new Map(
    lines.map((line) => {
      const [name = '', file = '', fails = ''] = line.slice(2, -2).split(' | ');
      return [name, { file: file.replaceAll('`', ''), fails: fails === '**nothing**' ? null : fails }];
    }),
  );
}

/** New rows stand in the place of their old ones; what is no guard any more goes. */
export function writeTable(guards: readonly Guard[], fresh: Rows): void {
  const { before, after } = parts();
  const old = readTable();
  const rows = guards.flatMap(({ name }) => {
    const row = fresh.get(name) ?? old.get(name);
    return row === undefined ? [] : [[name, row] as const];
  });
  writeFileSync(PAGE, `${before}${START}\n${tableOf(new Map(rows))}\n${END}${after}`);
}

function parts(): { before: string; table: string; after: string } {
  const [before, rest] = readFileSync(PAGE, 'utf8').split(START);
  const [table, after] = rest?.split(END) ?? [];
  if (before === undefined || table === undefined || after === undefined)
    throw new Error(`docs/testing.md has no ${START} … ${END}`);
  return { before, table, after };
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
}
