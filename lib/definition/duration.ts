/**
 * Durations as a definition writes them: a number, one space, a unit. The unit is always said, so nobody has to know
 * whether `10` were seconds or milliseconds; everything compiled counts milliseconds.
 */
const UNITS = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof UNITS;

/** `'250 ms'`, `'10 s'`, `'1.5 min'`, `'24 h'`, `'7 d'`. */
export type Duration = `${number} ${Unit}`;

const WRITTEN = /^(\d+(?:\.\d+)?) (ms|s|min|h|d)$/;

/** Whole milliseconds, or null when the text is not a duration. */
export function millisecondsOf(text: string): number | null {
  const [, amount, unit] = WRITTEN.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return null;
  return Math.round(Number(amount) * UNITS[unit as Unit]);
}

/** The same with a default; what is no duration was refused before. */
export function millis(written: string | undefined, byDefault: number): number {
  return written === undefined ? byDefault : (millisecondsOf(written) ?? byDefault);
}

/** The largest unit that needs no fraction: 90000 is `90 s`, 86400000 is `1 d`. */
export function durationOf(ms: number): string {
  const units = Object.entries(UNITS).toReversed();
  const [unit, size] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  return `${ms / size} ${unit}`;
}

/** What is wrong with a duration that has to lie within 1 ms and `maxMs`; undefined means the default and is fine. */
export function* durationProblems(what: string, text: string | undefined, maxMs: number): Generator<string> {
  if (text === undefined) return;
  const ms = millisecondsOf(text);
  if (ms === null) yield `${what} '${text}' is not a duration; write a number, a space and ms, s, min, h or d: '10 s'`;
  else if (ms < 1 || ms > maxMs)
    yield `${what} '${text}' is out of bounds; write one from '1 ms' to '${durationOf(maxMs)}'`;
}
