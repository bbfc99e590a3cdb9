/**
 * From an expression to moments. Cron is read by a library that knows time zones: a time that a change of clocks leaves
 * out comes at the first moment after the gap, one that it repeats comes once; fields with * follow the clock on the wall
 * and so come in both hours. The only file that knows the library. Invariant: the next moment after t is the same from
 * wherever one asks between two moments, so whoever looks, and whenever, finds the same ticks.
 */
import { Cron } from 'croner';
import { cronLine, expressionOf } from './expressions.ts';
import type { EpochMs } from './ids.ts';

export interface Calendar {
  /** The first moment later than this; null: never again. */
  after(at: EpochMs): EpochMs | null;
}

export interface When {
  readonly expression: string;
  /** Of the clock on whose wall cron fields are read. */
  readonly timezone: string;
  /** Rates count from here. */
  readonly anchorAt: EpochMs;
}

export function calendarOf({ expression: text, timezone, anchorAt }: When): Calendar {
  const expression = expressionOf(text);
  if (expression.kind === 'rate') {
    const { everyMs } = expression;
    return { after: (at) => anchorAt + Math.max(1, Math.floor((at - anchorAt) / everyMs) + 1) * everyMs };
  }
  const cron = new Cron(cronLine(expression.fields), { timezone, mode: '5-part', paused: true });
  return { after: (at) => cron.nextRun(new Date(at))?.getTime() ?? null };
}

/** A name of the time zone database, such as Europe/Berlin; offsets have no summer and are refused. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
