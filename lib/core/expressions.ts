/**
 * When a schedule comes round, as people write it: `cron(0 8 * * MON-FRI)` or `rate(5 minutes)`. The syntax is what both
 * we and EventBridge Scheduler can say, so that one text means the same wherever it runs; what only one of them knows is
 * refused with the way to say it. Five cron fields, minutes first; a rate counts from when the schedule was set.
 */
import { LIMITS } from './limits.ts';

export type Expression =
  | { readonly kind: 'cron'; readonly fields: CronFields }
  | { readonly kind: 'rate'; readonly everyMs: number; readonly value: number; readonly unit: RateUnit };

export interface CronFields {
  readonly minute: string;
  readonly hour: string;
  readonly dayOfMonth: string;
  readonly month: string;
  readonly dayOfWeek: string;
}

export type RateUnit = 'minute' | 'hour' | 'day';
export type ReadExpression =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly why: string };

const UNIT_MS: Readonly<Record<RateUnit, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
export const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
  /** `L`: the last day of the month. */
  readonly last: boolean;
}

export const FIELDS = [
  { name: 'minute', min: 0, max: 59, names: [], last: false },
  { name: 'hour', min: 0, max: 23, names: [], last: false },
  { name: 'day of month', min: 1, max: 31, names: [], last: true },
  { name: 'month', min: 1, max: 12, names: MONTHS, last: false },
  // 7 is Sunday too, as everywhere.
  { name: 'day of week', min: 0, max: 7, names: WEEKDAYS, last: false },
] as const satisfies readonly Field[];

const CRON = /^cron\((.*)\)$/i;
const RATE = /^rate\(\s*(\d{1,6})\s+(minute|hour|day)s?\s*\)$/i;
const HOW = 'write cron(minute hour day-of-month month day-of-week), such as cron(0 8 * * MON-FRI), or rate(5 minutes)';

/** A bare line of five fields is cron too. */
export function readExpression(text: string): ReadExpression {
  const trimmed = text.trim();
  if (trimmed.length > LIMITS.scheduleExpressionCharactersMax) return refused(HOW);
  if (/^rate/i.test(trimmed)) return readRate(trimmed);
  const inner = CRON.exec(trimmed)?.[1] ?? trimmed;
  const parts = inner.trim().toUpperCase().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return refused(`${HOW}; a sixth field, years or seconds, is not taken`);
  }
  for (const [index, field] of FIELDS.entries()) {
    const why = faultIn(parts[index] ?? '', field);
    if (why !== null) return refused(`the ${field.name} ${why}`);
  }
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = parts;
  if (dayOfMonth !== '*' && dayOfWeek !== '*') {
    return refused('give the day of month or the day of week and leave the other *: cron dialects differ about both');
  }
  return { ok: true, expression: { kind: 'cron', fields: { minute, hour, dayOfMonth, month, dayOfWeek } } };
}

export function expressionText(expression: Expression): string {
  if (expression.kind === 'rate') {
    const { value, unit } = expression;
    return `rate(${value} ${unit}${value === 1 ? '' : 's'})`;
  }
  return `cron(${cronLine(expression.fields)})`;
}

export function cronLine({ minute, hour, dayOfMonth, month, dayOfWeek }: CronFields): string {
  return [minute, hour, dayOfMonth, month, dayOfWeek].join(' ');
}

/** For what was checked before it was stored. */
export function expressionOf(text: string): Expression {
  const read = readExpression(text);
  if (!read.ok) throw new Error(`${text} is no expression: ${read.why}`);
  return read.expression;
}

function readRate(text: string): ReadExpression {
  const [, digits = '', word = ''] = RATE.exec(text) ?? [];
  const value = Number(digits);
  const unit = word.toLowerCase() as RateUnit;
  if (word === '' || value < 1) return refused('write a rate such as rate(5 minutes): minutes, hours or days, from 1');
  const everyMs = value * UNIT_MS[unit];
  if (everyMs > LIMITS.scheduleRateMsMax) return refused('a rate is at most 366 days: write cron for what is rarer');
  return { ok: true, expression: { kind: 'rate', everyMs, value, unit } };
}

/** null: nothing is wrong with it. */
function faultIn(text: string, field: Field): string | null {
  const range = `${field.min} to ${field.max}${field.names.length > 0 ? ` or ${field.names.join(', ')}` : ''}`;
  const how = `is ${text}: write *, */n, a number from ${range}, a range a-b or a-b/n, or a list of these`;
  for (const item of text.split(',')) {
    if (item === 'L' && field.last && text === 'L') continue;
    if (valuesOf(item, field) === null) return how;
  }
  return null;
}

/** The values that one item of a list stands for; null when it is none. */
export function valuesOf(item: string, field: Field): number[] | null {
  const [span = '', stepText, ...more] = item.split('/');
  const step = stepText === undefined ? 1 : numberIn(stepText);
  if (more.length > 0 || step === null || step < 1 || step > field.max) return null;
  if (span === '*') return stepped(field.min, field.names === WEEKDAYS ? 6 : field.max, step);
  const [fromText = '', toText, ...rest] = span.split('-');
  const from = valueIn(fromText, field);
  const to = toText === undefined ? from : valueIn(toText, field);
  if (rest.length > 0 || from === null || to === null || from > to) return null;
  // What `5/10` means differs between dialects: say where it ends.
  if (toText === undefined && stepText !== undefined) return null;
  return stepped(from, to, step);
}

function stepped(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

function valueIn(text: string, { min, max, names }: Field): number | null {
  const named = names.indexOf(text);
  if (named >= 0) return named + min;
  const value = numberIn(text);
  return value !== null && value >= min && value <= max ? value : null;
}

function numberIn(text: string): number | null {
  return /^\d{1,2}$/.test(text) ? Number(text) : null;
}

function refused(why: string): ReadExpression {
  return { ok: false, why };
}
