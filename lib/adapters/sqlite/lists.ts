/**
 * Pages of a table, newest first. Records of one millisecond are told apart by the job's id, so that paging neither
 * skips nor repeats any of them. Statements are compiled once for each set of conditions.
 */
import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import type { ListPosition, Page } from '../../ports.ts';
import type { Database } from './database.ts';

export type Row = Record<string, SQLOutputValue>;
type Condition = readonly [sql: string, ...values: (string | number)[]];

/** A condition that holds for everything when there is no value to compare with. */
export function given(sql: string, value: string | number | null): Condition[] {
  return value === null ? [] : [[sql, value]];
}

interface Source {
  /** null: by the primary key. */
  readonly index: string | null;
  readonly conditions: readonly Condition[];
}

interface Asked {
  /** Where rows are found; no row is in two of them. */
  readonly sources: readonly Source[];
  /** What holds for all of them. */
  readonly conditions: readonly Condition[];
  readonly limit: number;
  readonly after: ListPosition | null;
}

/** @param time the column that orders the table; @param tie the one that breaks ties */
export function pagesOf(
  database: Database,
  table: string,
  time: string,
  tie = 'job_id',
): (asked: Asked) => Page<Row, ListPosition> {
  const compiled = new Map<string, StatementSync>();
  const compile = (text: string): StatementSync => {
    const statement = compiled.get(text) ?? database.prepare(text);
    compiled.set(text, statement);
    return statement;
  };
  const select = (index: string | null, conditions: readonly Condition[]): string => {
    const indexed = index === null ? '' : `INDEXED BY ${index}`;
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
    return `SELECT * FROM ${table} ${indexed} ${where}`;
  };

  return ({ sources, conditions, limit, after }) => {
    const position: Condition[] = after === null ? [] : [[`(${time}, ${tie}) < (?, ?)`, after.createdAt, after.jobId]];
    const parts = sources.map((source) => ({ ...source, all: [...source.conditions, ...conditions, ...position] }));
    const union = parts.map(({ index, all }) => select(index, all)).join(' UNION ALL ');
    const values = parts.flatMap(({ all }) => all.flatMap(([, ...given]) => given));
    // One more than asked for tells whether there is a next page.
    const rows = compile(`${union} ORDER BY ${time} DESC, ${tie} DESC LIMIT ?`).all(...values, limit + 1);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const more = last !== undefined && rows.length > limit;
    return { items, next: more ? { createdAt: Number(last[time]), jobId: String(last[tie]) } : null };
  };
}
