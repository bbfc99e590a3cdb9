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

interface Asked {
  readonly index: string;
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

  return ({ index, conditions, limit, after }) => {
    const position: Condition[] = after === null ? [] : [[`(${time}, ${tie}) < (?, ?)`, after.createdAt, after.jobId]];
    const all = [...conditions, ...position];
    const where = all.length === 0 ? '' : `WHERE ${all.map(([sql]) => sql).join(' AND ')}`;
    const text = `SELECT * FROM ${table} INDEXED BY ${index} ${where} ORDER BY ${time} DESC, ${tie} DESC LIMIT ?`;
    // One more than asked for tells whether there is a next page.
    const rows = compile(text).all(...all.flatMap(([, ...values]) => values), limit + 1);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const more = last !== undefined && rows.length > limit;
    return { items, next: more ? { createdAt: Number(last[time]), jobId: String(last[tie]) } : null };
  };
}
